"""How a name in an experiment becomes an estimator."""

from mlbench.methods.catalogue import METHODS
from mlbench.registry.factory import (
    make_method,
    method_names,
    method_parameters,
    resolve,
)

__all__ = [
    "METHODS",
    "make_method",
    "method_names",
    "method_parameters",
    "resolve",
]
