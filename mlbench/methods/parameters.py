"""Checks of parameter values, told in words for the user who set them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from numbers import Integral, Real
from typing import Any

from mlbench.errors import MethodError


def require_positive(model: Any, *names: str, zero: bool = False) -> None:
    """Refuse parameters that are no finite number above 0 (``zero=True``: 0 or above)."""
    for name in names:
        value = getattr(model, name)
        number = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
        if not number or value < 0 or (value == 0 and not zero):
            least = "0 or above" if zero else "above 0"
            raise MethodError(f"{_title(model)}: {name} must be a number {least}; got {value!r}")


def require_count(model: Any, name: str) -> None:
    """Refuse a parameter that is no whole number from 1 on."""
    value = getattr(model, name)
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise MethodError(
            f"{_title(model)}: {name} must be a whole number from 1 on; got {value!r}"
        )


def require_one_of(model: Any, name: str, choices: Sequence[Any]) -> None:
    """Refuse a parameter that is none of the choices."""
    value = getattr(model, name)
    if not any(value is choice or value == choice for choice in choices):
        known = ", ".join(repr(choice) for choice in choices)
        raise MethodError(f"{_title(model)}: {name} must be one of {known}; got {value!r}")


def _title(model: Any) -> str:
    return type(model).__name__
