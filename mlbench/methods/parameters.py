"""Checks of parameter values, told in words for the user who set them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from mlbench.errors import MethodError


def check_parameters(model: Any) -> None:
    """Ask an estimator, and those inside it, whether parameters are wrong whatever the data.

    A method answers by its own ``check_parameters()``, an estimator of scikit-learn by the
    constraints that its class states. Others have no way to say, and are not asked.

    Raises
    ------
    MethodError
        With what is wrong and what would be right.
    """
    parts = [part for part in model.get_params(deep=True).values() if _is_estimator(part)]
    for part in [model, *parts]:
        if hasattr(part, "check_parameters"):
            part.check_parameters()
        elif isinstance(part, BaseEstimator) and hasattr(part, "_parameter_constraints"):
            try:
                part._validate_params()
            except (TypeError, ValueError) as error:
                raise MethodError(str(error)) from error


def _is_estimator(value: Any) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


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


def require_positives(model: Any, name: str) -> None:
    """Refuse a parameter that is neither one number above 0 nor a sequence of such."""
    value = getattr(model, name)
    numbers = _numbers(value)
    if numbers is None or numbers.ndim > 1 or not (numbers > 0).all():
        raise MethodError(
            f"{_title(model)}: {name} must be a number above 0, or a list of such; got {value!r}"
        )


def require_symmetric(model: Any, name: str, otherwise: str) -> None:
    """Refuse a parameter that is no symmetric matrix of numbers from 0 on.

    Parameters
    ----------
    model
    name
    otherwise
        What else the parameter may be, in words; the caller has seen that it is not.
    """
    value = getattr(model, name)
    W = _numbers(value)
    if W is None or W.ndim != 2 or not np.array_equal(W, W.T) or not (W >= 0).all():
        raise MethodError(
            f"{_title(model)}: {name} must be {otherwise}, or a symmetric matrix without negative "
            f"entries; got {value!r}"
        )


def _numbers(value: Any) -> NDArray[np.float64] | None:
    """Return numbers as an array; None for what is not made of finite numbers alone."""
    try:
        found = np.asarray(value)
    except ValueError:  # lists of different lengths
        return None
    is_number = found.dtype.kind in "iuf" and bool(np.isfinite(found).all())
    return found.astype(np.float64) if is_number else None


def require_seed(model: Any, name: str) -> None:
    """Refuse a parameter from which numpy can seed no random numbers."""
    value = getattr(model, name)
    try:
        check_random_state(value)
    except (TypeError, ValueError):
        raise MethodError(
            f"{_title(model)}: {name} must be a whole number from 0 to 2**32 - 1, or None; "
            f"got {value!r}"
        ) from None


def _title(model: Any) -> str:
    return type(model).__name__
