"""Numeric variables of MATLAB 5 files, with checks at every step.

``scipy.io.loadmat`` reads more kinds of variables, but it trusts the file: a single wrong byte in a
type or a dimension can crash the process with a segmentation fault. Here a damaged file raises an
error. Only the kinds that data sets use are supported: real numeric and logical arrays, sparse
matrices, and cell arrays of these.

The layout is described in "MAT-File Format", The MathWorks.
"""

import math
import zlib
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csc_matrix

from mlbench.data.files import largest_of

_HEADER = 128
_NUMBERS = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}
_MATRIX, _COMPRESSED = 14, 15
_CELL, _SPARSE = 1, 5
_NUMERIC_CLASSES = range(6, 16)
_COMPLEX = 0x0800
_MAX_DEPTH = 3


class Mat5Error(ValueError):
    """A file that is not a valid MATLAB 5 file, or contains an unsupported variable."""


class _Element(NamedTuple):
    kind: int
    content: memoryview


def parse_mat5(content: bytes, names: Collection[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the requested variables of a file, and the names of all its variables.

    Parameters
    ----------
    content
        The bytes of the file.
    names
        The variables to decode; the others are skipped.

    Returns
    -------
    variables
        Name to ndarray, csc_matrix, or (for a cell array) ndarray of such objects.
    present
        All names, in file order.

    Raises
    ------
    Mat5Error
        If the file is damaged, or if a requested variable is text, a struct or complex.
    """
    if content[:19] == b"MATLAB 7.3 MAT-file":
        raise Mat5Error("it is in MATLAB 7.3 format; save it again with `save -v7` in MATLAB")
    if len(content) < _HEADER or content[126:128] not in (b"IM", b"MI"):
        raise Mat5Error("it does not start like a MATLAB 5 file")
    order = "<" if content[126:128] == b"IM" else ">"
    variables: dict[str, Any] = {}
    present: list[str] = []
    start = _HEADER
    view = memoryview(content)
    while start < len(content):
        element, start = _next_element(view, start, order)
        if element.kind == _COMPRESSED:
            element, _ = _next_element(memoryview(_inflate(element.content)), 0, order)
        if element.kind != _MATRIX:
            raise Mat5Error(f"a variable has the type {element.kind}, not {_MATRIX} (a matrix)")
        name, value = _matrix(element.content, order, names)
        present.append(name)
        if name in names:
            variables[name] = value
    return variables, present


def _inflate(content: memoryview) -> bytes:
    inflater, most = zlib.decompressobj(), largest_of(len(content))
    try:
        inflated = inflater.decompress(content, most + 1)
    except zlib.error as error:
        raise Mat5Error(f"compressed content is damaged: {error}") from error
    if len(inflated) > most:
        raise Mat5Error(f"{len(content):,} compressed bytes unpack to more than {most:,}")
    if not inflater.eof:
        raise Mat5Error("compressed content is damaged: it is truncated")
    return inflated


def _next_element(view: memoryview, start: int, order: str) -> tuple[_Element, int]:
    """Return the element at `start`, and the offset of the next one."""
    if start + 8 > len(view):
        raise Mat5Error("it is truncated")
    word, size = (int(one) for one in np.frombuffer(view[start : start + 8], dtype=order + "u4"))
    # A small element packs size (upper 16 bits) and type (lower 16 bits) into its first word, and
    # its content into the next 4 bytes. It takes 8 bytes in all.
    if word >> 16:
        kind, size, first, following = word & 0xFFFF, word >> 16, start + 4, start + 8
        if size > 4:
            raise Mat5Error(f"a small element has {size} bytes")
    else:
        kind, first = word, start + 8
        # -size % 8 bytes fill the content up to a multiple of 8; compressed content is not filled.
        padding = 0 if kind == _COMPRESSED else -size % 8
        following = first + size + padding
    if first + size > len(view):
        raise Mat5Error("it is truncated")
    return _Element(kind, view[first : first + size]), following


def _numbers(element: _Element, order: str) -> npt.NDArray[Any]:
    code = _NUMBERS.get(element.kind)
    if code is None:
        raise Mat5Error(f"numbers have the unknown type {element.kind}")
    dtype = np.dtype(order + code)
    if len(element.content) % dtype.itemsize:
        raise Mat5Error(
            f"{len(element.content)} bytes are not a whole number of {dtype.name} values"
        )
    return np.frombuffer(element.content, dtype=dtype).astype(dtype.newbyteorder("="))


def _matrix(
    view: memoryview, order: str, names: Collection[str] | None, depth: int = 0
) -> tuple[str, Any]:
    """Return the name and the value of a matrix; the value is None if the name is not in `names`.

    Matrices in a cell array have no names; `names` is None there, and all are decoded.
    """
    if depth > 0 and not view:
        return "", np.empty((0, 0))
    flags_element, start = _next_element(view, 0, order)
    flags = _numbers(flags_element, order)
    dims_element, start = _next_element(view, start, order)
    dims = tuple(int(size) for size in _numbers(dims_element, order))
    name_element, start = _next_element(view, start, order)
    name = bytes(name_element.content).decode("latin1")
    if flags.size != 2 or flags.dtype.kind != "u" or len(dims) < 2 or min(dims) < 0:
        raise Mat5Error(f"the variable {name!r} has invalid flags or dimensions")
    if names is not None and name not in names:
        return name, None
    # The lowest byte of the first word of flags is the class; bit 11 marks complex numbers.
    kind = int(flags[0]) & 0xFF
    if int(flags[0]) & _COMPLEX:
        raise Mat5Error(f"the variable {name!r} is complex; it must be real")
    if kind == _CELL and depth < _MAX_DEPTH:
        return name, _cell(view, start, order, dims, depth)
    if kind == _SPARSE:
        return name, _sparse(view, start, order, dims)
    if kind not in _NUMERIC_CLASSES:
        raise Mat5Error(f"the variable {name!r} is not numeric (its class is {kind})")
    element, _ = _next_element(view, start, order)
    values = _numbers(element, order)
    if values.size != math.prod(dims):
        shape = " x ".join(map(str, dims))
        raise Mat5Error(f"the variable {name!r} is {shape}, but has {values.size} numbers")
    return name, values.reshape(dims, order="F")


def _cell(
    view: memoryview, start: int, order: str, dims: tuple[int, ...], depth: int
) -> npt.NDArray[Any]:
    count = math.prod(dims)
    if count > len(view):
        raise Mat5Error(f"{count} cells do not fit into {len(view)} bytes")
    cells = np.empty(count, dtype=object)
    for i in range(count):
        element, start = _next_element(view, start, order)
        if element.kind != _MATRIX:
            raise Mat5Error(f"a cell has the type {element.kind}, not {_MATRIX} (a matrix)")
        cells[i] = _matrix(element.content, order, None, depth + 1)[1]
    return cells.reshape(dims, order="F")


def _sparse(view: memoryview, start: int, order: str, dims: tuple[int, ...]) -> csc_matrix:
    # Compressed columns: column j has the entries column_starts[j] to column_starts[j + 1] - 1, so
    # there are dims[1] + 1 starts, they do not fall, and the last one is the number of entries.
    parts = []
    for _ in range(3):
        element, start = _next_element(view, start, order)
        parts.append(_numbers(element, order))
    rows, column_starts, values = parts
    integers = rows.dtype.kind in "iu" and column_starts.dtype.kind in "iu"
    if not integers or len(dims) != 2 or column_starts.size != dims[1] + 1:
        raise Mat5Error("a sparse matrix has invalid indices")
    column_starts = column_starts.astype(np.int64)
    count = int(column_starts[-1])
    # MATLAB may allocate more entries than it uses.
    rows, values = rows[:count].astype(np.int64), values[:count]
    rising = column_starts[0] == 0 and (np.diff(column_starts) >= 0).all()
    inside = count == rows.size == values.size and (
        count == 0 or (rows.min() >= 0 and rows.max() < dims[0])
    )
    if not (rising and inside):
        raise Mat5Error("a sparse matrix has indices outside its dimensions")
    return csc_matrix((values.astype(np.float64), rows, column_starts), shape=dims)
