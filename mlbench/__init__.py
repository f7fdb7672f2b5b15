"""A benchmarking harness for multi-label and multi-task learning.

The names below are imported when they are first used, so that importing the package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlbench.data import Dataset as Dataset
    from mlbench.data import from_dataframe as from_dataframe
    from mlbench.data import load_dataset as load_dataset
    from mlbench.metrics.user_metrics import metric as metric
    from mlbench.registry import make_method as make_method

__version__ = "0.1.0"
__all__ = ["Dataset", "__version__", "from_dataframe", "load_dataset", "make_method", "metric"]

_HOME = {
    "Dataset": "mlbench.data",
    "from_dataframe": "mlbench.data",
    "load_dataset": "mlbench.data",
    "make_method": "mlbench.registry",
    "metric": "mlbench.metrics.user_metrics",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
