"""Python objects as the plain values that an experiment file could hold."""

from __future__ import annotations

import inspect
import os
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mlbench.errors import MethodError
from mlbench.methods.parameters import is_estimator
from mlbench.registry.import_policy import is_trusted
from mlbench.registry.loading import is_file_target
from mlbench.registry.names import is_built_in, name_of


def as_plain(value: object) -> object:
    """Return a value in which estimators are ``{use: NAME, ...}`` and arrays are lists.

    Paths of files are made absolute, so that the folder of the experiment does not matter.

    Raises
    ------
    MethodError
        If worker processes could not import the class of an estimator.
    """
    if is_estimator(value):
        return _as_entry(value)
    if isinstance(value, Mapping):
        return {str(key): as_plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple | range):
        return [as_plain(item) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, str) and is_file_target(value):
        path, _, name = value.rpartition(":")
        return f"{Path(path).expanduser().absolute()}:{name}"
    return value


def is_foreign(value: object) -> bool:
    """Tell whether a value contains an estimator of neither mlbench nor scikit-learn."""
    if is_estimator(value):
        inside = value.get_params(deep=False).values()
        return not is_trusted(type(value).__module__) or any(map(is_foreign, inside))
    if isinstance(value, Mapping):
        return any(map(is_foreign, value.values()))
    return isinstance(value, list | tuple) and any(map(is_foreign, value))


def _as_entry(model: object) -> dict[str, object]:
    """Return the name of an estimator's class, and the parameters that differ from its defaults."""
    kind = type(model)
    defaults = {
        name: parameter.default for name, parameter in inspect.signature(kind).parameters.items()
    }
    stated = {
        name: as_plain(value)
        for name, value in model.get_params(deep=False).items()  # type: ignore[attr-defined]
        if not _same(value, defaults.get(name, inspect.Parameter.empty))
    }
    return {"use": _target(kind), **stated}


def _same(value: object, default: object) -> bool:
    if isinstance(value, np.ndarray) or isinstance(default, np.ndarray):
        return False
    return type(value) is type(default) and bool(value == default)


def _target(kind: type) -> str:
    """Return what an experiment calls a class: its name, or its file if it is the user's own."""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if kind.__module__ == "__main__" or "<locals>" in kind.__qualname__ or file is None:
        raise MethodError(
            f"the class {kind.__qualname__} is defined in a notebook, a script or a function, from "
            "which worker processes cannot import it; put it in a file of its own, such as my.py, "
            f"and give 'my.py:{kind.__qualname__}', or import it from there"
        )
    path = Path(file).resolve()
    installed = [Path(sysconfig.get_path(place)).resolve() for place in ("purelib", "platlib")]
    if is_built_in(kind) or any(path.is_relative_to(folder) for folder in installed):
        return name_of(kind)
    if len(kind.__module__.split(".")) > 1 or path.name == "__init__.py":
        return name_of(kind)
    return f"{path}:{kind.__qualname__}"
