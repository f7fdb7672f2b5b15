"""Scores and labels of a cell's test part, as the bytes of one compressed file."""

from __future__ import annotations

import hashlib
import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mlbench.errors import StoreError

if TYPE_CHECKING:
    import numpy as np

_ROWS = 256
"""Rows that are ordered at once."""
_MAX_BYTES = 4 * 2**30
_UNREADABLE = (ValueError, OSError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error)


def compressed(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return the file that holds some arrays."""
    import numpy as np

    content = io.BytesIO()
    np.savez_compressed(content, **cast("dict[str, Any]", arrays))
    return content.getvalue()


def check(data: bytes) -> None:
    """Read the arrays of a file, one at a time.

    Raises
    ------
    Exception
        If it is no such file, or holds something else.
    """
    import numpy as np

    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        for name in arrays.files:
            arrays[name]


def with_best_scores(arrays: Mapping[str, np.ndarray], top: int) -> dict[str, np.ndarray]:
    """Return predictions with the ``top`` best scores of each row, and what ties with the last.

    The others are -inf, which compression reduces to nothing; ``top`` tells of it. Where a row
    has no more scores than that, all stay.
    """
    import numpy as np

    n_scores = arrays["scores"].shape[1]
    if n_scores <= top:
        return dict(arrays)
    kept = {"top": np.array(top)}
    for name, array in arrays.items():
        what = name.partition("@")[0]
        if what == "scores":
            kept[name] = np.full_like(array, -np.inf)
            for start in range(0, len(array), _ROWS):
                rows = slice(start, start + _ROWS)
                lowest = np.partition(array[rows], n_scores - top, axis=1)[:, n_scores - top, None]
                np.copyto(kept[name][rows], array[rows], where=array[rows] >= lowest)
        elif what != "probabilities":
            kept[name] = array
    return kept


def decompressed(data: bytes, path: Path, sha256: str) -> dict[str, np.ndarray]:
    """Return the arrays of a file.

    Raises
    ------
    StoreError
        If the file has another hash, holds no arrays, or too many.
    """
    import numpy as np

    if hashlib.sha256(data).hexdigest() != sha256:
        raise StoreError(f"{path}: not the file that was written; remove it and run again")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(member.file_size for member in archive.infolist()) > _MAX_BYTES:
                raise ValueError(f"they unpack to more than {_MAX_BYTES} bytes")
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return dict(arrays)
    except _UNREADABLE as error:
        raise StoreError(f"{path}: no arrays that can be read: {error}") from None
