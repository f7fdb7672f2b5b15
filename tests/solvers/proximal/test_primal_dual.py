"""The primal-dual solver against a conic solver, closed forms and itself."""

import numpy as np
import pytest
from scipy import sparse

from mlbench.solvers.design import Design
from mlbench.solvers.losses.auc import MeanPairHinge
from mlbench.solvers.losses.free_bias import FreeBiasHinge
from mlbench.solvers.losses.hinge import Hinge
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.proximal.primal_dual import initial_state, solve
from mlbench.solvers.spectral_support_norm import HalfSquaredSpectralSupport

LOSSES = {"hinge": Hinge, "auc": MeanPairHinge}
every_case = pytest.mark.parametrize(
    ("loss_name", "penalty_name"), [(a, b) for a in LOSSES for b in PENALTIES]
)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.normal(size=(30, 5)), np.ones(30)])
    y = np.where(X @ rng.normal(size=(6, 3)) + rng.normal(size=(30, 3)) > 0.5, 1.0, -1.0)
    return X, y.T.copy()


def problem(data, loss_name):
    X, y = data
    design = Design(X, len(y))
    return design, LOSSES[loss_name](y.ravel(), design.offsets)


def conic_optimum(X, y, loss_name, penalty_name, lam):
    cp = pytest.importorskip("cvxpy")
    W = cp.Variable((len(y), X.shape[1]))
    penalty = {
        "l11": lambda: cp.sum(cp.abs(W)),
        "l21": lambda: cp.sum(cp.norm(W, 2, axis=0)),
        "trace": lambda: cp.normNuc(W),
    }[penalty_name]()
    total = 0
    for i, labels in enumerate(y):
        s = X @ W[i]
        if loss_name == "hinge":
            total += 2 * cp.sum(cp.pos(1 - cp.multiply(labels, s)))
        else:
            pairs = [(a, b) for a in np.flatnonzero(labels > 0) for b in np.flatnonzero(labels < 0)]
            upper, lower = np.array(pairs).T
            total += cp.sum(cp.pos(1 - 2 * (s[upper] - s[lower]))) / len(pairs)
    task = cp.Problem(cp.Minimize(penalty + lam * total))
    task.solve(solver="CLARABEL")
    return task.value


@every_case
@pytest.mark.parametrize("multiple", [1.5, 10.0, 300.0])
def test_a_conic_solver_finds_the_same_optimum(data, loss_name, penalty_name, multiple):
    design, loss = problem(data, loss_name)
    penalty = PENALTIES[penalty_name]
    lam = multiple * critical_lambda(design, loss, penalty)
    optimum = conic_optimum(*data, loss_name, penalty_name, lam)

    found = solve(design, loss, penalty, lam, tol=1e-5, max_iter=100_000)

    assert found.converged
    assert found.objective - found.bound <= 1e-5 * found.objective
    assert found.bound <= optimum * (1 + 1e-6)
    assert optimum <= found.objective * (1 + 1e-6)
    value = penalty.value(found.W) + lam * loss.values(design.scores(found.W)).sum()
    assert found.objective == pytest.approx(value, rel=1e-12)


def critical_lambda(design, loss, penalty):
    """Return the largest lambda at which W = 0 is optimal, for a norm as penalty."""
    return 1.0 / penalty.dual_norm(initial_state(design, loss).dual.V)


@every_case
def test_zero_is_certified_exactly_up_to_the_critical_lambda(data, loss_name, penalty_name):
    design, loss = problem(data, loss_name)
    penalty = PENALTIES[penalty_name]
    X, y = data
    if loss_name == "hinge":
        slope = 2 * y @ X
    else:
        slope = np.array([2 * (X[row > 0].mean(axis=0) - X[row < 0].mean(axis=0)) for row in y])
    critical = critical_lambda(design, loss, penalty)
    assert critical == pytest.approx(1 / penalty.dual_norm(slope), rel=1e-6)

    below = solve(design, loss, penalty, 0.98 * critical, tol=1e-9)
    assert below.n_iter == 0
    assert below.converged
    assert not below.W.any()

    above = solve(design, loss, penalty, 1.02 * critical, tol=1e-6, max_iter=100_000)
    assert above.converged
    assert above.W.any()


@every_case
def test_any_dual_point_is_below_any_objective(data, loss_name, penalty_name):
    design, loss = problem(data, loss_name)
    penalty = PENALTIES[penalty_name]
    rng = np.random.default_rng(0)
    for _ in range(30):
        lam, weight = np.exp(rng.normal(size=2))
        z = 3 * rng.normal(size=design.offsets[-1])
        s = loss.prox(z, weight)
        p = (z - s) / weight
        values = loss.values(s) - design.task_sums(p * s)
        bound = penalty.dual_bound(lam * design.adjoint(p), lam * values)
        W = rng.normal(size=(design.n_tasks, design.n_features)) * rng.exponential()
        assert bound <= penalty.value(W) + lam * loss.values(design.scores(W)).sum()


@every_case
def test_a_warm_start_finds_what_a_cold_start_finds(data, loss_name, penalty_name):
    design, loss = problem(data, loss_name)
    penalty = PENALTIES[penalty_name]
    start = None
    for lam in critical_lambda(design, loss, penalty) * np.array([0.5, 2.0, 5.0, 4.0, 50.0]):
        warm = solve(design, loss, penalty, lam, start=start, tol=1e-4)
        cold = solve(design, loss, penalty, lam, tol=1e-4)
        assert warm.converged
        assert cold.converged
        assert warm.objective == pytest.approx(cold.objective, rel=1e-4)
        start = warm.state


def test_a_start_that_is_certified_at_the_new_lambda_needs_no_iteration(data):
    design, loss = problem(data, "auc")
    lam = 3 * critical_lambda(design, loss, PENALTIES["l21"])
    first = solve(design, loss, PENALTIES["l21"], lam, tol=1e-6, max_iter=100_000)
    for new in (lam, 1.0001 * lam, lam / 1.0001):
        again = solve(design, loss, PENALTIES["l21"], new, start=first.state, tol=1e-3)
        assert again.n_iter == 0
        assert again.converged


@every_case
def test_a_sparse_design_and_one_design_per_task_give_the_same(data, loss_name, penalty_name):
    X, y = data
    design, loss = problem(data, loss_name)
    penalty = PENALTIES[penalty_name]
    lam = 5 * critical_lambda(design, loss, penalty)
    shared = solve(design, loss, penalty, lam, tol=1e-5, max_iter=100_000)

    stacked = np.vstack([X] * len(y))
    rows = list(np.arange(len(stacked)).reshape(len(y), -1))
    others = [
        Design(sparse.csr_matrix(X), len(y)),
        Design(stacked, len(y), rows),
        Design(sparse.csr_matrix(stacked), len(y), rows),
    ]
    for other in others:
        found = solve(other, loss, penalty, lam, tol=1e-5, max_iter=100_000)
        assert found.converged
        assert found.objective == pytest.approx(shared.objective, rel=2e-5)


def test_a_design_with_more_features_than_rows_is_solved(data):
    X, y = data
    wide = np.hstack([X, np.random.default_rng(1).normal(size=(len(X), 40))])
    design = Design(wide, len(y))
    loss = Hinge(y.ravel(), design.offsets)
    found = solve(design, loss, PENALTIES["l21"], 0.1)
    assert found.converged
    assert found.objective * (1 + 1e-6) >= conic_optimum(wide, y, "hinge", "l21", 0.1)


def test_limits_are_reported(data):
    design, loss = problem(data, "hinge")
    short = solve(design, loss, PENALTIES["trace"], 1.0, tol=1e-9, max_iter=30)
    assert not short.converged
    assert short.n_iter == 30
    assert short.gap > 1e-9
    none = solve(design, loss, PENALTIES["trace"], 1.0, tol=1e-9, max_seconds=0.0)
    assert not none.converged
    assert none.n_iter == 0


class HalfSquaredNorm:
    """A penalty that is no norm: ridge regularization."""

    def value(self, W):
        return 0.5 * float(np.vdot(W, W))

    def prox(self, W, step):
        return W / (1 + step)

    def dual_bound(self, V, values):
        size = float(np.vdot(V, V))
        t = min(1.0, values.sum() / size) if size > 0 else 1.0
        return t * float(values.sum()) - 0.5 * t**2 * size


def test_a_penalty_need_not_be_a_norm(data):
    cp = pytest.importorskip("cvxpy")
    X, y = data
    design, loss = problem(data, "hinge")
    W = cp.Variable((len(y), X.shape[1]))
    margins = cp.multiply(y, W @ X.T)
    optimum = cp.Problem(
        cp.Minimize(0.5 * cp.sum_squares(W) + 0.3 * 2 * cp.sum(cp.pos(1 - margins)))
    ).solve(solver="CLARABEL")
    found = solve(design, loss, HalfSquaredNorm(), 0.3, tol=1e-6, max_iter=100_000)
    assert found.converged
    assert found.objective == pytest.approx(optimum, rel=2e-6)


def test_the_first_dual_point_is_in_the_domain_of_large_problems():
    n_positive, n_negative = 20_000, 60_000
    y = np.repeat([1.0, -1.0], [n_positive, n_negative])
    design = Design(np.ones((len(y), 1)), 1)
    dual = initial_state(design, MeanPairHinge(y, design.offsets)).dual
    np.testing.assert_allclose(-dual.p * y, np.where(y > 0, 2 / n_positive, 2 / n_negative), 1e-9)
    np.testing.assert_allclose(dual.V, 0.0, atol=1e-9)


@pytest.mark.parametrize("lam", [0.001, 0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("r", [1, 3])
def test_the_step_size_suits_a_penalty_that_grows_like_a_square(data, r, lam):
    """Its conjugate is no error of the dual point: taken for one, it ruins the step size."""
    X, y = data
    design = Design(X[:, :-1], len(y))
    loss = FreeBiasHinge(y.ravel(), design.offsets)
    found = solve(design, loss, HalfSquaredSpectralSupport(r), lam, tol=1e-4, max_iter=500)
    assert found.converged
