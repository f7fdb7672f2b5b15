"""The arguments of objects without ``get_params``, such as splitters and scorers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np


def arguments_of(value: Any) -> dict[str, Any] | None:
    """Return the arguments that make an object of the same class with the same attributes.

    Each is read from the attribute that has its name, as classes of scikit-learn keep theirs.

    Returns
    -------
    dict or None
        None if the arguments cannot be read, or make another object.
    """
    kind = type(value)
    if kind.__init__ is object.__init__:
        is_plain = not any("__new__" in vars(each) for each in kind.__mro__ if each is not object)
        return {} if is_plain and getattr(value, "__dict__", None) == {} else None
    try:
        parameters = list(inspect.signature(kind).parameters.values())
        arguments = {each.name: _read(value, each.name) for each in parameters}
        if any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in parameters):
            return None
        again = kind(**arguments)
        return arguments if _equal(vars(again), vars(value)) else None
    except Exception:  # the constructor may be a user's own
        return None


def _read(value: Any, name: str) -> Any:
    """Return an argument; some classes keep it with an underscore, or among ``cvargs``."""
    state = vars(value)
    for place in (state, state.get("cvargs", {})):
        if name in place:
            return place[name]
    return state[f"_{name}"]


def _equal(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    return one is other or bool(one == other)
