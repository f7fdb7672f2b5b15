"""The share of positives among the best scores, counted by hand and over all orders of ties."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mlbench.metrics import evaluate, score
from mlbench.metrics.segments import Segments
from mlbench.metrics.ties import TieGroups


def brute_force(y, scores, n):
    """Average over all orders in which ties can be broken."""
    orders = [
        order
        for order in itertools.permutations(range(len(y)))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    return np.mean([np.mean(np.take(y, order[:n])) for order in orders])


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 9])
def test_ties_at_the_end_count_in_part(n):
    random = np.random.RandomState(0)
    truth = random.rand(20, 7) < 0.4
    scores = random.randint(0, 3, (20, 7)).astype(float)
    expected = [brute_force(y, s, n) for y, s in zip(truth, scores, strict=True)]
    np.testing.assert_allclose(
        TieGroups(scores.ravel(), Segments(truth.ravel(), np.full(20, 7))).top(n),
        expected,
        atol=1e-12,
    )


def make_ratings():
    random = np.random.RandomState(1)
    tasks = np.repeat([0, 1, 2], [60, 80, 15])
    known = random.rand(len(tasks)) < 0.4
    y = (known & (random.rand(len(tasks)) < 0.5)).astype(int)
    return y, random.randn(len(tasks)), tasks, known


def top(y, scores, n):
    return np.mean(y[np.argsort(-scores)[:n]])


@pytest.mark.parametrize("n", [10, 20, 50])
def test_unknown_entries_count_by_convention_alone(n):
    y, scores, tasks, known = make_ratings()
    labels = (scores > 0).astype(int)[:, None]
    values = evaluate(y[:, None], scores[:, None], labels, tasks, known).values
    of_each = [(known & (tasks == task), tasks == task) for task in range(3)]
    among_known = [top(y[part], scores[part], n) for part, _ in of_each]
    among_all = [top(y[part], scores[part], n) for _, part in of_each]
    assert values[f"top_{n}"] == pytest.approx(np.mean(among_known), abs=1e-12)
    assert values[f"top_{n}@all"] == pytest.approx(np.mean(among_all), abs=1e-12)


def test_all_other_metrics_and_counts_see_known_entries_alone():
    y, scores, tasks, known = make_ratings()
    y, scores = y[:, None], scores[:, None]
    labels = (scores > 0).astype(int)
    whole = evaluate(y, scores, labels, tasks, known)
    part = evaluate(y[known], scores[known], labels[known], tasks[known])
    assert whole.counts == part.counts
    for name, value in part.values.items():
        if not name.endswith("@all"):
            np.testing.assert_equal(whole.values[name], value)


def test_labels_without_positives_are_left_out():
    Y = np.zeros((30, 2), dtype=int)
    scores = np.arange(60.0).reshape(30, 2)
    assert np.isnan(score("top_10", Y, scores, None))
    Y[25:, 0] = 1
    assert score("top_10", Y, scores, None) == 0.5
