"""Texts without characters that would change how others are shown."""

from __future__ import annotations

import unicodedata
from typing import Any

from markupsafe import Markup

_CONTROLS = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_BREAKS = str.maketrans("", "", "\n\t")


def visible(value: Any) -> Any:
    """Return a text with its controls spelt out; whatever is no text as it is.

    Controls are those of Unicode other than line breaks and tabs, marks of direction, and halves
    of characters, which no file can hold.
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


def all_visible(value: Any) -> Any:
    """Return nested mappings and lists with all their texts and keys made visible."""
    if isinstance(value, dict):
        return {visible(key): all_visible(each) for key, each in value.items()}
    if isinstance(value, list):
        return [all_visible(each) for each in value]
    return visible(value)
