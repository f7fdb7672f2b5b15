"""The spectral r-support norm against its definition, a conic solver and its own conjugate."""

import numpy as np
import pytest

from mlbench.solvers.proximal.douglas_rachford import CurvedPenalty
from mlbench.solvers.spectral_support_norm import HalfSquaredSpectralSupport, prox_weights

every_shape = pytest.mark.parametrize("shape", [(4, 7), (7, 4), (5, 5), (1, 6), (6, 1)])
every_rank = pytest.mark.parametrize("r", [1, 2, 3, 5])


def draws(count, shape, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) * rng.exponential(size=(shape[0], 1)) for _ in range(count)]


@every_shape
def test_the_extremes_are_known_norms(shape):
    for W in draws(10, shape):
        values = np.linalg.svd(W, compute_uv=False)
        one, all_ = HalfSquaredSpectralSupport(1), HalfSquaredSpectralSupport(min(shape))
        assert one.value(W) == pytest.approx(0.5 * values.sum() ** 2)
        assert all_.value(W) == pytest.approx(0.5 * np.vdot(W, W))


def test_the_value_is_the_least_over_a_grid_of_weights():
    grid = np.linspace(0.005, 1.0, 200)
    first, second = np.meshgrid(grid, grid)
    third = 2.0 - first - second
    allowed = (third > 0) & (third <= 1)
    for values in ([3.0, 2.0, 1.0], [5.0, 0.5, 0.4], [1.0, 1.0, 1.0], [4.0, 3.9, 0.01]):
        a, b, c = np.square(values)
        tried = 0.5 * (a / first + b / second + c / np.where(allowed, third, 1.0))[allowed]
        value = HalfSquaredSpectralSupport(2).value(np.diag(values))
        assert value <= tried.min() * (1 + 1e-12)
        assert value == pytest.approx(tried.min(), rel=1e-3)


@every_rank
def test_a_conic_solver_finds_the_value(r):
    cp = pytest.importorskip("cvxpy")
    for W in draws(3, (5, 4)):
        Z = cp.Variable((4, 4), PSD=True)
        least = cp.Problem(
            cp.Minimize(0.5 * cp.matrix_frac(W.T, Z)),
            [np.eye(4) - Z >> 0, cp.trace(Z) == min(r, 4)],
        ).solve(solver="CLARABEL")
        assert HalfSquaredSpectralSupport(r).value(W) == pytest.approx(least, rel=1e-6)


@every_shape
@every_rank
def test_the_conjugate_is_attained_at_the_best_matrix_of_rank_r(shape, r):
    penalty = HalfSquaredSpectralSupport(r)
    for V, other in zip(draws(10, shape), draws(10, shape, seed=1), strict=True):
        U, values, Wt = np.linalg.svd(V, full_matrices=False)
        best = (U[:, :r] * values[:r]) @ Wt[:r]
        assert penalty.conjugate(V) == pytest.approx(np.vdot(V, best) - penalty.value(best))
        assert np.vdot(V, other) - penalty.value(other) <= penalty.conjugate(V) + 1e-12


@every_shape
@every_rank
def test_what_a_proximal_step_removes_is_a_subgradient(shape, r):
    penalty = HalfSquaredSpectralSupport(r)
    for W in draws(10, shape):
        for step in (0.01, 1.0, 100.0):
            U = penalty.prox(W, step)
            V = (W - U) / step
            sum_ = penalty.value(U) + penalty.conjugate(V)
            assert np.vdot(V, U) == pytest.approx(sum_, rel=1e-9, abs=1e-12)


@every_rank
def test_a_proximal_step_keeps_low_rank_and_zero(r):
    penalty = HalfSquaredSpectralSupport(r)
    W = np.outer(np.arange(1.0, 5.0), np.arange(6.0))
    np.testing.assert_allclose(penalty.prox(W, 0.5), W / 1.5, rtol=1e-7, atol=1e-12)
    assert not penalty.prox(np.zeros((4, 6)), 0.5).any()
    assert penalty.value(np.zeros((4, 6))) == 0.0


@pytest.mark.parametrize("step", [1e-6, 0.3, 1e6])
def test_weights_add_up_to_the_rank(step):
    rng = np.random.default_rng(2)
    for q in (2, 5, 40):
        values = rng.exponential(size=q) ** 4
        for r in range(1, q):
            theta = prox_weights(values, step, r)
            assert theta.sum() == pytest.approx(r, rel=1e-9)
            assert theta.min() >= 0
            assert theta.max() <= 1
    assert prox_weights(np.array([2.0, 0.0, 1.0]), step, 2).tolist() == [1, 0, 1]
    tied = prox_weights(np.ones(4), step, 2)
    np.testing.assert_allclose(tied, 0.5, rtol=1e-9)


@every_rank
def test_the_dual_bound_is_a_bound_and_exact_at_the_end(r):
    penalty = HalfSquaredSpectralSupport(r)
    rng = np.random.default_rng(1)
    for W, C in zip(draws(50, (4, 7)), draws(50, (4, 7), seed=3), strict=True):
        values = rng.exponential(size=len(W))
        loss = np.maximum(0.0, values - (W * C).sum(axis=1)).sum()
        assert penalty.dual_bound(-C, values) <= penalty.value(W) + loss + 1e-12
        big = np.full(len(W), 1e6)
        assert penalty.dual_bound(C, big) == pytest.approx(4e6 - penalty.conjugate(C))
        assert penalty.dual_bound(C, -big) == 0.0


@every_shape
@every_rank
def test_directions_attain_the_value(shape, r):
    penalty = HalfSquaredSpectralSupport(r)
    for W in draws(5, shape):
        vectors, theta = penalty.directions(W)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(len(theta)), atol=1e-12)
        assert (np.diff(theta) <= 1e-12).all()
        assert theta.max() <= 1
        assert theta.sum() == pytest.approx(min(r, *shape))
        attained = 0.5 * np.sum((W @ vectors) ** 2 / theta)
        assert attained == pytest.approx(penalty.value(W))


def test_it_says_that_it_is_curved():
    assert isinstance(HalfSquaredSpectralSupport(2), CurvedPenalty)
