"""Data sets in ``.npz`` files: those that a user saves, and a cache of parsed ones.

The cache spares workers from parsing the same text again. A cached copy has a hash of its content.
A copy that is damaged, truncated or of another revision is ignored. The total size of the cache is
limited.
"""

import contextlib
import hashlib
import json
import os
import tempfile
import time
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, issparse

from mlbench.data.dataset import OPTIONAL, Dataset
from mlbench.data.npz_members import check_sizes, load_members
from mlbench.data.search_path import expanded, user_cache
from mlbench.data.table import Attribute
from mlbench.data.texts import Texts
from mlbench.errors import DataError
from mlbench.hashing import digest

REVISION = 3
"""Increase this whenever a reader or the encoding gives other values for the same files."""

MAX_BYTES = 4 * 2**30
"""Maximum total size of the cache, in bytes."""
_ABANDONED = 24 * 3600
"""Seconds after which an unfinished copy is considered abandoned."""


@dataclass(frozen=True)
class Parsed:
    """A data set, and its number of attributes before encoding."""

    dataset: Dataset
    n_attributes: int


def dataset_cache() -> Path:
    """Return ``$MLBENCH_CACHE``, or ``mlbench/parsed`` in the user's cache folder."""
    own = os.environ.get("MLBENCH_CACHE")
    if own:
        return expanded(own, "MLBENCH_CACHE")
    return user_cache() / "parsed"


def cache_key(
    format_name: str, hashes: Mapping[str, str], options: Mapping[str, object], encoding: object
) -> str:
    """Return the cache key: a digest of everything that the parsed content depends on.

    Parameters
    ----------
    hashes
        Role to SHA-256 of the file.
    options, encoding
        As given to the reader and to `mlbench.data.encoding.encode`.
    """
    parts = [REVISION, format_name, dict(hashes), repr(sorted(options.items())), repr(encoding)]
    return digest(parts)


def load_parsed(key: str) -> Parsed | None:
    """Return the copy with this key, or None if there is no valid one."""
    path = _path(key)
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as stored:
            parsed = unpack(key, stored)
    except Exception:  # any damage means a cache miss; the source files can be read again
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # the least recently used copies are removed first
    return parsed


def save_parsed(key: str, parsed: Parsed) -> None:
    """Save a copy under this key; do nothing if the folder cannot be written.

    If the cache grows beyond `MAX_BYTES` bytes, the least recently used other copies are removed.
    """
    path = _path(key)
    temporary: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as stream:
            temporary = Path(stream.name)
            np.savez(stream, **pack(key, parsed))
        temporary.replace(path)
    except OSError:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        return
    _make_room(path)


def _make_room(newest: Path) -> None:
    """Remove the least recently used copies; another run may be doing the same."""
    now = time.time()
    found: list[tuple[float, int, Path]] = []
    for path in newest.parent.glob("*"):
        with contextlib.suppress(OSError):
            about = path.stat()
            if path.suffix == ".npz" and path != newest:
                found.append((about.st_mtime, about.st_size, path))
            elif path.suffix == ".part" and about.st_mtime < now - _ABANDONED:
                path.unlink()
    with contextlib.suppress(OSError):
        taken = newest.stat().st_size + sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if taken <= MAX_BYTES:
                break
            path.unlink(missing_ok=True)
            taken -= size


def _path(key: str) -> Path:
    return dataset_cache() / f"{key}.npz"


def pack(key: str, parsed: Parsed) -> dict[str, Any]:
    """Return a data set as the arrays of an ``.npz`` file."""
    data = parsed.dataset
    about = json.dumps(
        {
            "key": key,
            "n_attributes": parsed.n_attributes,
            "label_names": data.label_names,
            "feature_names": data.feature_names,
            "task_names": data.task_names,
            "notes": data.notes,
            "left_out": data.left_out,
            "attributes": [(each.name, each.kind, each.values) for each in data.attributes],
        }
    ).encode()
    arrays: dict[str, npt.NDArray[Any]] = {
        "about": np.frombuffer(about, dtype=np.uint8),
        "check": np.frombuffer(_check(data.fingerprint, about), dtype=np.uint8),
        "Y": data.Y.view(np.uint8),
    }
    if issparse(data.X):
        X: Any = data.X
        arrays |= {"X_data": X.data, "X_indices": X.indices, "X_indptr": X.indptr}
        arrays["X_shape"] = np.array(X.shape, dtype=np.int64)
    else:
        arrays["X"] = data.X
    arrays |= data.optional_arrays()
    if data.texts is not None:
        arrays["texts"] = np.frombuffer(json.dumps(data.texts.as_plain).encode(), dtype=np.uint8)
    return arrays


def unpack(key: str, stored: Mapping[str, npt.NDArray[Any]]) -> Parsed | None:
    """Return the data set of such arrays, or None if they are not what was packed."""
    text = stored["about"].tobytes()
    about = json.loads(text)
    if "X" in stored:
        X: Any = stored["X"]
    else:
        parts = (stored["X_data"], stored["X_indices"], stored["X_indptr"])
        X = csr_matrix(parts, shape=tuple(stored["X_shape"].tolist()))
        X.has_canonical_format = True
    dataset = Dataset(
        name="",
        X=X,
        Y=stored["Y"],
        label_names=tuple(about["label_names"]),
        feature_names=tuple(about["feature_names"]),
        task_names=tuple(about["task_names"]),
        texts=Texts.from_plain(json.loads(stored["texts"].tobytes()))
        if "texts" in stored
        else None,
        notes=tuple(about["notes"]),
        left_out=about["left_out"],
        attributes=tuple(
            Attribute(name, kind, tuple(values))
            for name, kind, values in about.get("attributes", ())  # older files have none
        ),
        **{name: stored[name] for name in OPTIONAL if name in stored},
    )
    sound = about["key"] == key and stored["check"].tobytes() == _check(dataset.fingerprint, text)
    return Parsed(dataset, about["n_attributes"]) if sound else None


def _check(fingerprint: str, about: bytes) -> bytes:
    return hashlib.sha256(fingerprint.encode() + about).digest()


SUFFIX = ".npz"
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    NotImplementedError,
    zipfile.BadZipFile,
    zlib.error,
)


def save_dataset(dataset: Dataset, path: str | Path) -> None:
    """Save a data set in a file that experiments can name: ``{use: my/data.npz}``.

    Parameters
    ----------
    dataset : Dataset
    path : str or Path
        Ends in ``.npz``. An existing file is replaced.

    Raises
    ------
    DataError
        If the path ends in something else, or cannot be written.
    """
    target = Path(path)
    if target.suffix != SUFFIX:
        raise DataError(f"{target}: the file of a data set must end in {SUFFIX}")
    arrays = pack("", Parsed(dataset, dataset.n_features))
    temporary = target.with_name(f".{target.stem}-{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            np.savez(file, **arrays)
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise DataError(f"{target}: cannot be written: {error.strerror or error}") from None


def read_dataset(path: Path) -> Dataset:
    """Read a data set that `save_dataset` has saved.

    Raises
    ------
    DataError
        If there is no such file, or it is damaged.
    """
    try:
        arrays = load_members(path)
        check_sizes(path, arrays, len(json.loads(arrays["about"].tobytes())["task_names"]))
        parsed = unpack("", arrays)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (*_UNREADABLE, MemoryError) as error:
        raise DataError(f"{path}: not a data set that mlbench has saved: {error}") from None
    if parsed is None:
        raise DataError(f"{path}: damaged: its content is not what was saved")
    return parsed.dataset.described(path.stem, parsed.dataset.notes)
