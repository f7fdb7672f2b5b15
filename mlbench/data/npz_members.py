"""The arrays in an ``.npz`` file, checked before they take memory."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mlbench.errors import DataError

UNQUESTIONED = 256 * 2**20
"""Bytes that a file may unpack to whatever its size."""
MAX_BYTES_OUT_OF_ONE = 50
"""Maximum ratio of unpacked to stored size, beyond that."""
_KINDS = {
    "X": "fiub",
    "X_data": "fiub",
    "X_indices": "iu",
    "X_indptr": "iu",
    "X_shape": "iu",
    "Y": "iub",
    "tasks": "iu",
    "published_train": "iu",
    "known": "b",
    "groups": "iu",
    "times": "iu",
    "texts": "u",
    "about": "u",
    "check": "u",
}
"""The arrays of a data set, and the kinds of numbers in each."""


def load_members(path: Path) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a data set.

    Raises
    ------
    DataError
        If an array says that it is larger than it is, unpacks to far more than is stored, or
        has values of another kind.
    OSError, ValueError, zipfile.BadZipFile
        If the file cannot be read.
    """
    with zipfile.ZipFile(path) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        stored = path.stat().st_size
        unpacked = sum(info.file_size for info in members.values())
        if unpacked > max(UNQUESTIONED, MAX_BYTES_OUT_OF_ONE * stored):
            raise DataError(f"{path}: unpacks from {stored} bytes to {unpacked}, too many")
        for name, info in members.items():
            with archive.open(info) as file:
                _check_header(path, name, info.file_size, file)
    with np.load(path, allow_pickle=False) as loaded:
        return {name: loaded[name] for name in members if name in _KINDS}


def _check_header(path: Path, name: str, size: int, file: Any) -> None:
    version = np.lib.format.read_magic(file)
    read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
        version, np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = read(file)
    stated = prod(shape) * dtype.itemsize
    if stated != size - file.tell():
        raise DataError(
            f"{path}: {name} says that it has the shape {shape}, which takes {stated} bytes, and "
            f"there are {size - file.tell()}"
        )
    if dtype.kind not in _KINDS.get(name, dtype.kind):
        raise DataError(f"{path}: {name} holds {dtype}; it must hold numbers of another kind")


def check_sizes(path: Path, arrays: Mapping[str, npt.NDArray[Any]], n_tasks: int) -> None:
    """Refuse a data set without rows, labels or features, or with tasks that have no name."""
    shape = arrays["X"].shape if "X" in arrays else tuple(arrays["X_shape"].tolist())
    if len(shape) != 2 or not shape[0] or not (shape[1] or "texts" in arrays):
        raise DataError(f"{path}: X has the shape {shape}; it must have rows and columns")
    if arrays["Y"].ndim != 2 or not arrays["Y"].size:
        raise DataError(f"{path}: Y has the shape {arrays['Y'].shape}; it must have labels")
    tasks = arrays.get("tasks")
    if tasks is not None and not (tasks.min() >= 0 and tasks.max() < n_tasks):
        raise DataError(
            f"{path}: tasks are numbered {tasks.min()} to {tasks.max()}, and {n_tasks} have names"
        )
