"""How a name in an experiment becomes an estimator."""

from mlbench.registry.catalogue import METHODS
from mlbench.registry.code_hash import code_fingerprint
from mlbench.registry.factory import (
    make_method,
    method_names,
    method_parameters,
    resolve,
    set_seed,
)

__all__ = [
    "METHODS",
    "code_fingerprint",
    "make_method",
    "method_names",
    "method_parameters",
    "resolve",
    "set_seed",
]
