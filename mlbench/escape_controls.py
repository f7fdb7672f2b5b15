"""Escape control characters, so that a text cannot change how other text is shown."""

from __future__ import annotations

import unicodedata
from typing import Any, overload

from markupsafe import Markup

_CONTROLS = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_BREAKS = str.maketrans("", "", "\n\t")


@overload
def escape_controls(value: str) -> str: ...
@overload
def escape_controls(value: object) -> object: ...
def escape_controls(value: object) -> object:
    """Return a text with its control characters as ``\\uXXXX``; other values are unchanged.

    These are Unicode's control characters except line breaks and tabs, its direction marks, and
    lone surrogates, which no file can contain.
    """
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    if value.translate(_BREAKS).isprintable():
        return value
    return "".join(
        character
        if character in "\n\t" or unicodedata.category(character) not in _CONTROLS
        else f"\\u{ord(character):04x}"
        for character in value
    )


def escape_all_controls(value: Any) -> Any:
    """Return nested mappings and lists with the control characters of all texts escaped."""
    if isinstance(value, dict):
        return {escape_controls(key): escape_all_controls(each) for key, each in value.items()}
    if isinstance(value, list):
        return [escape_all_controls(each) for each in value]
    return escape_controls(value)
