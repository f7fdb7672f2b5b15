"""Searches by a metric that cannot have a value, which are refused before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator

from mlbench.methods.base import MultiLabelMethod
from mlbench.methods.base_learners import make_base
from mlbench.metrics import Metric, TrainingLabels
from mlbench.metrics.outcome import Outcome

RowKind = Literal["all labels", "known labels", "one task"]
_WHERE: dict[RowKind, str] = {
    "all labels": "for a single label",
    "known labels": "where labels of rows are unknown",
    "one task": "for tasks",
}


def why_undefined(
    metric: Metric, models: Sequence[BaseEstimator], rows: RowKind, n_labels: int
) -> str:
    """Return why a metric is undefined for each of some models, or nothing.

    Parameters
    ----------
    metric : Metric
        Not a user's.
    models : sequence of estimator
        Not fitted.
    rows : {"all labels", "known labels", "one task"}
        What rows have labels for. Where some are unknown, each label is scored as a task.
    n_labels : int
    """
    if metric.needs == "probabilities" and all(map(_has_margins, models)):
        name = type(models[0]).__name__
        return f"{name} gives margins, not probabilities, so {metric.title} cannot be its `scoring`"
    if not _has_value(metric, rows != "all labels", n_labels):
        return f"{metric.title} is undefined {_WHERE[rows]}, so it cannot be the `scoring`"
    return ""


def _has_margins(model: Any) -> bool:
    """Tell whether scores are known to be margins; of other code nothing is known."""
    if hasattr(model, "predict_proba"):
        return False
    if isinstance(model, MultiLabelMethod):
        if hasattr(model, "threshold"):
            return model.threshold == 0
        return not hasattr(make_base(model.base), "predict_proba")
    return type(model).__module__.startswith("sklearn.") and hasattr(model, "decision_function")


def _has_value(metric: Metric, has_tasks: bool, n_labels: int) -> bool:
    """Tell whether a metric has a value where every label, or task, has both classes."""
    n_columns = 1 if has_tasks else n_labels
    truth = (np.arange(6)[:, None] + np.arange(n_columns)) % 2
    tasks = np.repeat([0, 1], 3) if has_tasks else None
    training = TrainingLabels.of(truth, tasks)
    outcome = Outcome(truth, truth * 0.8 + 0.1, truth, tasks, training)
    return not np.isnan(metric(outcome))
