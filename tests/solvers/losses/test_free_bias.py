"""Losses with a free bias against brute force over the bias, and a conic solver."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from mlbench.solvers.losses.free_bias import FreeBiasHinge, FreeBiasSquaredHinge

POWERS = {FreeBiasHinge: 1, FreeBiasSquaredHinge: 2}
every_loss = pytest.mark.parametrize("kind", POWERS)


def case(seed, sizes=(7, 2, 30)):
    rng = np.random.default_rng(seed)
    y = [np.where(rng.random(size) > 0.7, 1.0, -1.0) for size in sizes]
    for labels in y:
        labels[:2] = 1, -1
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    scores = rng.normal(size=offsets[-1]) * rng.exponential() + rng.normal()
    return np.concatenate(y), offsets, scores


def plain(kind, y, scores, bias):
    return (np.maximum(0.0, 1.0 - y * (scores + bias)) ** POWERS[kind]).sum()


def parts(offsets):
    return [slice(a, b) for a, b in pairwise(offsets)]


@every_loss
def test_the_bias_is_the_best(kind):
    for seed in range(30):
        y, offsets, scores = case(seed)
        loss = kind(y, offsets)
        values, biases = loss.values(scores), loss.biases(scores)
        for task, value, bias in zip(parts(offsets), values, biases, strict=True):
            one = y[task], scores[task]
            # a convex function of b, piecewise linear or quadratic between these
            tried = [plain(kind, *one, b) for b in one[0] - one[1]]
            found = minimize_scalar(lambda b, one=one: plain(kind, *one, b), tol=1e-10).fun
            assert value == pytest.approx(plain(kind, *one, bias))
            assert value <= min(*tried, found) * (1 + 1e-12) + 1e-12
            assert value == pytest.approx(min(*tried, found), rel=1e-6, abs=1e-12)


def test_where_many_biases_are_best_the_middle_is_taken():
    loss = FreeBiasHinge(np.array([1.0, -1.0]), np.array([0, 2]))
    # any bias from -1 to 1 gives no loss
    assert loss.biases(np.array([2.0, -2.0])).tolist() == [0.0]
    assert loss.biases(np.array([5.0, 1.0])).tolist() == [-3.0]


@every_loss
@pytest.mark.parametrize("weight", [1e-4, 0.3, 1.0, 50.0])
def test_a_proximal_step_minimizes(kind, weight):
    cp = pytest.importorskip("cvxpy")
    y, offsets, z = case(5)
    s = kind(y, offsets).prox(z, weight)
    for task in parts(offsets):
        u, b = cp.Variable(task.stop - task.start), cp.Variable()
        slack = cp.pos(1 - cp.multiply(y[task], u + b))
        loss = cp.sum(slack) if kind is FreeBiasHinge else cp.sum_squares(slack)
        cp.Problem(cp.Minimize(weight * loss + 0.5 * cp.sum_squares(u - z[task]))).solve(
            solver="CLARABEL"
        )
        np.testing.assert_allclose(s[task], u.value, rtol=0, atol=1e-4)


@every_loss
@pytest.mark.parametrize("weight", [2.0**-10, 0.3, 1.0, 1e4])
def test_a_proximal_step_yields_dual_variables_of_the_conjugate(kind, weight):
    """alpha >= 0 (and <= 1 for the hinge), y'alpha = 0, and G(s) - p's is -G*(p)."""
    for seed in range(30):
        y, offsets, z = case(seed)
        loss = kind(y, offsets)
        s = loss.prox(z, weight)
        p = (z - s) / weight
        alpha = -y * p
        assert alpha.min() >= -1e-9
        if kind is FreeBiasHinge:
            assert alpha.max() <= 1 + 1e-9
        sums = np.add.reduceat(p, offsets[:-1])
        size = np.add.reduceat(alpha, offsets[:-1])
        assert np.abs(sums).max() <= 1e-12 * max(size.max(), 1.0 / weight, 1.0)
        conjugate = size - (0 if kind is FreeBiasHinge else 0.25) * np.add.reduceat(
            alpha**2, offsets[:-1]
        )
        attained = loss.values(s) - np.add.reduceat(p * s, offsets[:-1])
        np.testing.assert_allclose(attained, conjugate, rtol=1e-9, atol=1e-9)


@every_loss
def test_a_constant_added_to_the_scores_changes_nothing(kind):
    y, offsets, z = case(3)
    loss = kind(y, offsets)
    np.testing.assert_allclose(loss.values(z + 5.0), loss.values(z), rtol=1e-10)
    np.testing.assert_allclose(loss.prox(z + 5.0, 0.7), loss.prox(z, 0.7) + 5.0, rtol=1e-10)


@every_loss
def test_tied_and_huge_scores_are_taken(kind):
    y = np.array([1.0, 1.0, -1.0, -1.0, -1.0])
    loss = kind(y, np.array([0, 5]))
    assert loss.values(np.zeros(5)) == pytest.approx([4.0 if kind is FreeBiasHinge else 4.8])
    for scores in (1e8 * y, -1e8 * y, np.array([1e8, 0.0, 0.0, 0.0, -1e8])):
        s = loss.prox(scores, 1.0)
        assert np.isfinite(s).all()
        assert abs((scores - s).sum()) <= 1e-6


@every_loss
@pytest.mark.parametrize("noise", [0.0, 1e-9, 0.1, 10.0])
def test_a_dual_point_is_in_the_domain_and_has_the_value_of_the_conjugate(kind, noise):
    rng = np.random.default_rng(0)
    y, offsets, z = case(2)
    loss = kind(y, offsets)
    s = loss.prox(z, 0.7)
    p = (z - s) / 0.7
    found, values = loss.dual_point(p + noise * rng.normal(size=len(p)))
    if noise < 1e-6:
        np.testing.assert_allclose(found, p, atol=20 * noise + 1e-14)
        expected = loss.values(s) - [p[task] @ s[task] for task in parts(offsets)]
        np.testing.assert_allclose(values, expected, atol=100 * noise + 1e-12)
    for task, value in zip(parts(offsets), values, strict=True):
        assert abs(found[task].sum()) < 1e-13 * (1 + np.abs(found[task]).sum())
        for _ in range(100):  # -G*(p) is the least of G(s) - p's
            tried = rng.normal(size=task.stop - task.start) * rng.exponential() * 3
            one = kind(y[task], np.array([0, len(tried)]))
            assert value <= one.values(tried)[0] - found[task] @ tried + 1e-12


@every_loss
def test_factors_that_separate(kind):
    y, offsets = np.array([1.0, 1, -1, 1, -1, -1]), np.array([0, 3, 6])
    loss = kind(y, offsets)
    scores = np.array([3.0, 4, 2.5, 9, -2, 1])
    factors = loss.separating(scores)
    np.testing.assert_array_equal(factors, [4, 0.25])
    np.testing.assert_allclose(loss.values(np.repeat(factors, 3) * scores), 0)
    assert (loss.values(np.repeat(0.99 * factors, 3) * scores) > 0).all()
    assert loss.separating(np.array([3.0, 4, 3, 9, -2, 1])) is None
