"""The identity of a method or metric: what results depend on, as a plain value."""

import inspect
from collections.abc import Callable, Container, Iterator, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from mlbench.errors import MethodError
from mlbench.hashing import canonical_json
from mlbench.methods.parameters import is_estimator
from mlbench.registry import METHODS
from mlbench.registry.code_hash import content_hash, provenance
from mlbench.registry.factory import resolve
from mlbench.registry.names import function_name, is_built_in, name_of, ufunc_name
from mlbench.registry.object_arguments import arguments_of
from mlbench.registry.value_forms import form_of
from mlbench.store.plain_values import differing_values

_ROUNDING = "split.shares"
PROTOCOL_REVISION = 3
"""Raised when a change to the code of cells, splits, tuning or metrics changes results."""


def method_identity(model: Any, stated: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Describe an estimator by its name, the origin of its code, and its parameters.

    The identity of a built-in method consists of its short name, its `revision`, and the
    parameters that are not at their defaults. Rewriting its code does not change it; the revision
    is raised when results change. The identity of a class of an installed package consists of its
    dotted name, its distribution and all parameters. The identity of a user's class consists of
    its name, the hash of its code and all parameters.

    Parameters
    ----------
    model : estimator
        Unfitted.
    stated : mapping, optional
        The parameters that the experiment states, as for ``set_params``. Those that
        ``get_params`` does not report become part of the identity, too.
    """
    identity: dict[str, Any] = plain(model)
    known = _parameters(model, deep=True)
    unreported = {name: plain(value) for name, value in (stated or {}).items() if name not in known}
    return {**identity, "stated": unreported} if unreported else identity


def code_behind(model: Any) -> dict[str, str]:
    """Return the provenance of every class in an estimator, by its name."""
    parts = [part for part in _parameters(model, deep=True).values() if is_estimator(part)]
    return {name_of(type(part)): provenance(type(part)) for part in [model, *parts]}


def metric_identity(name: str, function: FunctionType) -> dict[str, Any]:
    """Describe a user's metric by its name and the origin of its code."""
    code = content_hash(function)
    if code is not None:
        return {"name": name, "code": code}
    return {"name": name, "distribution": provenance(function).rpartition(" ")[0]}


def plain(value: object, is_default: bool = False) -> Any:
    """Return a parameter as a value that JSON can hold.

    Estimators, including those inside others, are described as by `method_identity`.

    Parameters
    ----------
    value
    is_default
        Whether it is a default of its class. The identity of the class then vouches for what
        the plain value does not tell.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else {"float": str(value)}
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, np.ndarray):
        return [plain(item, is_default) for item in value.tolist()]
    if isinstance(value, list | tuple):
        return [plain(item, is_default) for item in value]
    if isinstance(value, Mapping):
        return _plain_mapping(value, is_default)
    if is_estimator(value):
        return {**class_identity(type(value)), "params": _identifying_parameters(value)}
    if isinstance(value, type):
        return {"class": class_identity(value)}
    if callable(value) and hasattr(value, "__qualname__"):
        code = None if is_default else content_hash(value)  # type: ignore[arg-type]
        return {"function": function_name(value), **({} if code is None else {"code": code})}
    return {"value": name_of(type(value))} if is_default else _plain_object(value)


def _plain_mapping(value: Mapping[Any, Any], is_default: bool) -> dict[str, Any]:
    if is_default or all(isinstance(key, str) for key in value):
        return {str(key): plain(item, is_default) for key, item in value.items()}
    pairs = [[plain(key), plain(item)] for key, item in value.items()]
    return {"mapping": sorted(pairs, key=canonical_json)}


def _plain_object(value: object) -> dict[str, Any]:
    form = form_of(value, lambda part, _: plain(part))
    if form is not None:
        return form
    if isinstance(value, np.ufunc):
        return {"function": ufunc_name(value)}
    arguments = arguments_of(value)
    if arguments is None:
        return {"value": name_of(type(value))}
    return {"object": {**class_identity(type(value)), "params": plain(arguments)}}


def class_identity(kind: type) -> dict[str, Any]:
    """Describe a class by its name and what vouches for its code."""
    identity: dict[str, Any] = {"name": name_of(kind)}
    revision = getattr(kind, "revision", 1)
    if is_built_in(kind) or revision != 1:
        identity["revision"] = revision
    code = content_hash(kind)
    if code is not None:
        identity["code"] = code
    elif not is_built_in(kind):
        identity["distribution"] = provenance(kind).rpartition(" ")[0]
    return identity


def differing_parts(
    then: Mapping[str, Any], now: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield ``(path, then, now)`` for every part in which two identities of cells differ.

    A parameter that only one of them has is at its default in the other, and has this value. How
    shares are rounded follows from the shares, and is left out where they have changed.
    """
    old, new = _metrics(then), _metrics(now)
    if both := [name for name in old if name in new]:
        then, now = _without(then, both), _without(now, both)
    found = [*differing_values(then, now)]
    for name in both:
        found += differing_values(old[name], new[name], f"metrics.{name}")
    of_splits = [path for path, _, _ in found if path.startswith("split.")]
    for path, old, new in found:
        if path == _ROUNDING and len(of_splits) > 1:
            continue
        yield (
            path,
            _default_at(path, then) if old is None else old,
            _default_at(path, now) if new is None else new,
        )


def _metrics(identity: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the metrics of an identity by name; none of one that no plan wrote."""
    stated = identity.get("metrics")
    named = (
        [each for each in stated if isinstance(each, Mapping)] if isinstance(stated, list) else []
    )
    return {each["name"]: each for each in named if isinstance(each.get("name"), str)}


def _without(identity: Mapping[str, Any], metrics: Container[str]) -> dict[str, Any]:
    rest = [each for name, each in _metrics(identity).items() if name not in metrics]
    return {**identity, "metrics": rest}


def _default_at(path: str, identity: Mapping[str, Any]) -> Any:
    """Return the default of a parameter that an identity leaves out, or None if it is unknown."""
    place, _, parameter = path.rpartition(".params.")
    owner: Any = identity
    for key in place.split("."):
        owner = owner.get(key) if isinstance(owner, Mapping) else None
    if not isinstance(owner, Mapping) or owner.get("name") not in METHODS:
        return None
    kind = resolve(owner["name"])
    if owner.get("revision") != getattr(kind, "revision", 1):
        return None
    return _defaults(kind).get(parameter)


def _defaults(kind: type) -> dict[str, Any]:
    """Return the defaults of a built-in method as plain values."""
    signature = inspect.signature(kind).parameters
    return {name: plain(parameter.default, True) for name, parameter in signature.items()}


def _identifying_parameters(model: Any) -> dict[str, Any]:
    """Return the parameters of an estimator, without the defaults of a built-in method."""
    signature = inspect.signature(type(model)).parameters
    stated = {name: parameter.default for name, parameter in signature.items()}
    values = {
        name: plain(value, value is stated.get(name, inspect.Parameter.empty))
        for name, value in _parameters(model).items()
    }
    if not is_built_in(type(model)):
        return values
    defaults = _defaults(type(model))
    return {
        name: value
        for name, value in values.items()
        if canonical_json(value) != canonical_json(defaults[name])  # 1 and 1.0 are two values
    }


def _parameters(model: Any, deep: bool = False) -> Mapping[str, Any]:
    """Return the parameters of an estimator."""
    read: Callable[..., Mapping[str, Any]] = model.get_params
    try:
        return read(deep=deep)
    except Exception as error:  # get_params may be a user's own
        raise MethodError(
            f"{name_of(type(model))}: cannot read its parameters ({type(error).__name__}: "
            f"{error}); by scikit-learn's convention, __init__ names each parameter (no *args) and "
            "stores it unchanged in an attribute of the same name"
        ) from error
