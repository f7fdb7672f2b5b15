"""Parameters of estimators: their seeds, and checks whose errors say what would be valid."""

from collections.abc import Sequence
from math import isfinite
from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from mlbench.errors import MethodError
from mlbench.hashing import seed_from


def is_estimator(value: object) -> TypeGuard[Any]:
    """Tell whether a value is an estimator, and no class of them."""
    return hasattr(value, "get_params") and not isinstance(value, type)


def set_seed(model: Any, seed: int) -> Any:
    """Seed every ``random_state`` of an estimator and its parts that is still None.

    Returns
    -------
    estimator
        The same object.
    """
    unset = [
        name
        for name, value in model.get_params(deep=True).items()
        if (name == "random_state" or name.endswith("__random_state")) and value is None
    ]
    return model.set_params(**{name: seed_from(seed, name) for name in unset})


def check_parameters(model: BaseEstimator) -> None:
    """Reject parameters of an estimator, and of those inside it, that are invalid for any data.

    A method has its own ``check_parameters()``, an estimator of scikit-learn the constraints that
    its class declares. Other estimators are not checked.

    Raises
    ------
    MethodError
        A parameter is invalid; the message says what would be valid.
    """
    parts = [part for part in model.get_params(deep=True).values() if is_estimator(part)]
    for part in [model, *parts]:
        if hasattr(part, "check_parameters"):
            part.check_parameters()
        elif isinstance(part, BaseEstimator) and hasattr(part, "_parameter_constraints"):
            try:
                part._validate_params()
            except (TypeError, ValueError) as error:
                raise MethodError(str(error)) from error


def require_positive(model: object, *names: str, zero: bool = False) -> None:
    """Reject parameters other than finite numbers above 0 (``zero=True``: at least 0)."""
    for name in names:
        value = getattr(model, name)
        number = isinstance(value, Real) and not isinstance(value, bool) and isfinite(value)
        if not number or value < 0 or (value == 0 and not zero):
            least = "of at least 0" if zero else "above 0"
            raise MethodError(f"{_title(model)}: {name} must be a number {least}; got {value!r}")


def require_count(model: object, name: str) -> None:
    """Reject a parameter that is not a whole number of at least 1."""
    value = getattr(model, name)
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise MethodError(
            f"{_title(model)}: {name} must be a whole number of at least 1; got {value!r}"
        )


def require_one_of(model: object, name: str, choices: Sequence[object]) -> None:
    """Reject a parameter that is not one of the choices."""
    value = getattr(model, name)
    if not any(value is choice or value == choice for choice in choices):
        known = ", ".join(repr(choice) for choice in choices)
        raise MethodError(f"{_title(model)}: {name} must be one of {known}; got {value!r}")


def require_positives(model: object, name: str) -> None:
    """Reject a parameter that is neither a number above 0 nor a sequence of such numbers."""
    value = getattr(model, name)
    numbers = _numbers(value)
    if numbers is None or numbers.ndim > 1 or not (numbers > 0).all():
        raise MethodError(
            f"{_title(model)}: {name} must be a number above 0, or a list of such; got {value!r}"
        )


def require_symmetric(model: object, name: str, otherwise: str) -> None:
    """Reject a parameter that is not a symmetric nonnegative matrix.

    Parameters
    ----------
    model
    name
    otherwise
        What else the parameter could be, for the message.
    """
    value = getattr(model, name)
    W = _numbers(value)
    if W is None or W.ndim != 2 or not np.array_equal(W, W.T) or not (W >= 0).all():
        raise MethodError(
            f"{_title(model)}: {name} must be {otherwise}, or a symmetric matrix without negative "
            f"entries; got {value!r}"
        )


def _numbers(value: object) -> NDArray[np.float64] | None:
    """Return the value as an array if it consists of finite numbers, else None."""
    try:
        found = np.asarray(value)
    except ValueError:  # lists of different lengths
        return None
    is_number = found.dtype.kind in "iuf" and bool(np.isfinite(found).all())
    return found.astype(np.float64) if is_number else None


def require_seed(model: object, name: str) -> None:
    """Reject a parameter that cannot seed numpy's random numbers."""
    value = getattr(model, name)
    try:
        check_random_state(value)
    except (TypeError, ValueError):
        raise MethodError(
            f"{_title(model)}: {name} must be a whole number from 0 to 2**32 - 1, or None; "
            f"got {value!r}"
        ) from None


def _title(model: object) -> str:
    return type(model).__name__
