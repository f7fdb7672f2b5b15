"""Metrics of probabilities: scikit-learn for each label, and bins written out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from mlbench.metrics import evaluate, score

METRICS = ("log_loss", "brier_score", "expected_calibration_error")


def log_loss(y, p):
    return sklearn_log_loss(y, p, labels=[0, 1])


def calibration_error(y, p):
    bins = np.digitize(p, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
    each = [bins == b for b in range(10)]
    return sum(abs(p[b].mean() - y[b].mean()) * b.mean() for b in each if b.any())


ORACLES = dict(zip(METRICS, (log_loss, brier_score_loss, calibration_error), strict=True))


@pytest.fixture
def probabilities():
    """600 x 4 with sure answers, right and wrong, and a label without positives."""
    rng = np.random.default_rng(6)
    Y = (rng.random((600, 4)) < [0.5, 0.1, 0.9, 0]).astype(int)
    P = np.clip(0.6 * Y + rng.normal(0.2, 0.2, Y.shape), 0, 1)
    P[:5, 0], P[5:9, 0], P[9:20, 1] = 1, 0, 0.5
    return Y, P


@pytest.mark.parametrize("name", METRICS)
def test_mean_over_labels(probabilities, name):
    Y, P = probabilities
    expected = np.mean([ORACLES[name](Y[:, j], P[:, j]) for j in range(4)])
    assert score(name, Y, P, None) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_probabilities_may_be_given_beside_the_scores(probabilities, name):
    Y, P = probabilities
    margins = np.random.default_rng(8).normal(size=P.shape)
    assert score(name, Y, margins, None, probabilities=P) == score(name, Y, P, None)
    both = evaluate(Y, margins, P > 0.5, probabilities=P).values
    assert both[name] == score(name, Y, P, None)
    assert both["macro_auc"] == score("macro_auc", Y, margins, None)


@pytest.mark.parametrize("name", METRICS)
def test_tasks_with_samples_of_their_own(probabilities, name):
    Y, P = probabilities
    tasks = np.random.default_rng(7).choice(3, 600, p=[0.1, 0.3, 0.6])
    expected = np.mean([ORACLES[name](Y[tasks == t, 0], P[tasks == t, 0]) for t in range(3)])
    assert score(name, Y[:, :1], P[:, :1], None, tasks) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("outside", [-0.01, 1.01, np.inf])
def test_undefined_where_a_score_is_no_probability(probabilities, outside):
    Y, P = probabilities
    P[3, 1] = outside
    values = evaluate(Y, P, Y).values
    assert [name for name in METRICS if not np.isnan(values[name])] == []
