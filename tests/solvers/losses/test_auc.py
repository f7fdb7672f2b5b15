"""The mean pair hinge against all pairs and all rankings, and its prox against optimality."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import lsq_linear

from mlbench.solvers.losses.auc import auc_cuts, auc_prox
from tests.solvers.losses.cases import (
    assert_supports,
    pair_loss,
    problems,
    random_problems,
    tasks,
)

WEIGHTS = st.sampled_from([0.0, 0.01, 0.3, 1.0, 7.0, 1000.0])


def check_against_all_pairs(problem):
    values, c, delta = auc_cuts(*problem)
    for i, (task, s, y) in enumerate(tasks(problem)):
        assert values[i] == pytest.approx(pair_loss(s, y), abs=1e-13)
        assert values[i] == pytest.approx(delta[i] - s @ c[task], abs=1e-13)
        active = (y[:, None] > 0) & (y < 0) & (s > s[:, None] - 0.5)
        pairs = max(1, (y > 0).sum() * (y < 0).sum())
        expected = 2 * (active.sum(axis=1) - active.sum(axis=0)) / pairs
        assert c[task] == pytest.approx(expected, abs=1e-14)
        assert delta[i] == pytest.approx(active.sum() / pairs, abs=1e-14)


@pytest.mark.slow
@settings(max_examples=300)
@given(problems())
def test_value_and_direction_are_those_of_the_pairs(problem):
    check_against_all_pairs(problem)


@pytest.mark.slow
def test_value_and_direction_in_thousands_of_cases():
    for problem in random_problems(2000, seed=1, largest=12):
        check_against_all_pairs(problem)


def largest_over_rankings(s, y):
    """max share of swapped pairs - psi . s, by trying every ranking of the examples."""
    pairs = [(k, j) for k in np.flatnonzero(y > 0) for j in np.flatnonzero(y < 0)]
    if not pairs:
        return 0.0
    best = -np.inf
    for ranking in itertools.permutations(range(len(y))):
        swapped = [(k, j) for k, j in pairs if ranking[k] < ranking[j]]
        best = max(best, sum(1 - 2 * (s[k] - s[j]) for k, j in swapped) / len(pairs))
    return best


def test_no_ranking_is_worse():
    for problem in random_problems(150, seed=2, largest=5):
        expected = [largest_over_rankings(s, y) for _, s, y in tasks(problem)]
        assert auc_cuts(*problem)[0] == pytest.approx(expected, abs=1e-13)


def test_a_task_of_one_class_has_no_loss_and_stays_where_it_is():
    problem = np.array([0.3, -1.0, 2.0, 0.1]), np.array([1.0, 1.0, -1.0, -1.0]), np.array([0, 2, 4])
    values, c, delta = auc_cuts(*problem)
    assert values.tolist() == delta.tolist() == [0.0, 0.0]
    assert c.tolist() == [0.0] * 4
    assert auc_prox(*problem, 3.0).tolist() == problem[0].tolist()


def test_a_difference_of_one_half_is_enough():
    _, c, delta = auc_cuts(np.array([0.75, 0.25]), np.array([1.0, -1.0]), np.array([0, 2]))
    assert c.tolist() == [0.0, 0.0]
    assert delta.tolist() == [0.0]


def assert_subgradient_of_pairs(v, s, y, weight):
    """Write v as a sum over pairs of multipliers that only a pair of loss 0 leaves free.

    This is what proves that s is optimal: v = z - s is in the subdifferential at s.
    """
    positive, negative = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    rows = np.array([np.eye(len(y))[j] - np.eye(len(y))[k] for k in positive for j in negative])
    if not len(rows):
        assert v == pytest.approx(np.zeros(len(y)))
        return
    most = 2 * weight / len(rows)
    slack = 0.5 + rows @ s
    free = np.abs(slack) <= 1e-9
    rest = v - most * rows[slack > 1e-9].sum(axis=0)
    if free.any() and most > 0:
        fit = lsq_linear(rows[free].T, rest, bounds=(0, most), tol=1e-15)
        rest = rest - rows[free].T @ fit.x
    assert np.abs(rest).max() <= 1e-7 * max(1.0, weight)


@pytest.mark.slow
@settings(max_examples=300)
@given(problems(), WEIGHTS)
def test_the_step_of_the_prox_is_a_subgradient_where_it_ends(problem, weight):
    s = auc_prox(*problem, weight)
    for task, z, y in tasks(problem):
        assert_subgradient_of_pairs(z - s[task], s[task], y, weight)


@pytest.mark.parametrize("weight", [0.5, 20.0, 300.0, 1e5])
@pytest.mark.parametrize("digits", [1, 8])
def test_the_prox_of_larger_tasks(weight, digits):
    rng = np.random.default_rng(5)
    offsets = np.array([0, 30, 70, 75])
    problem = np.round(rng.normal(size=75), digits), rng.choice([-1.0, 1.0], size=75), offsets
    s = auc_prox(*problem, weight)
    for task, z, y in tasks(problem):
        assert_subgradient_of_pairs(z - s[task], s[task], y, weight)


@pytest.mark.slow
@settings(max_examples=100)
@given(problems(), WEIGHTS)
def test_the_prox_has_a_supporting_plane(problem, weight):
    s = auc_prox(*problem, weight)
    for task, z, y in tasks(problem):
        assert_supports(lambda u, y=y: weight * pair_loss(u, y), z - s[task], s[task], count=20)


def test_the_prox_is_that_of_a_conic_solver():
    cp = pytest.importorskip("cvxpy")
    for problem in random_problems(15, seed=6):
        weight = 2.0
        s = auc_prox(*problem, weight)
        for task, z, y in tasks(problem):
            if len(set(y)) == 1:
                continue
            u = cp.Variable(len(z))
            rows = [1 - 2 * (u[k] - u[j]) for k in np.where(y > 0)[0] for j in np.where(y < 0)[0]]
            loss = sum(cp.pos(row) for row in rows) / len(rows)
            cp.Problem(cp.Minimize(weight * loss + 0.5 * cp.sum_squares(u - z))).solve(cp.CLARABEL)
            assert s[task] == pytest.approx(u.value, abs=1e-4)


def test_the_prox_turns_a_tie_into_the_margin_or_as_far_as_the_weight_allows():
    y, offsets = np.array([1.0, -1.0]), np.array([0, 2])
    assert auc_prox(np.zeros(2), y, offsets, 0.1) == pytest.approx([0.2, -0.2])
    assert auc_prox(np.zeros(2), y, offsets, 9.0) == pytest.approx([0.25, -0.25])
    assert auc_prox(np.zeros(2), y, offsets, 0.0) == pytest.approx([0.0, 0.0])


@pytest.mark.slow
@settings(max_examples=100)
@given(problems(), WEIGHTS)
def test_the_step_of_the_prox_gives_the_conjugate(problem, weight):
    """-h*(v) = h(s) - v . s is a lower bound of h(u) - v . u for every u."""
    z, y, offsets = problem
    s = auc_prox(z, y, offsets, weight)
    v = z - s
    bound = weight * auc_cuts(s, y, offsets)[0].sum() - v @ s
    for u in (np.zeros_like(z), z, s, y, -3 * y):
        assert weight * auc_cuts(u, y, offsets)[0].sum() - v @ u >= bound - 1e-9 * max(1, weight)
