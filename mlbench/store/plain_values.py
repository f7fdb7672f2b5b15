"""Plain values, which JSON can hold: what is kept of parameters, reports and identities."""

from __future__ import annotations

import contextlib
import gc
import json
import marshal
import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import AfterValidator, ValidationInfo

from mlbench.hashing import canonical_json

DEEPEST = 100
LISTED_ITEMS = 6
_LONGEST, _HASH_DIGITS = 60, 12
_MAX_INTEGER = 10**308
_WHOLE_NUMBER = re.compile(r"-?[0-9]+")
_MARSHAL = 0  # the form in which equal values have equal bytes: it tells of nothing but values

Value = TypeVar("Value")


def check_plain(value: object, depth: int = 0) -> None:
    """Refuse what JSON cannot hold, or what no reader can work with.

    Raises
    ------
    ValueError
        If a number is not finite or too large for a float, a text is not Unicode, a key is not
        a text, a type is not JSON's, or lists and mappings are nested too deep.
    """
    if depth > DEEPEST:
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number")
    elif isinstance(value, int):
        if abs(value) > _MAX_INTEGER:
            raise ValueError("a whole number too large for a float")
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise ValueError(f"a key is a text, not {key!r}")
            key.encode()
            check_plain(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            check_plain(item, depth + 1)
    elif value is not None:
        raise ValueError(f"not a plain value: {type(value).__name__}")


def exported_text(value: object) -> str:
    """Return a plain value as a field of an exported CSV file; None is an empty one.

    Mappings have their keys in order, as in a row, so that equal values give the same text.
    """
    if isinstance(value, dict | list):
        value = in_python(json.loads(canonical_json(value)))
    if isinstance(value, str):
        return value if from_exported_text(value) == value else json.dumps(value)
    return "" if value is None else repr(value)


def from_exported_text(text: str) -> Plain:
    """Return the value of a field of an exported CSV file: the inverse of `exported_text`.

    A text that would read as something else stands in quotes.
    """
    if text in ("", "True", "False"):
        return {"": None, "True": True, "False": False}[text]
    with contextlib.suppress(ValueError):
        return int(text) if _WHOLE_NUMBER.fullmatch(text) else float(text)
    if text[0] in '[{"':
        with contextlib.suppress(ValueError):
            found: Plain = json.loads(text)
            return found
    return text


def in_python(value: Any) -> Any:
    """Return a value with tuples and typed keys, which plain values state as ``{use: ...}``."""
    if isinstance(value, list):
        return [in_python(item) for item in value]
    if not isinstance(value, dict):
        return value
    inside = {key: in_python(item) for key, item in value.items()}
    with contextlib.suppress(TypeError, ValueError):  # a mapping that only looks like one
        if inside.keys() == {"use", "items"} and inside["use"] in ("dict", "tuple"):
            return dict(inside["items"]) if inside["use"] == "dict" else tuple(inside["items"])
    return inside


class InternTable:
    """Keeps equal plain values of the rows that are read together in memory once."""

    def __init__(self) -> None:
        self._values: dict[bytes, object] = {}

    def intern(self, value: Value) -> Value:
        """Check a plain value, and return the first one that was equal to it."""
        text = marshal.dumps(value, _MARSHAL)  # type: ignore[arg-type]
        if text not in self._values:
            self._values[text] = _checked(value)
        return self._values[text]  # type: ignore[return-value]


@contextlib.contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the search for reference cycles, which plain values do not have.

    The collector would go through all values again after every few that are read.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def interned(value: Value, table: InternTable | None) -> Value:
    """Check a plain value, and intern it where there is a table."""
    return _checked(value) if table is None else table.intern(value)


def differing_values(old: Any, new: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield ``(path, old, new)`` for every part in which two plain values differ.

    1 and 1.0 do: they may mean a number and a share, and have other hashes. Parameters of classes
    with other names are not compared.
    """
    if old == new and canonical_json(old) == canonical_json(new):
        return
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        others = {"params"} if old.get("name") != new.get("name") else set()
        for key in [*old, *(key for key in new if key not in old)]:
            if key in others:
                continue
            inside = f"{where}.{key}" if where else str(key)
            yield from differing_values(old.get(key), new.get(key), inside)
    else:
        yield where, old, new


def value_text(value: Any) -> str:
    """Return an item as an experiment writes it."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {value_text(each)}' for name, each in value.items())}}}"
    if isinstance(value, list):
        more = ", ..." if len(value) > LISTED_ITEMS else ""
        return f"[{', '.join(map(value_text, value[:LISTED_ITEMS]))}{more}]"
    return shortened(json.dumps(value) if isinstance(value, bool) or value is None else value)


def part_text(path: str, value: Any) -> str:
    """Return a part of an identity as text; a parameter that it leaves out has its default."""
    is_default = value is None and (path == "threads" or ".params." in path)
    return "default" if is_default else value_text(value)


def shortened(value: Any) -> str:
    """Return the text of a value; a hash has its first digits, and a long text its start."""
    text = str(value)
    if len(text) == 64 and set(text) <= set("0123456789abcdef"):
        return text[:_HASH_DIGITS]
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _checked(value: Value) -> Value:
    check_plain(value)
    return value


def _interned(value: Value, info: ValidationInfo) -> Value:
    return interned(value, info.context)


if TYPE_CHECKING:
    Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
else:
    Plain = Annotated[Any, AfterValidator(_checked)]

INTERNED = AfterValidator(_interned)
"""Marks a field whose values are interned: they are equal in many rows."""
