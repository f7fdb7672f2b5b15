"""What a cell's result depends on, as a plain value; its hash is the cell's key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mlbench.errors import MethodError
from mlbench.registry import code_fingerprint
from mlbench.registry.loading import file_class_name

PROTOCOL_REVISION = 2
"""Raised when the code of cells, splits, tuning or metrics changes what comes out."""


def method_identity(model: Any) -> dict[str, Any]:
    """Describe an estimator by its class, all its parameters, and the code behind it."""
    identity: dict[str, Any] = plain(model)
    return identity


def plain(value: Any) -> Any:
    """Return a parameter as a value that JSON can hold.

    Estimators, also those inside others, become their class, parameters and code.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else {"float": str(value)}
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, np.ndarray):
        return [plain(item) for item in value.tolist()]
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    kind = value if isinstance(value, type) else type(value)
    described: dict[str, Any] = {"class": _class_name(kind)}
    if hasattr(value, "get_params") and not isinstance(value, type):
        parameters = _parameters(value, described["class"])
        described["params"] = {name: plain(item) for name, item in parameters.items()}
        described["code"] = code_fingerprint(kind)
    elif callable(value) and hasattr(value, "__qualname__"):
        described = {"function": f"{value.__module__}.{value.__qualname__}"}
    return described


def _parameters(model: Any, name: str) -> Mapping[str, Any]:
    """Return the parameters of an estimator.

    Raises
    ------
    MethodError
        The class does not follow scikit-learn's convention, so they cannot be told.
    """
    try:
        parameters: Mapping[str, Any] = model.get_params(deep=False)
    except Exception as error:  # get_params may be a user's own
        raise MethodError(
            f"{name}: its parameters cannot be told ({type(error).__name__}: {error}); by "
            "scikit-learn's convention __init__ names each parameter (no *args) and stores it "
            "unchanged in an attribute of the same name"
        ) from error
    return parameters


def _class_name(kind: type) -> str:
    """Return a class's name, which for a class from a file is blind to where the file stands."""
    return file_class_name(kind) or f"{kind.__module__}.{kind.__qualname__}"


def differences(old: Any, new: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield ``(path, old, new)`` for every part in which two identities differ."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in [*old, *(key for key in new if key not in old)]:
            inside = f"{where}.{key}" if where else str(key)
            yield from differences(old.get(key), new.get(key), inside)
    elif old != new:
        yield where, old, new
