"""Metrics of the top labels: written out for one order, averaged over all orders of ties."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from mlbench.errors import MethodError
from mlbench.metrics import TrainingLabels, get_metric, score

TRAINING = TrainingLabels(positives=np.array([50, 0, 3, 11, 1, 200]), samples=300)


@pytest.fixture
def tied_ranks():
    """12 x 6 with ties, and samples without and with only positives."""
    rng = np.random.default_rng(5)
    Y = (rng.random((12, 6)) < 0.4).astype(int)
    Y[0], Y[1] = 0, 1
    return Y, rng.integers(0, 4, Y.shape).astype(float)


def rankings(scores):
    """Return all orders, the best first, in which ties can be broken."""
    return [
        list(order)
        for order in itertools.permutations(range(scores.size))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]


@pytest.mark.parametrize("k", [1, 3, 5, 9])
def test_precision(tied_ranks, k):
    Y, scores = tied_ranks
    expected = [
        np.mean([y[order[:k]].sum() / k for order in rankings(s)])
        for y, s in zip(Y, scores, strict=True)
    ]
    assert score(f"precision_at_{k}", Y, scores, None) == pytest.approx(np.mean(expected))


@pytest.mark.parametrize("k", [1, 3, 5, 9])
def test_ndcg_is_that_of_sklearn(tied_ranks, k):
    Y, scores = tied_ranks
    expected = ndcg_score(Y, scores, k=k)
    assert score(f"ndcg_at_{k}@sklearn", Y, scores, None) == pytest.approx(expected, rel=1e-13)
    with_positives = Y.any(axis=1)
    expected = ndcg_score(Y[with_positives], scores[with_positives], k=k)
    assert score(f"ndcg_at_{k}", Y, scores, None) == pytest.approx(expected, rel=1e-13)
    assert np.isnan(score(f"ndcg_at_{k}@paper", Y, scores, None))


def weights_as_printed():
    """1 / p_l of Jain et al. (2016), with A = 0.55 and B = 1.5."""
    C = (np.log(300) - 1) * 2.5**0.55
    return [1 + C * np.exp(-0.55 * np.log(n + 1.5)) for n in TRAINING.positives]


@pytest.mark.parametrize("k", [1, 3, 5, 9])
@pytest.mark.parametrize(
    ("name", "gain"), [("psp", lambda rank: 1.0), ("psndcg", lambda rank: 1 / np.log2(rank + 1))]
)
def test_propensity_scored(tied_ranks, k, name, gain):
    Y, scores = tied_ranks
    weights = weights_as_printed()

    def gained(y, order):
        return sum(y[j] * weights[j] * gain(rank) for rank, j in enumerate(order[:k], start=1))

    reached = [
        np.mean([gained(y, order) for order in rankings(s)]) for y, s in zip(Y, scores, strict=True)
    ]
    largest = [max(gained(y, order) for order in itertools.permutations(range(6))) for y in Y]
    value = score(f"{name}_at_{k}", Y, scores, None, training=TRAINING)
    assert value == pytest.approx(sum(reached) / sum(largest), rel=1e-12)


def test_rare_labels_weigh_more():
    Y = np.array([[1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0]])
    first_right = np.array([[1.0, 0, 0, 0, 0, 0], [1.0, 0, 0, 0, 0, 0]])
    both = [score("psp_at_1", Y, scores, None, training=TRAINING) for scores in (first_right, Y)]
    assert both[0] < 0.5
    assert both[1] == 1


def test_training_labels_of_tasks():
    Y, tasks = np.array([[1], [0], [1], [1]]), np.array([0, 0, 2, 2])
    assert TrainingLabels.of(Y, tasks).positives.tolist() == [1, 0, 2]
    assert TrainingLabels.of(np.array([[1, 0], [1, 1]])).positives.tolist() == [2, 1]


def test_undefined():
    Y = np.zeros((3, 6), dtype=int)
    scores = np.arange(18.0).reshape(3, 6)
    assert np.isnan(score("psp_at_3", Y, scores, None, training=TRAINING))
    two_samples = TrainingLabels(np.ones(6, dtype=int), 2)
    assert np.isnan(score("psp_at_3", 1 - Y, scores, None, training=two_samples))
    assert score("precision_at_3", Y, scores, None) == 0
    with pytest.raises(MethodError, match="labels of the training part"):
        score("psp_at_3", Y, scores, None)


def test_any_number_of_labels_has_a_name():
    metric = get_metric("ndcg_at_7@sklearn")
    assert (metric.name, metric.title) == ("ndcg_at_7@sklearn", "nDCG at 7 (scikit-learn)")
    for name in ("ndcg_at_0", "ndcg_at_07", "ndcg_at_", "recall_at_7"):
        with pytest.raises(Exception, match="there is no metric"):
            get_metric(name)


@pytest.mark.parametrize("k", [1, 2, 9])
def test_labels_covered(tied_ranks, k):
    Y, scores = tied_ranks
    missed = np.ones(Y.shape[1])
    for y, s in zip(Y, scores, strict=True):
        orders = rankings(s)
        for label in np.flatnonzero(y):
            missed[label] *= np.mean([label not in order[:k] for order in orders])
    assert score(f"label_coverage_at_{k}", Y, scores, None) == pytest.approx((1 - missed).mean())
    rare = 1 - missed[[2, 4]]  # with 1 to 10 positives in training
    value = score(f"rare_label_coverage_at_{k}", Y, scores, None, training=TRAINING)
    assert value == pytest.approx(rare.mean())


def test_no_rare_label_no_coverage_of_rare_labels(tied_ranks):
    frequent = TrainingLabels(np.full(6, 11), 300)
    assert np.isnan(score("rare_label_coverage_at_5", *tied_ranks, None, training=frequent))
    with pytest.raises(MethodError, match="training part"):
        score("rare_label_coverage_at_5", *tied_ranks, None)
