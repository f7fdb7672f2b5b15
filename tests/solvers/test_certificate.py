"""What primal and dual points prove, recomputed in longer numbers and by a conic solver."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.solvers.certificate import (
    Certificate,
    DualPoint,
    PrimalPoint,
    dual_point,
    scaled_to_separate,
)
from mlbench.solvers.design import Design
from mlbench.solvers.losses.free_bias import FreeBiasHinge, FreeBiasSquaredHinge
from mlbench.solvers.losses.hinge import Hinge
from mlbench.solvers.proximal.primal_dual import solve
from mlbench.solvers.spectral_support_norm import HalfSquaredSpectralSupport

LOSSES = (FreeBiasHinge, FreeBiasSquaredHinge)
every_loss = pytest.mark.parametrize("kind", LOSSES)
every_shape = pytest.mark.parametrize("shape", [(20, 4), (12, 30)], ids=["tall", "wide"])


def problem(kind, shape, k=3, seed=0):
    random = np.random.RandomState(seed)
    X = random.randn(*shape)
    y = np.where(X @ random.randn(shape[1], k) + 0.5 * random.randn(shape[0], k) > 0.3, 1.0, -1.0)
    y[0], y[1] = 1, -1
    design = Design(X, k)
    return X, y.T, design, kind(y.T.ravel(), design.offsets)


def exact_bound(X, y, kind, p, r, lam):
    """Return the dual objective at its best multiple, in 80 bits, after a check of the domain."""
    alpha = -y * p.reshape(y.shape).astype(np.longdouble)
    assert alpha.min() >= 0
    assert np.abs((y * alpha).sum(axis=1)).max() <= 1e-11 * alpha.sum()
    if kind is FreeBiasHinge:
        assert alpha.max() <= 1
        value = lam * alpha.sum()
    else:
        value = lam * (alpha - alpha**2 / 4).sum()
    V = lam * (-y * alpha) @ X.astype(np.longdouble)
    square = np.sort(np.linalg.eigvalsh((V @ V.T).astype(np.float64)))[::-1][:r].sum()
    t = min(1.0, float(value) / square)
    return t * float(value) - 0.5 * t * t * square


@every_loss
@every_shape
@pytest.mark.parametrize("lam", [1.0, 1e4, 1e8])
def test_a_bound_is_no_rounding_error(kind, shape, lam):
    X, y, design, loss = problem(kind, shape)
    penalty = HalfSquaredSpectralSupport(2)
    found = solve(design, loss, penalty, lam, tol=1e-6, max_iter=3000)
    expected = exact_bound(X, y, kind, found.state.dual.p, 2, lam)
    assert 0 < found.bound <= expected * (1 + 1e-9)
    assert found.bound <= found.objective * (1 + 1e-12)


@every_loss
@every_shape
@pytest.mark.parametrize("lam", [1e-2, 1.0, 1e8])
def test_no_dual_point_however_bad_is_above_an_objective(kind, shape, lam):
    _, _, design, loss = problem(kind, shape)
    penalty = HalfSquaredSpectralSupport(2)
    reached = solve(design, loss, penalty, lam, tol=1e-6, max_iter=3000)
    best = scaled_to_separate(design, loss, penalty, reached.state.primal).objective(lam)
    best = min(best, reached.objective)
    random = np.random.RandomState(1)
    for scale in (0.0, 1e-12, 1e-3, 1.0, 100.0):
        for _ in range(20):
            p = reached.state.dual.p * (1 + scale * random.randn(len(loss.y)))
            p += scale * random.randn(len(p)) / lam
            bound = dual_point(design, loss, p, np.zeros(len(p))).bound(penalty, lam)
            assert bound <= best * (1 + 1e-9)


@pytest.mark.slow
@every_loss
def test_a_conic_solver_s_optimum_lies_between_where_the_labels_can_be_separated(kind):
    cp = pytest.importorskip("cvxpy")
    X, y, design, loss = problem(kind, (12, 30))
    W, b, Z = cp.Variable((3, 30)), cp.Variable((3, 1)), cp.Variable((30, 30), PSD=True)
    margins = cp.multiply(y, W @ X.T + b @ np.ones((1, 12)))
    task = cp.Problem(
        cp.Minimize(0.5 * cp.matrix_frac(W.T, Z)),
        [np.eye(30) - Z >> 0, cp.trace(Z) == 2, margins >= 1],
    )
    optimum = task.solve(solver="CLARABEL")
    start = solve(design, loss, HalfSquaredSpectralSupport(2), 100.0, tol=1e-5).state
    primal = scaled_to_separate(design, loss, HalfSquaredSpectralSupport(2), start.primal)
    best = Certificate(HalfSquaredSpectralSupport(2), 1e8, primal, start.dual)
    assert best.bound <= optimum * (1 + 1e-6)
    assert optimum <= best.objective * (1 + 1e-6)
    assert best.gap < (1e-4 if kind is FreeBiasHinge else 1e-2)


@every_loss
def test_points_that_separate_are_scaled_to_no_loss(kind):
    _, _, design, loss = problem(kind, (12, 30))
    penalty = HalfSquaredSpectralSupport(2)
    found = solve(design, loss, penalty, 10.0, tol=1e-3).state.primal
    scaled = scaled_to_separate(design, loss, penalty, found)
    assert scaled.loss <= 1e-12 < found.loss
    np.testing.assert_allclose(scaled.loss, loss.values(design.scores(scaled.W)).sum(), atol=1e-12)
    np.testing.assert_allclose(scaled.penalty, penalty.value(scaled.W))
    shorter = 0.999 * scaled.W
    assert (loss.values(design.scores(shorter)) > 0).all()


def test_others_are_left_as_they_are():
    _, _, design, loss = problem(FreeBiasHinge, (20, 4))
    penalty = HalfSquaredSpectralSupport(2)
    zero = PrimalPoint(np.zeros((3, 4)), 0.0, 60.0)
    assert scaled_to_separate(design, loss, penalty, zero) is zero
    assert scaled_to_separate(design, Hinge(loss.y, design.offsets), penalty, zero) is zero


def test_the_best_points_are_kept_and_a_refuted_bound_is_forgotten():
    penalty = HalfSquaredSpectralSupport(1)
    V = np.array([[1.0, 0.0]])
    dual = DualPoint(np.ones(1), V, np.array([1.0]))
    best = Certificate(penalty, 1.0, PrimalPoint(V, 0.5, 0.5), dual)
    assert (best.objective, best.bound, best.gap) == (1.0, 0.5, 0.5)
    assert best.update_primal(PrimalPoint(V, 0.5, 1.0)) == 1.5
    assert best.objective == 1.0
    assert best.update_dual(DualPoint(np.ones(1), 0 * V, np.array([0.75]))) == 0.75
    kept = best.bound
    assert kept == max(0.75, best.dual.bound(penalty, 1.0))  # or a mixture with the one before
    assert best.update_dual(DualPoint(np.ones(1), 0 * V, np.array([2.0]))) == 2.0
    assert best.bound == kept
    assert best.update_primal(PrimalPoint(V, 0.0, 0.6)) == 0.6
    assert (best.objective, best.bound, best.gap) == (0.6, 0.0, 1.0)
