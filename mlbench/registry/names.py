"""The names of classes and functions that results record."""

import sys
import warnings
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from mlbench.methods.catalogue import BASE_LEARNERS, METHODS
from mlbench.registry.import_policy import UFUNC_MODULES
from mlbench.registry.plugins import base_learner_plugins

FILE_MODULE = "mlbench_file_"
"""Modules loaded from a file are called this, followed by a hash of the file."""


def name_of(kind: type) -> str:
    """Return the name of a class; moving its code does not change it.

    Returns
    -------
    str
        The short name of a built-in method or base learner. For a class from a file,
        ``file.py:Class`` without the folder. For all others, the shortest dotted name that leads
        to the class.
    """
    if is_built_in(kind):
        learners = {name: target for name, (target, _) in BASE_LEARNERS.items()}
        announced = {name: point.value for name, point in base_learner_plugins().items()}
        for name, target in (METHODS | learners | announced).items():
            if target == f"{kind.__module__}:{kind.__qualname__}":
                return name
    return file_name(kind) or _dotted_name(kind)


def is_built_in(kind: type | FunctionType) -> bool:
    """Tell whether a class or function is part of mlbench."""
    return kind.__module__.partition(".")[0] == "mlbench"


def function_name(function: Any) -> str:
    """Return the name of a function, a bound method or a compiled one, as `name_of` of a class."""
    return file_name(function) or f"{function.__module__}.{function.__qualname__}"


def ufunc_name(function: np.ufunc) -> str | None:
    """Return the dotted name of a universal function of numpy or scipy, or None."""
    for module in UFUNC_MODULES:
        if getattr(import_module(module), function.__name__, None) is function:
            return f"{module}.{function.__name__}"
    return None


def file_name(value: Any) -> str | None:
    """Return ``file.py:Name`` for what was loaded from a file, None for all else."""
    if not str(value.__module__).startswith(FILE_MODULE):
        return None
    return f"{Path(str(sys.modules[value.__module__].__file__)).name}:{value.__qualname__}"


def _dotted_name(kind: type) -> str:
    parts = kind.__module__.split(".")
    for depth in range(1, len(parts)):
        package = ".".join(parts[:depth])
        if _member(package, kind.__qualname__) is kind:
            return f"{package}.{kind.__qualname__}"
    return f"{kind.__module__}.{kind.__qualname__}"


def _member(package: str, name: str) -> Any:
    """Return what a package has under a name; packages that import on demand may raise anything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return getattr(sys.modules.get(package), name, None)
        except Exception:
            return None
