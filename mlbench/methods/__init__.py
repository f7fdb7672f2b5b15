"""Methods: scikit-learn style estimators for many labels or many tasks, a folder for each family.

Importing this package is cheap; the module of a method is imported when the method is asked for.
"""

from importlib import import_module
from typing import Any

from mlbench.methods.catalogue import METHODS

_CLASSES = {kind: module for module, kind in (target.split(":") for target in METHODS.values())}

__all__ = [*_CLASSES]


def __getattr__(name: str) -> Any:
    if name in _CLASSES:
        return getattr(import_module(_CLASSES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
