"""Functions that are declared as metrics, and given to `evaluate` as they are."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import MlbenchError
from mlbench.metrics import evaluate
from mlbench.metrics.declared import metric

Y = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])
SCORES = np.array([[0.9, 0.2], [0.1, 0.8], [0.7, 0.3], [0.4, 0.1]])
LABELS = (SCORES > 0.5).astype(int)


def values(*metrics):
    return evaluate(Y, SCORES, LABELS, user_metrics=metrics).values


@metric(greater_is_better=True, range=(0, 1), needs="labels")
def agreement(Y, scores, labels):
    return (labels == Y).mean()


def test_it_has_the_name_of_the_function():
    assert values(agreement)["agreement"] == 0.875


def test_the_decorator_leaves_the_function_as_it_is():
    @metric(greater_is_better=False)
    def loss(Y, scores, labels):
        return 2.0

    assert loss(Y, SCORES, LABELS) == 2.0
    assert loss.greater_is_better is False


def test_what_is_no_metric_is_refused():
    with pytest.raises(MlbenchError, match="does not declare"):
        values(lambda Y, scores, labels: 0.5)
    with pytest.raises(MlbenchError, match="'macro_f1' is no metric; expected a function"):
        values("macro_f1")


def test_two_metrics_of_one_name_are_refused():
    @metric(greater_is_better=True)
    def macro_f1(Y, scores, labels):
        return 0.5

    with pytest.raises(MlbenchError, match="two metrics are named 'macro_f1'"):
        values(macro_f1)
    assert values(agreement, agreement) == pytest.approx(values(agreement), nan_ok=True)
