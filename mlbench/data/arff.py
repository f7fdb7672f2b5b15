"""Reading ARFF files: dense or sparse, plain or compressed.

The format is Weka's (Hall et al., The WEKA data mining software, SIGKDD Explorations 11, 2009).
The header is read line by line. Simple rows are parsed with array operations
(`mlbench.data.arff_arrays`), all others one by one with liac-arff (`mlbench.data.arff_rows`),
which also locates the line of an error.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mlbench.data.arff_arrays import parse_rows_at_once
from mlbench.data.arff_rows import parse_rows_one_by_one
from mlbench.data.files import decode, read_unix_text
from mlbench.data.table import Attribute, Cells
from mlbench.errors import DataError

_QUOTED = r"""'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)\""""
_KEYWORD = re.compile(r"@\w+")
_ATTRIBUTE = re.compile(rf"""@attribute\s+(?:{_QUOTED}|([^\s{{'"][^\s{{]*))\s*(.*)""", re.I | re.S)
_VALUE = re.compile(rf"""\s*(?:{_QUOTED}|([^\s,{{}}'"]+))\s*([,}}])""", re.S)
_ESCAPE = re.compile(r"\\(u(?!d[89a-f])[0-9a-f]{4}|.)", re.S | re.I)
_RANGE = re.compile(r"(?<=[a-z])\s*[\[(][^\])]*[\])]$")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}
_ROLES = ("@input", "@inputs", "@output", "@outputs")
"""Lines of KEEL's files; which attributes are labels is chosen where the data set is added."""
_MAX_ATTRIBUTES = 250_000
_TYPES = "numeric, real, integer, string, date or {value, value, ...}"


@dataclass(frozen=True, eq=False)
class ArffFile:
    """An ARFF file: its relation name, its columns, and one row of cells per data row.

    `cells` is a csr_matrix if the rows are sparse; see `mlbench.data.table.Attribute` for what a
    cell holds.
    """

    relation: str
    attributes: tuple[Attribute, ...]
    cells: Cells


def read_arff(path: Path) -> ArffFile:
    """Read an ARFF file.

    Raises
    ------
    DataError
        If the file cannot be read or is malformed; the message starts with ``file:line:``.
    """
    content = read_unix_text(path)
    relation, attributes, body_start, lines_before = _read_header(content, path)
    rows = content[body_start:].split(b"\n")
    plain = [row for raw in rows if (row := raw.strip()) and not row.startswith(b"%")]
    if not plain:
        raise DataError(f"{path}:{lines_before}: no data rows after @data; the file is truncated")
    cells = parse_rows_at_once(plain, attributes)
    if cells is None:
        cells = parse_rows_one_by_one(rows, attributes, path, lines_before)
    return ArffFile(relation, attributes, cells)


def read_relation(path: Path) -> str:
    """Return the name of the relation in an ARFF file, without reading its rows.

    Raises
    ------
    DataError
        If the file cannot be read, or what stands before its rows is malformed.
    """
    return _read_header(read_unix_text(path), path)[0]


def _read_header(content: bytes, path: Path) -> tuple[str, tuple[Attribute, ...], int, int]:
    """Return the relation, the attributes, the offset of the rows, and the lines before them."""
    relation = ""
    attributes: dict[str, Attribute] = {}
    start, number = 0, 0
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        raw = content[start:end].strip()
        start, number = end + 1, number + 1
        if not raw or raw.startswith(b"%"):
            continue
        line = decode(raw, path, number)
        match = _KEYWORD.match(line)
        keyword = match[0].lower() if match else ""
        if keyword == "@attribute":
            attribute = _read_attribute(line, f"{path}:{number}")
            if attribute.name in attributes:
                raise DataError(
                    f"{path}:{number}: a second attribute named {attribute.name!r}; "
                    "attribute names must be unique"
                )
            if len(attributes) == _MAX_ATTRIBUTES:
                raise DataError(
                    f"{path}:{number}: more than {_MAX_ATTRIBUTES} attributes; write data this "
                    "wide in the libsvm format"
                )
            attributes[attribute.name] = attribute
        elif keyword == "@relation":
            relation = _unescape(line[len(keyword) :].strip().strip("'\""))
        elif keyword in _ROLES:
            continue
        elif keyword == "@data":
            rest = line[len(keyword) :].strip()
            if rest and not rest.startswith("%"):
                raise DataError(
                    f"{path}:{number}: {_shorten(rest)} follows @data; rows start on the next line"
                )
            if not attributes:
                raise DataError(f"{path}:{number}: no @attribute line before @data")
            return relation, tuple(attributes.values()), start, number
        else:
            raise DataError(
                f"{path}:{number}: found {_shorten(line)} where @relation, @attribute or @data "
                "is expected"
            )
    raise DataError(
        f"{path}:{max(number, 1)}: the file ends without a @data line; "
        "it is truncated, or not an ARFF file"
    )


def _read_attribute(line: str, place: str) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise DataError(
            f"{place}: cannot read {_shorten(line)}; write @attribute name type, and put a name "
            "with spaces in quotes (closed on the same line)"
        )
    single, double, bare, kind = match.groups()
    name = bare if bare is not None else _unescape(single if single is not None else double)
    if kind.startswith("{"):
        try:
            return Attribute(name, "nominal", _read_values(kind[1:]))
        except ValueError as error:
            raise DataError(f"{place}: the values of attribute {name!r}: {error}") from None
    word = kind.split("%")[0].strip().lower()
    word = _RANGE.sub("", word)  # like Weka, accept values outside the stated range
    if word in ("numeric", "real", "integer"):
        return Attribute(name, "numeric")
    if word == "string" or word.split(None, 1)[:1] == ["date"]:
        return Attribute(name, "text")
    if word.startswith("relational"):
        raise DataError(
            f"{place}: attribute {name!r} is relational (multi-instance data), which mlbench "
            "cannot read; flatten it first"
        )
    raise DataError(
        f"{place}: attribute {name!r} has the type {_shorten(kind)}; it must be {_TYPES}"
    )


@lru_cache(maxsize=256)
def _read_values(text: str) -> tuple[str, ...]:
    """Read the values of a nominal attribute; `text` starts after the opening brace."""
    values: dict[str, None] = {}
    position = 0
    while match := _VALUE.match(text, position):
        single, double, bare, delimiter = match.groups()
        value = bare if bare is not None else _unescape(single if single is not None else double)
        if value in values:
            raise ValueError(f"{value!r} is listed twice")
        values[value] = None
        position = match.end()
        if delimiter == "}":
            rest = text[position:].strip()
            if rest and not rest.startswith("%"):
                raise ValueError(f"{_shorten(rest)} follows the closing brace")
            return tuple(values)
    raise ValueError(
        f"cannot read {_shorten(text[position:])}; write {{value, value, ...}}, close the brace, "
        "and put values with spaces in quotes"
    )


def _unescape(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) == 5:
            return chr(int(code[1:], 16))
        return _CONTROL.get(code, code)

    return _ESCAPE.sub(character, text) if "\\" in text else text


def _shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
