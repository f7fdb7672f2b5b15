"""Python values without a notation in YAML, as mappings such as ``{use: tuple, items: [1, 2]}``."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from scipy.stats.distributions import rv_frozen

from mlbench.errors import MethodError

ESTIMATOR = "estimator"
"""``{use: estimator, of: NAME, params: {...}}``, where a parameter itself is called ``use``."""


_LONGEST_TEXT = 10_000
_LARGEST_ARRAY = 10**7


def _collection(kind: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    def make(items: object) -> Any:
        if not isinstance(items, list):
            raise TypeError(f"its items are a list, not {items!r}")
        return kind(items)

    return make


def _array(items: list[Any], dtype: str, shape: list[int]) -> Any:
    found = _dtype(dtype, "biufUO")
    size = max(math.prod(max(length, 1) for length in shape), len(items) * found.itemsize)
    if size > _LARGEST_ARRAY:
        raise ValueError(f"an array has at most {_LARGEST_ARRAY} bytes")
    return np.array(items, dtype=found).reshape(shape)


def _dtype(name: str, kinds: str) -> np.dtype[Any]:
    found = np.dtype(name)
    if found.kind not in kinds or not _is_carried(found):
        raise ValueError(f"the type {name!r} is not supported here")
    return found


def _scalar_type(name: str) -> type:
    found = getattr(builtins, name, None) or getattr(np, name.removeprefix("numpy."), None)
    if found not in (bool, int, float, str, object) and not _is_scalar_type(found):
        raise ValueError(f"{name!r} is no type of numbers or texts")
    return found  # type: ignore[return-value]


def _distribution(name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    kind = getattr(stats, name, None)
    if not isinstance(kind, stats.rv_continuous | stats.rv_discrete):
        raise ValueError(f"scipy.stats has no distribution {name!r}")
    return kind(*args, **keywords)


def _is_scalar_type(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, np.generic)


_MAKERS: dict[str, Callable[..., Any]] = {
    **{kind.__name__: _collection(kind) for kind in (tuple, list, set, frozenset, dict)},
    "slice": lambda start=None, stop=None, step=None: slice(start, stop, step),
    "range": lambda start, stop, step=1: range(start, stop, step),
    "array": _array,
    "number": lambda value, dtype: _dtype(dtype, "biuf").type(value),
    "dtype": lambda name: np.dtype(name),
    "type": _scalar_type,
    "path": lambda name: Path(name),
    "partial": lambda func, args, keywords: partial(func, *args, **keywords),
    "distribution": _distribution,
}
FORMS = frozenset(_MAKERS)
"""The names under ``use`` that stand for values of Python and numpy."""


def make_value(form: str, fields: Mapping[str, Any]) -> Any:
    """Return the value that a mapping stands for.

    Parameters
    ----------
    form : str
        One of `FORMS`: what the mapping has under ``use``.
    fields : mapping
        The other entries of the mapping, as values.

    Raises
    ------
    MethodError
        The entries do not suit the form.
    """
    try:
        return _MAKERS[form](**fields)
    except (TypeError, ValueError, OverflowError) as error:
        reason = str(error).replace("<lambda>()", form)
        raise MethodError(f"{{use: {form}, ...}}: {reason}") from None


PartForm = Callable[[Any, str], Any]
"""Returns a part of a value, which stands at a place, as a plain value."""


def form_of(value: object, part: PartForm) -> dict[str, Any] | None:
    """Return the mapping that stands for a value, or None if there is no form for it."""
    kind = type(value)
    if isinstance(value, tuple | set | frozenset):
        name = next(each.__name__ for each in (tuple, set, frozenset) if isinstance(value, each))
        items = value if isinstance(value, tuple) else sorted(value, key=repr)
        return {"use": name, "items": [part(item, str(i)) for i, item in enumerate(items)]}
    if isinstance(value, slice | range):
        ends = {name: getattr(value, name) for name in ("start", "stop", "step")}
        return {"use": kind.__name__, **{name: part(end, name) for name, end in ends.items()}}
    if isinstance(value, np.generic | np.ndarray) and _is_carried(value.dtype):
        if isinstance(value, np.generic):
            return {"use": "number", "value": value.item(), "dtype": value.dtype.str}
        if kind is np.ndarray:
            return _form_of_array(value, part)
    if isinstance(value, np.dtype) and value.names is None:
        return {"use": "dtype", "name": value.str}
    if any(value is each for each in (bool, int, float, str, object)):
        return {"use": "type", "name": value.__name__}  # type: ignore[attr-defined]
    if _is_scalar_type(value):
        return {"use": "type", "name": f"numpy.{value.__name__}"}  # type: ignore[attr-defined]
    if isinstance(value, Path):
        return {"use": "path", "name": str(value)}
    if isinstance(value, partial):
        given = {"func": value.func, "args": [*value.args], "keywords": value.keywords}
        return {"use": "partial", **{name: part(each, name) for name, each in given.items()}}
    if isinstance(value, rv_frozen) and hasattr(stats, value.dist.name):
        known = {"args": [*value.args], "keywords": value.kwds}
        form = {name: part(each, name) for name, each in known.items()}
        return {"use": "distribution", "name": value.dist.name, **form}
    return None


def _is_carried(dtype: np.dtype[Any]) -> bool:
    longest = 4 * _LONGEST_TEXT if dtype.kind == "U" else 8
    return dtype.kind in "biufUO" and dtype.itemsize <= longest


def form_of_mapping(value: Mapping[Any, Any], part: PartForm) -> dict[str, Any]:
    """Return the mapping that stands for one with keys of any type."""
    pairs = [[part(key, str(key)), part(item, str(key))] for key, item in value.items()]
    return {"use": "dict", "items": pairs}


def _form_of_array(value: Any, part: PartForm) -> dict[str, Any]:
    items = value.ravel().tolist()
    if value.dtype.kind == "O":
        items = [part(item, str(i)) for i, item in enumerate(items)]
    return {"use": "array", "items": items, "dtype": value.dtype.str, "shape": [*value.shape]}


def item_defaults(default: object, count: int) -> list[object]:
    """Return the defaults of the items of a list, where the default of the list is a tuple.

    The last item of the tuple stands for all that follow.
    """
    known = [*default] if isinstance(default, tuple) else []
    return [known[min(place, len(known) - 1)] if known else None for place in range(count)]


def without_types(value: Any) -> Any:
    """Return a plain value with lists in place of tuples and arrays, and plain numbers.

    Keys of results do not tell these types apart.
    """
    if isinstance(value, list):
        return [without_types(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    form = value.get("use")
    if form in ("tuple", "list"):
        return without_types(value["items"])
    if form == "number":
        return value["value"]
    if form == "array":
        nested = np.empty(value["shape"], dtype=object)
        for place, item in enumerate(value["items"]):
            nested.flat[place] = without_types(item)
        return nested.tolist()
    return {key: without_types(item) for key, item in value.items()}
