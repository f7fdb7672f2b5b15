"""Multi-task least squares against other libraries, closed forms and a conic solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso, MultiTaskLasso

from mlbench.errors import MethodError
from mlbench.estimator_checks import CHECKS
from mlbench.methods.multitask.mtl_reg import MTLReg
from mlbench.solvers.penalties import PENALTIES

TIGHT = {"tol": 1e-13, "max_iter": 100_000}


def signed(Y):
    return 2.0 * Y - 1.0


def objective(model, X, Y):
    residual = signed(Y) - model.decision_function(X)
    return PENALTIES[model.penalty].value(model.coef_) + model.lam * 0.5 * np.sum(residual**2)


@pytest.mark.parametrize("penalty", ["l11", "trace"])
@pytest.mark.parametrize("check", CHECKS)
def test_the_contract_holds_for_the_other_penalties(penalty, check):
    CHECKS[check](lambda: MTLReg(penalty=penalty))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lam", [0.05, 0.3, 5.0])
def test_l21_is_scikit_learns_multi_task_lasso(labelled, lam, fit_intercept):
    X, Y, _ = labelled
    reference = MultiTaskLasso(
        alpha=1 / (lam * len(X)), fit_intercept=fit_intercept, tol=1e-14, max_iter=100_000
    ).fit(X + 2, signed(Y))
    model = MTLReg("l21", lam, fit_intercept=fit_intercept, **TIGHT).fit(X + 2, Y)
    np.testing.assert_allclose(model.coef_, reference.coef_, rtol=0, atol=1e-7)
    np.testing.assert_allclose(model.intercept_, reference.intercept_, rtol=0, atol=1e-7)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lam", [0.05, 0.3, 5.0])
def test_l11_is_one_lasso_per_label(labelled, lam, fit_intercept):
    X, Y, _ = labelled
    model = MTLReg("l11", lam, fit_intercept=fit_intercept, **TIGHT).fit(X + 2, Y)
    for label in range(3):
        lasso = Lasso(
            alpha=1 / (lam * len(X)), fit_intercept=fit_intercept, tol=1e-14, max_iter=100_000
        ).fit(X + 2, signed(Y[:, label]))
        np.testing.assert_allclose(model.coef_[label], lasso.coef_, rtol=0, atol=1e-7)
        np.testing.assert_allclose(model.intercept_[label], lasso.intercept_, atol=1e-7)


@pytest.mark.parametrize("n", [60, 8])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_trace_is_the_optimum_of_a_conic_solver(fit_intercept, n):
    cvxpy = pytest.importorskip("cvxpy")
    random = np.random.RandomState(0)
    X = random.randn(n, 12) + 1
    Y = (X @ random.randn(12, 3) + random.randn(n, 3) > 3).astype(int)
    Y[0], Y[1] = 1, 0
    lam = 0.4
    W, b = cvxpy.Variable((3, 12)), cvxpy.Variable((1, 3))
    scores = X @ W.T + (np.ones((n, 1)) @ b if fit_intercept else 0)
    problem = cvxpy.Problem(
        cvxpy.Minimize(cvxpy.normNuc(W) + 0.5 * lam * cvxpy.sum_squares(signed(Y) - scores))
    )
    problem.solve(solver="CLARABEL")
    model = MTLReg("trace", lam, fit_intercept=fit_intercept, **TIGHT).fit(X, Y)
    assert objective(model, X, Y) == pytest.approx(problem.value, rel=1e-7)
    np.testing.assert_allclose(model.coef_, W.value, rtol=0, atol=1e-4)
    if n < 12:  # dense rows go by their span, sparse ones by products with X
        slim = MTLReg("trace", lam, fit_intercept=fit_intercept, **TIGHT).fit(
            sparse.csr_matrix(X), Y
        )
        np.testing.assert_allclose(slim.coef_, model.coef_, rtol=0, atol=1e-6)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_orthonormal_features_need_one_proximal_step(labelled, penalty):
    X, Y, _ = labelled
    X, _ = np.linalg.qr(X)
    model = MTLReg(penalty, 0.8, fit_intercept=False, **TIGHT).fit(X, Y)
    expected = PENALTIES[penalty].prox(signed(Y).T @ X, 1 / 0.8)
    np.testing.assert_allclose(model.coef_, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_coefficients_are_0_exactly_up_to_the_first_lam(labelled, penalty, fit_intercept):
    X, Y, new = labelled
    centered, targets = X, signed(Y)
    if fit_intercept:
        centered, targets = X - X.mean(axis=0), targets - targets.mean(axis=0)
    first = 1 / PENALTIES[penalty].dual_norm(targets.T @ centered)
    below = MTLReg(penalty, 0.999 * first, fit_intercept=fit_intercept).fit(X, Y)
    assert not below.coef_.any()
    assert below.n_iter_ == 0
    assert below.gap_ < 1e-12
    level = signed(Y).mean(axis=0) if fit_intercept else 0.0
    np.testing.assert_allclose(below.decision_function(new) - level, 0, atol=1e-12)
    assert (
        MTLReg(penalty, 1.01 * first, fit_intercept=fit_intercept, tol=1e-9).fit(X, Y).coef_.any()
    )


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("shape", [(40, 6), (15, 30)])
def test_sparse_rows_with_an_intercept_need_no_centered_copy(penalty, shape):
    random = np.random.RandomState(1)
    X = np.where(random.rand(*shape) < 0.4, 1 + random.rand(*shape), 0)
    Y = (X[:, :3] + 0.3 * random.randn(shape[0], 3) > 0.8).astype(int)
    Y[0], Y[1] = 1, 0
    dense = MTLReg(penalty, 0.7, **TIGHT).fit(X, Y)
    slim = MTLReg(penalty, 0.7, **TIGHT).fit(sparse.csr_matrix(X), Y)
    np.testing.assert_allclose(slim.decision_function(X), dense.decision_function(X), atol=1e-6)
    assert objective(slim, X, Y) == pytest.approx(objective(dense, X, Y), rel=1e-11)


@pytest.mark.parametrize("penalty", ["l21", "trace"])
def test_equal_labels_get_equal_coefficients(labelled, penalty):
    X, Y, _ = labelled
    model = MTLReg(penalty, 0.5).fit(X, Y[:, [0, 1, 0]])
    np.testing.assert_allclose(model.coef_[0], model.coef_[2], rtol=0, atol=1e-12)


def test_one_label_has_the_penalties_of_a_vector(labelled):
    X, Y, _ = labelled
    one, two, trace = (MTLReg(name, 0.5, **TIGHT).fit(X, Y[:, :1]).coef_ for name in PENALTIES)
    np.testing.assert_allclose(one, two, rtol=0, atol=1e-8)
    assert np.linalg.norm(trace) > 0
    assert np.abs(trace - one).max() > 1e-3  # the 2-norm, not the lasso


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_path_has_the_objective_of_independent_fits(labelled, penalty):
    X, Y, _ = labelled
    grid = [{"lam": lam} for lam in (10.0, 0.01, 0.5, 0.05)]
    for index, model in MTLReg(penalty, **TIGHT).fit_path(X, Y, grid):
        alone = MTLReg(penalty, grid[index]["lam"], **TIGHT).fit(X, Y)
        np.testing.assert_allclose(model.coef_, alone.coef_, rtol=0, atol=1e-6)
        assert model.gap_ <= 1e-13


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("wide", [False, True])
def test_the_gap_bounds_the_excess_at_every_tolerance(labelled, penalty, wide):
    X, Y, _ = labelled
    if wide:
        X = np.hstack([X, X**2, np.random.RandomState(0).randn(60, 70)])
    best = objective(MTLReg(penalty, 2.0, **TIGHT).fit(X, Y), X, Y)
    for tol in (0.3, 1e-2, 1e-4):
        model = MTLReg(penalty, 2.0, tol=tol).fit(X, Y)
        value = objective(model, X, Y)
        assert (value - best) / value <= model.gap_ + 1e-12 <= tol + 1e-12


def test_l11_with_tasks_is_one_lasso_per_task(tasked):
    X, Y, tasks, new, new_tasks = tasked
    model = MTLReg("l11", 0.5, **TIGHT).fit(X, Y, tasks)
    scores = model.decision_function(new, new_tasks)[:, 0]
    for task in range(4):
        part, fresh = tasks == task, new_tasks == task
        alone = MTLReg("l11", 0.5, **TIGHT).fit(X[part], Y[part])
        expected = alone.decision_function(new[fresh])[:, 0]
        np.testing.assert_allclose(scores[fresh], expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("d", [4, 40])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_tasks_are_tied_by_the_penalty(tasked, penalty, d):
    cvxpy = pytest.importorskip("cvxpy")
    X, Y, tasks, _, _ = tasked
    X = np.hstack([X, np.random.RandomState(0).randn(60, d - 4)])
    lam = 0.3
    W, b = cvxpy.Variable((4, d)), cvxpy.Variable(4)
    norm = {
        "l11": cvxpy.sum(cvxpy.abs(W)),
        "l21": cvxpy.sum(cvxpy.norm(W, 2, axis=0)),
        "trace": cvxpy.normNuc(W),
    }[penalty]
    parts = [tasks == task for task in range(4)]
    loss = sum(
        cvxpy.sum_squares(signed(Y[part, 0]) - X[part] @ W[task] - b[task])
        for task, part in enumerate(parts)
    )
    problem = cvxpy.Problem(cvxpy.Minimize(norm + 0.5 * lam * loss))
    problem.solve(solver="CLARABEL")
    for rows in (X, sparse.csr_matrix(X)):
        model = MTLReg(penalty, lam, **TIGHT).fit(rows, Y, tasks)
        residual = signed(Y) - model.decision_function(rows, tasks)
        found = PENALTIES[penalty].value(model.coef_) + 0.5 * lam * np.sum(residual**2)
        assert found == pytest.approx(problem.value, rel=1e-6)


def test_a_limit_ends_the_fit_with_a_warning(labelled):
    X, Y, _ = labelled
    with pytest.warns(ConvergenceWarning, match="ended on max_iter=1: its relative gap is"):
        model = MTLReg(lam=10.0, max_iter=1, tol=1e-12).fit(X, Y)
    assert model.n_iter_ == 1
    assert model.gap_ > 1e-12
    with pytest.warns(ConvergenceWarning, match="ended on max_seconds=1e-09"):
        MTLReg(lam=10.0, max_seconds=1e-9, tol=1e-12).fit(X, Y)


def test_a_wrong_penalty_is_refused(labelled):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match="penalty must be one of 'l11', 'l21', 'trace'; got 'l1'"):
        MTLReg("l1").fit(X, Y)
