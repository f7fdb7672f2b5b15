"""How far the metric that chose parameters is from the one that is compared."""

from __future__ import annotations

from functools import lru_cache

from mlbench.audit.facts import ComparedMethod
from mlbench.errors import MlbenchError
from mlbench.metrics import Metric, get_metric


def title_of(metric: str) -> str:
    """Return the title of a metric; its name where it is not known."""
    found = known(metric)
    return metric if found is None else found.title


def known(metric: str) -> Metric | None:
    """Return a metric by name; None if its package is not installed."""
    try:
        return get_metric(metric)
    except MlbenchError:
        return None


@lru_cache
def distance(scoring: str, metric: str) -> int:
    """Return 0 for one metric, 1 for one family, 2 for one kind of input, else 3."""
    if scoring.partition("@")[0] == metric.partition("@")[0]:
        return 0
    a, b = known(scoring), known(metric)
    if a is None or b is None:
        return 2
    if family(a.name) == family(b.name):
        return 1
    return 2 if (a.needs == "labels") == (b.needs == "labels") else 3


def family(metric: str) -> str:
    """Return the name of a metric without its average: ``f1`` of ``macro_f1``."""
    return (
        metric.partition("@")[0]
        .removeprefix("macro_")
        .removeprefix("micro_")
        .removeprefix("example_")
    )


def is_cut_otherwise(method: ComparedMethod, metric: str) -> bool:
    """Tell whether tuning folds have the method's own threshold, and its test parts another.

    What is gained there in a metric of labels may be lost, or made up for, at the other one.
    """
    found = known(metric)
    is_of_labels = found is not None and found.needs == "labels"
    return is_of_labels and method.threshold(metric) != "default"


def with_which_threshold(method: ComparedMethod, metric: str) -> str:
    """Say that tuning folds have the method's own threshold where its test parts have another."""
    if not is_cut_otherwise(method, metric):
        return ""
    return " (cut there at the method's own threshold, and not as in the tables)"
