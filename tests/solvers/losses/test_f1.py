"""The worst labeling for F1 against all labelings, and against another algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from mlbench.solvers.losses.f1 import f1_cuts
from tests.solvers.losses.cases import (
    assert_supports,
    f1_loss,
    largest_over_labelings,
    problems,
    random_problems,
    tasks,
)


def check_against_all_labelings(problem):
    values, c, delta = f1_cuts(*problem)
    for i, (task, s, y) in enumerate(tasks(problem)):
        assert values[i] == pytest.approx(largest_over_labelings(s, y, f1_loss), abs=1e-13)
        assert set(np.abs(y - c[task])) == {1.0}
        assert delta[i] == pytest.approx(f1_loss(y, y - c[task]), abs=1e-15)
        assert values[i] == pytest.approx(delta[i] - s @ c[task], abs=1e-13)


@pytest.mark.slow
@settings(max_examples=500)
@given(problems())
def test_no_labeling_is_worse(problem):
    check_against_all_labelings(problem)


@pytest.mark.slow
def test_no_labeling_is_worse_in_thousands_of_cases():
    for problem in random_problems(3000, seed=1, largest=8):
        check_against_all_labelings(problem)


def value_by_bisection(s, y):
    """The maximum over (a, d): for every a at once, bisect for the last d worth its flip."""
    positive = -np.sort(-s[y > 0])
    negative = -np.sort(-s[y < 0])
    P, N = len(positive), len(negative)
    a = np.arange(P + 1)
    low, high = np.zeros(P + 1, int), np.full(P + 1, N)
    while (low < high).any():
        d = (low + high) // 2
        score = np.append(negative, -np.inf)[d]
        worth = (low < high) & (score + a / ((P + a + d) * (P + a + d + 1)) > 0)
        low, high = np.where(worth, d + 1, low), np.where(worth, high, np.minimum(d, high))
    lost = 2 * (positive.sum() - np.concatenate([[0], np.cumsum(positive)]))
    won = 2 * np.concatenate([[0], np.cumsum(negative)])
    return (1 - 2 * a / (P + a + low) - lost + won[low]).max()


@pytest.mark.parametrize("size", [20, 300])
@pytest.mark.parametrize("share", [0.03, 0.3, 0.9])
@pytest.mark.parametrize("scale", [0.0, 1e-4, 1e-2, 1.0])
def test_bisection_finds_the_same_values(size, share, scale):
    rng = np.random.default_rng(3)
    offsets = np.arange(11) * size
    y = np.where(rng.random(10 * size) < share, 1.0, -1.0)
    y[offsets[:-1]] = 1.0
    problem = np.round(scale * rng.normal(size=10 * size), 3), y, offsets
    expected = [value_by_bisection(s, labels) for _, s, labels in tasks(problem)]
    assert f1_cuts(*problem)[0] == pytest.approx(expected, rel=1e-12)


def test_the_direction_is_a_subgradient():
    rng = np.random.default_rng(4)
    s, y = 0.1 * rng.normal(size=40), np.where(rng.random(40) < 0.3, 1.0, -1.0)
    offsets = np.array([0, 40])
    _, c, _ = f1_cuts(s, y, offsets)
    assert_supports(lambda u: f1_cuts(u, y, offsets)[0][0], -c, s)


def test_perfect_scores_with_a_margin_have_no_loss():
    y = np.array([1.0, -1.0, -1.0, 1.0])
    values, c, delta = f1_cuts(y, y, np.array([0, 4]))
    assert values.tolist() == [0.0]
    assert delta.tolist() == [0.0]
    assert c.tolist() == [0.0] * 4


def test_without_positives_the_first_prediction_costs_one():
    y = np.full(3, -1.0)
    one = np.array([0, 3])
    assert f1_cuts(np.array([-0.6, -0.7, -0.8]), y, one)[0] == pytest.approx(0.0)
    assert f1_cuts(np.array([-0.3, -0.2, -0.8]), y, one)[0] == pytest.approx(1 - 2 * 0.2)
    assert f1_cuts(np.array([0.3, 0.2, -0.1]), y, one)[0] == pytest.approx(1 + 2 * 0.5)


def test_all_positive_has_nothing_to_flip():
    s = np.array([-1.0, 2.0, 0.0])
    values, c, delta = f1_cuts(s, np.ones(3), np.array([0, 3]))
    assert c.tolist() == [2.0, 0.0, 2.0]
    assert delta == pytest.approx(1 - 2 / 4)
    assert values == pytest.approx(1 - 2 / 4 + 2)


def test_of_equal_scores_the_first_is_flipped():
    """One flip at no cost turns F1 from 1 to 2/3; a second, at the same cost, adds too little."""
    s, y = np.array([5.0, -0.1, -0.1, -0.1]), np.array([1.0, -1.0, -1.0, -1.0])
    _, c, _ = f1_cuts(s, y, np.array([0, 4]))
    assert c.tolist() == [0.0, -2.0, 0.0, 0.0]


@pytest.mark.parametrize("score", np.linspace(0.0, 0.3, 31))
def test_positives_of_equal_score_are_kept_or_given_up_together(score):
    s, y = np.array([score] * 4 + [-0.05] * 2), np.array([1.0] * 4 + [-1.0] * 2)
    values, c, _ = f1_cuts(s, y, np.array([0, 6]))
    assert len(set(c[:4])) == 1
    assert values == pytest.approx([largest_over_labelings(s, y, f1_loss)])


def test_a_task_without_examples_has_no_loss():
    values, c, delta = f1_cuts(np.empty(0), np.empty(0), np.array([0, 0]))
    assert values.tolist() == delta.tolist() == [0.0]
    assert c.tolist() == []
