"""A benchmarking harness for multi-label and multi-task learning.

Start with `run`, `open_results`, `load_dataset`, `make_method` and `evaluate`. The names below are
imported when they are first used, so that importing the package is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlbench.api.experiment import Experiment as Experiment
    from mlbench.api.run import run as run
    from mlbench.api.submit import submit as submit
    from mlbench.data import Dataset as Dataset
    from mlbench.data import from_dataframe as from_dataframe
    from mlbench.data import load_dataset as load_dataset
    from mlbench.data import save_dataset as save_dataset
    from mlbench.metrics import evaluate as evaluate
    from mlbench.metrics.declared import metric as metric
    from mlbench.registry import make_method as make_method
    from mlbench.results import Results as Results
    from mlbench.results import open_results as open_results

__version__ = "0.3.0"

_HOME = {
    "Dataset": "mlbench.data",
    "Experiment": "mlbench.api.experiment",
    "Results": "mlbench.results",
    "evaluate": "mlbench.metrics",
    "from_dataframe": "mlbench.data",
    "load_dataset": "mlbench.data",
    "make_method": "mlbench.registry",
    "metric": "mlbench.metrics.declared",
    "open_results": "mlbench.results",
    "run": "mlbench.api.run",
    "save_dataset": "mlbench.data",
    "submit": "mlbench.api.submit",
}
__all__ = [
    "Dataset",
    "Experiment",
    "Results",
    "__version__",
    "evaluate",
    "from_dataframe",
    "load_dataset",
    "make_method",
    "metric",
    "open_results",
    "run",
    "save_dataset",
    "submit",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
