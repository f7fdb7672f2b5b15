"""Data sets in files of their own: everything that is in memory, in one ``.npz`` file."""

from __future__ import annotations

import os
import zipfile
import zlib
from pathlib import Path

import numpy as np

from mlbench.data.dataset import Dataset
from mlbench.data.parsed_cache import Parsed, pack, unpack
from mlbench.errors import DataError

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
        with np.load(path, allow_pickle=False) as stored:
            parsed = unpack("", stored)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except _UNREADABLE as error:
        raise DataError(f"{path}: not a data set that mlbench has saved: {error}") from None
    if parsed is None:
        raise DataError(f"{path}: damaged: its content is not what was saved")
    return parsed.dataset.described(path.stem, parsed.dataset.notes)
