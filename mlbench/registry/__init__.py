"""How a name in an experiment becomes an estimator.

Importing this package is cheap; what makes methods, and scikit-learn with it, is imported when it
is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mlbench.methods.catalogue import METHODS

if TYPE_CHECKING:
    from mlbench.registry.factory import make_method as make_method
    from mlbench.registry.factory import method_names as method_names
    from mlbench.registry.factory import method_parameters as method_parameters
    from mlbench.registry.factory import resolve as resolve

__all__ = [
    "METHODS",
    "make_method",
    "method_names",
    "method_parameters",
    "resolve",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("mlbench.registry.factory"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
