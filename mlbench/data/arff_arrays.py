"""Parsing all rows of an ARFF file at once, with array operations.

This handles only simple, valid rows: no quotes and no unusual layout. For anything else it returns
None, and `mlbench.data.arff_rows` parses the rows instead. Both give the same cells.
"""

import io
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from mlbench.data.table import Attribute, Cells
from mlbench.solvers.arrays import Flags, Floats

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.intp]
Tokens = npt.NDArray[np.bytes_]

_MISSING = ord("?")
_LONGEST_TOKEN = 64
_MAX_GROUPS = 64
_SHORT_INTEGER = re.compile(r"[0-9]|[1-9][0-9]")


def parse_rows_at_once(rows: list[bytes], attributes: Sequence[Attribute]) -> Cells | None:
    """Return the cells of stripped, non-empty rows, or None if any row is not simple.

    Parameters
    ----------
    rows
        Without comments and blank rows.
    attributes
        One for each column.
    """
    body = b"\n".join(rows)
    if not body.isascii() or any(odd in body for odd in (b"'", b'"', b"\\", b"_")):
        return None
    try:
        if rows[0].startswith(b"{"):
            return _sparse(body, len(rows), attributes)
        return None if b"{" in body else _dense(body, len(rows), attributes)
    except ValueError:
        return None


def _dense(body: bytes, n: int, attributes: Sequence[Attribute]) -> Floats | None:
    d = len(attributes)
    body = _without_padding(body, rb"[ \t]*,[ \t]*", b",")
    text = np.frombuffer(body, dtype=np.uint8)
    ends = np.append(np.flatnonzero((text == ord(",")) | (text == ord("\n"))), text.size)
    if ends.size != n * d or (text[ends[d - 1 : -1 : d]] != ord("\n")).any():
        return None
    lengths = np.diff(ends, prepend=-1) - 1
    if b" " in body or b"\t" in body or lengths.min() == 0:
        return None
    if lengths.max() == 1:
        firsts = text[::2].reshape(n, d)
        if not (_is_digit(firsts) | (firsts == _MISSING)).all():
            return (
                None
                if all(a.kind == "numeric" for a in attributes)
                else _dense_tokens(body, attributes)
            )
        numbers = _digits(firsts)
    elif all(a.kind == "numeric" or _are_short_integers(a.values) for a in attributes):
        numbers = _dense_numbers(body, text, ends, lengths, d)
    else:
        return _dense_tokens(body, attributes)
    return _positions_among_values(numbers, lengths.reshape(n, d), attributes, body)


def _dense_numbers(body: bytes, text: Bytes, ends: Positions, lengths: Positions, d: int) -> Floats:
    missing = None
    if b"?" in body:
        missing = (lengths == 1) & (text[ends - 1] == _MISSING)
        body = body.replace(b"?", b"nan")
    numbers = np.loadtxt(io.BytesIO(body), delimiter=",", comments=None, ndmin=2, encoding="latin1")
    if missing is None:
        missing = np.zeros(1, dtype=bool)
    if numbers.shape[1] != d or (~np.isfinite(numbers).reshape(-1) & ~missing).any():
        raise ValueError
    return numbers


def _positions_among_values(
    numbers: Floats, lengths: Positions, attributes: Sequence[Attribute], body: bytes
) -> Floats | None:
    """Replace the numbers that represent nominal values by the positions of these values."""
    for values, columns in _columns_by_values(attributes).items():
        if not _are_short_integers(values):
            return _dense_tokens(body, attributes)
        if _are_counted_from_zero(values):
            known = (numbers[:, columns] < len(values)) | np.isnan(numbers[:, columns])
            if not (known & (lengths[:, columns] == 1)).all():
                return None
            continue
        listed = np.array([int(value) for value in values], dtype=np.float64)
        order = np.argsort(listed)
        found = numbers[:, columns]
        place = order[np.searchsorted(listed[order], found).clip(max=listed.size - 1)]
        missing = np.isnan(found)
        width = np.array([len(value) for value in values])
        same = (listed[place] == found) & (width[place] == lengths[:, columns])
        if not (same | missing).all():
            return None
        numbers[:, columns] = np.where(missing, np.nan, place)
    return numbers


def _dense_tokens(body: bytes, attributes: Sequence[Attribute]) -> Floats:
    tokens = _tokens(body.replace(b"\n", b",").split(b",")).reshape(-1, len(attributes))
    cells = np.empty(tokens.shape)
    for j, attribute in enumerate(attributes):
        cells[:, j] = _decode(np.ascontiguousarray(tokens[:, j]), attribute)
    return cells


_BRACE, _SPACE, _COMMA, _END, _NEWLINE = 1, 2, 3, 4, 5
_SEPARATORS = b"{ ,}\n"
_KIND_OF_BYTE = bytes(_SEPARATORS.find(byte) + 1 for byte in range(256))
_TOKEN, _NOTHING = np.uint8(1), np.uint8(2)  # what lies between two consecutive separators
_BETWEEN = np.zeros((16, 16), dtype=np.uint8)
_BETWEEN[_BRACE, _SPACE] = _BETWEEN[_COMMA, _SPACE] = _TOKEN
_BETWEEN[_SPACE, _COMMA] = _BETWEEN[_SPACE, _END] = _TOKEN
_BETWEEN[_BRACE, _END] = _BETWEEN[_END, _NEWLINE] = _BETWEEN[_NEWLINE, _BRACE] = _NOTHING
_BETWEEN_PAIR = _BETWEEN.tobytes()


def _sparse(body: bytes, n: int, attributes: Sequence[Attribute]) -> csr_matrix | None:
    body = body.replace(b"\t", b" ")
    layout = _sparse_layout(body)
    if layout is None:
        body = _without_padding(_without_padding(body, rb" *([{},]) *", rb"\1"), rb"  +", b" ")
        layout = _sparse_layout(body)
        if layout is None:
            return None
    text, places, kinds = layout
    before_index = np.flatnonzero((kinds == _BRACE) | (kinds == _COMMA))
    before_index = before_index[kinds[before_index + 1] == _SPACE]
    spaces = places[before_index + 1]
    columns = _integers(text, places[before_index] + 1, spaces)
    entries_before = np.searchsorted(before_index, np.flatnonzero(kinds == _END))
    if entries_before.size != n or columns.max(initial=0) >= len(attributes):
        return None
    row_starts = np.concatenate([[0], entries_before])
    rising = np.diff(columns) > 0
    rising[row_starts[(row_starts > 0) & (row_starts < columns.size)] - 1] = True
    if not rising.all():
        return None
    values = _sparse_values(body, text, columns, spaces, places[before_index + 2], attributes)
    if values is None:
        return None
    cells = csr_matrix((values, columns, row_starts), shape=(n, len(attributes)))
    cells.eliminate_zeros()
    return cells


def _sparse_layout(body: bytes) -> tuple[Bytes, Positions, Bytes] | None:
    """Return the bytes, the separator positions and kinds, or None unless rows read {i v,j v}."""
    text = np.frombuffer(body, dtype=np.uint8)
    kind_of_byte = _translated(body, _KIND_OF_BYTE)
    places = np.flatnonzero(kind_of_byte != 0)
    kinds = kind_of_byte[places]
    between = _translated((16 * kinds[:-1] + kinds[1:]).tobytes(), _BETWEEN_PAIR)
    regular = (between == np.where(np.diff(places) > 1, _TOKEN, _NOTHING)).all()
    closed = places.size > 1 and kind_of_byte[0] == _BRACE and kind_of_byte[-1] == _END
    return (text, places, kinds) if regular and closed else None


def _translated(content: bytes, table: bytes) -> Bytes:
    """Look up every byte in a table, several times as fast as by an index array."""
    return np.frombuffer(content.translate(table), dtype=np.uint8)


def _integers(text: Bytes, starts: Positions, ends: Positions) -> npt.NDArray[np.int32]:
    """Parse unsigned integers, one digit position at a time for all numbers."""
    lengths = ends - starts
    numbers = np.zeros(starts.size, dtype=np.int32)
    if lengths.max(initial=0) > 9:
        raise ValueError
    for place in range(lengths.max(initial=0)):
        have = lengths > place
        digits = np.where(have, text[ends - 1 - place], ord("0"))
        if not _is_digit(digits).all():
            raise ValueError
        numbers += (digits - np.uint8(ord("0"))).astype(np.int32) * 10**place
    return numbers


def _sparse_values(
    body: bytes,
    text: Bytes,
    columns: npt.NDArray[np.int32],
    spaces: Positions,
    ends: Positions,
    attributes: Sequence[Attribute],
) -> Floats | None:
    firsts = text[spaces + 1]
    if (ends - spaces == 2).all() and (_is_digit(firsts) | (firsts == _MISSING)).all():
        numbers, tokens = _digits(firsts), firsts.view("S1")
    else:
        pairs = body.translate(bytes.maketrans(b"{},\n", b"    ")).split()
        numbers, tokens = None, _tokens(pairs[1::2])
    groups: dict[Attribute, list[int]] = {}
    for j, attribute in enumerate(attributes):
        groups.setdefault(Attribute("", attribute.kind, attribute.values), []).append(j)
    if len(groups) > _MAX_GROUPS:
        return None
    group_of_column = np.empty(len(attributes), dtype=np.int32)
    for g, members in enumerate(groups.values()):
        group_of_column[members] = g
    group = group_of_column[columns]
    values = np.empty(columns.size)
    for g, attribute in enumerate(groups):
        chosen = slice(None) if len(groups) == 1 else group == g
        if numbers is not None and attribute.kind == "numeric":
            values[chosen] = numbers[chosen]
        elif numbers is not None and _are_counted_from_zero(attribute.values):
            values[chosen] = numbers[chosen]
            if (values[chosen] >= len(attribute.values)).any():
                return None
        else:
            values[chosen] = _decode(tokens[chosen], attribute)
    return values


def _decode(tokens: Tokens, attribute: Attribute) -> Floats:
    """Return the cells that the tokens of one attribute represent."""
    missing = tokens == b"?"
    if attribute.kind == "text":
        return np.where(missing, np.nan, 0.0)
    if attribute.kind == "numeric":
        numbers = np.where(missing, b"nan", tokens).astype(np.float64)
        if (~np.isfinite(numbers) & ~missing).any():
            raise ValueError
        return numbers
    listed = np.array([value.encode() for value in attribute.values], dtype=np.bytes_)
    order = np.argsort(listed)
    place = order[np.searchsorted(listed[order], tokens).clip(max=listed.size - 1)]
    if not ((listed[place] == tokens) | missing).all():
        raise ValueError
    return np.where(missing, np.nan, place)


def _columns_by_values(attributes: Sequence[Attribute]) -> dict[tuple[str, ...], list[int]]:
    columns: dict[tuple[str, ...], list[int]] = {}
    for j, attribute in enumerate(attributes):
        if attribute.kind != "numeric":
            columns.setdefault(attribute.values, []).append(j)
    return columns


def _are_short_integers(values: Sequence[str]) -> bool:
    """Whether a number and its length identify each value."""
    return bool(values) and all(_SHORT_INTEGER.fullmatch(value) for value in values)


def _are_counted_from_zero(values: Sequence[str]) -> bool:
    """Whether the values are 0, 1, ... (at most 9), so that each value equals its position."""
    return bool(values) and values == tuple("0123456789")[: len(values)]


def _is_digit(characters: Bytes) -> Flags:
    return (characters >= ord("0")) & (characters <= ord("9"))


def _digits(characters: Bytes) -> Floats:
    numbers = characters.astype(np.float64)
    numbers -= ord("0")
    numbers[characters == _MISSING] = np.nan
    return numbers


def _tokens(tokens: list[bytes]) -> Tokens:
    if max(map(len, tokens), default=0) > _LONGEST_TOKEN:
        raise ValueError
    return np.array(tokens, dtype=np.bytes_)


def _without_padding(body: bytes, pattern: bytes, replacement: bytes) -> bytes:
    return re.sub(pattern, replacement, body) if b" " in body or b"\t" in body else body
