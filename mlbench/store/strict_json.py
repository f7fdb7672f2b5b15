"""JSON in which repeated keys, and numbers that no result can hold, are errors."""

from __future__ import annotations

import json
from typing import Any, NoReturn

MAX_DIGITS = 308
"""Of whole numbers: larger ones are no floats."""


class RepeatedKeyError(ValueError):
    """A mapping has the same key twice."""


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text.

    Raises
    ------
    RepeatedKeyError
        If a mapping has a key twice.
    ValueError
        If the text is not JSON, is nested too deep, or has NaN, an infinite number, or a whole
        number of more than 308 digits.
    """
    try:
        return json.loads(
            text, object_pairs_hook=_mapping, parse_constant=_refuse, parse_int=_integer
        )
    except RecursionError:
        raise ValueError("nested too deep") from None


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise RepeatedKeyError(f"the key {twice!r} is there twice")
    return found


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number of JSON")


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > MAX_DIGITS:
        raise ValueError(f"a whole number has at most {MAX_DIGITS} digits, not {len(text)}")
    return int(text)
