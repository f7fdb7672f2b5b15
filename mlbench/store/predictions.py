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

_MAX_BYTES = 4 * 2**30
_UNREADABLE = (ValueError, OSError, EOFError, MemoryError, zipfile.BadZipFile, zlib.error)


def compressed(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return the file that holds some arrays."""
    import numpy as np

    content = io.BytesIO()
    np.savez_compressed(content, **cast("dict[str, Any]", arrays))
    return content.getvalue()


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
