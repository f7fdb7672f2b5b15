"""The structured SVM against direct minimization, and against a linear SVM on pairs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

from mlbench.errors import MethodError
from mlbench.estimator_checks import CHECKS
from mlbench.methods.multitask.struct_svm import StructSVM

TIGHT = {"tol": 1e-8}


def pair_differences(X, y):
    return (X[y == 1][:, None] - X[y == 0][None]).reshape(-1, X.shape[1])


def auc_objective(w, X, y, C):
    return 0.5 * w @ w + C * np.maximum(0, 1 - 2 * pair_differences(X, y) @ w).mean()


@pytest.mark.parametrize("check", CHECKS)
def test_the_contract_holds_for_f1(check):
    CHECKS[check](lambda: StructSVM(loss="f1"))


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_auc_is_a_linear_svm_on_the_differences_of_pairs(labelled, C):
    """The rows are 2 (x_k - x_l), and C is shared among them."""
    X, Y, _ = labelled
    model = StructSVM(C=C, **TIGHT).fit(X, Y)
    for label in range(3):
        rows = 2 * pair_differences(X, Y[:, label])
        sign = np.where(np.arange(len(rows)) % 2, 1, -1)
        svm = LinearSVC(
            C=C / len(rows), loss="hinge", fit_intercept=False, tol=1e-7, max_iter=1_000_000
        ).fit(rows * sign[:, None], sign)
        w = model.coef_[label]
        reached = auc_objective(w, X, Y[:, label], C)
        assert reached == pytest.approx(auc_objective(svm.coef_[0], X, Y[:, label], C), rel=1e-4)
        np.testing.assert_allclose(w, svm.coef_[0], rtol=0, atol=0.02 * np.linalg.norm(w))
    np.testing.assert_array_equal(model.intercept_, 0)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_auc_is_the_optimum_of_a_conic_solver(labelled, C):
    cvxpy = pytest.importorskip("cvxpy")
    X, Y, _ = labelled
    model = StructSVM(C=C, **TIGHT).fit(X, Y)
    for label in range(3):
        w = cvxpy.Variable(4)
        rows = pair_differences(X, Y[:, label])
        loss = cvxpy.sum(cvxpy.pos(1 - 2 * rows @ w)) / len(rows)
        problem = cvxpy.Problem(cvxpy.Minimize(0.5 * cvxpy.sum_squares(w) + C * loss))
        problem.solve(solver="CLARABEL")
        reached = auc_objective(model.coef_[label], X, Y[:, label], C)
        assert reached == pytest.approx(problem.value, rel=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_f1_is_the_optimum_over_all_labelings(C, fit_intercept):
    cvxpy = pytest.importorskip("cvxpy")
    random = np.random.RandomState(2)
    X = random.randn(8, 3)
    y = (X[:, 0] + random.randn(8) > 0.3).astype(int)
    signed = 2 * y - 1
    rows = np.column_stack([X, np.ones(8)]) if fit_intercept else X
    labelings = np.array(list(product([0, 1], repeat=8)))
    deltas = np.array([1 - f1_score(y, z, zero_division=1) for z in labelings])
    normals = (signed - (2 * labelings - 1)) @ rows
    w = cvxpy.Variable(rows.shape[1])
    value = cvxpy.Minimize(0.5 * cvxpy.sum_squares(w) + C * cvxpy.max(deltas - normals @ w))
    problem = cvxpy.Problem(value)
    problem.solve(solver="CLARABEL")
    model = StructSVM("f1", C, fit_intercept=fit_intercept, **TIGHT).fit(X, y[:, None])
    found = np.append(model.coef_[0], model.intercept_ if fit_intercept else [])
    reached = 0.5 * found @ found + C * (deltas - normals @ found).max()
    assert reached == pytest.approx(problem.value, rel=1e-6)
    np.testing.assert_allclose(found, w.value, atol=1e-3)


def test_the_scaling_of_svm_perf():
    """There: 1/2 |v|^2 + 100 c (mean pair loss with margin 1), at v = 2 w and c = C / 25."""
    random = np.random.RandomState(4)
    X = random.randn(30, 3)
    y = (X[:, 0] + random.randn(30) > 0).astype(int)
    C = 5.0
    w = StructSVM(C=C, **TIGHT).fit(X, y[:, None]).coef_[0]

    def theirs(v):
        margins = pair_differences(X, y) @ v
        return 0.5 * v @ v + C / 25 * 100 * np.maximum(0, 1 - margins).mean()

    assert theirs(2 * w) == pytest.approx(4 * auc_objective(w, X, y, C), rel=1e-12)
    lowest = theirs(2 * w)
    for _ in range(200):
        assert theirs(2 * w + 0.1 * random.randn(3)) >= lowest * (1 - 1e-7)


@pytest.mark.parametrize("loss", ["auc", "f1"])
def test_tied_rows_and_both_classes_on_one_row(loss):
    X = np.repeat([[1.0, 0.0], [0.0, 1.0]], 6, axis=0)
    y = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1])
    model = StructSVM(loss, 2.0, fit_intercept=False, **TIGHT).fit(X, y[:, None])
    assert model.gap_ <= 1e-8
    w = model.coef_[0]
    assert w[0] > w[1]
    if loss == "auc":
        reached = auc_objective(w, X, y, 2.0)
        for step in np.random.RandomState(0).randn(200, 2):
            assert auc_objective(w + 0.01 * step, X, y, 2.0) >= reached * (1 - 1e-7)


@pytest.mark.parametrize("loss", ["auc", "f1"])
def test_labels_of_one_class_are_left_out(labelled, loss):
    X, Y, new = labelled
    wide = np.column_stack([np.ones(60, int), Y[:, 0], np.zeros(60, int)])
    model = StructSVM(loss).fit(X, wide)
    np.testing.assert_array_equal(model.constant_labels_, [0, 2])
    np.testing.assert_array_equal(model.decision_function(new)[:, [0, 2]], [[1.0, -1.0]] * 20)
    alone = StructSVM(loss).fit(X, Y[:, :1])
    np.testing.assert_allclose(model.coef_[1], alone.coef_[0], atol=1e-12)


@pytest.mark.parametrize("loss", ["auc", "f1"])
def test_labels_do_not_influence_each_other(labelled, loss):
    X, Y, _ = labelled
    together = StructSVM(loss, 0.5, **TIGHT).fit(X, Y)
    for label in range(3):
        alone = StructSVM(loss, 0.5, **TIGHT).fit(X, Y[:, [label]])
        np.testing.assert_allclose(together.coef_[label], alone.coef_[0], rtol=0, atol=1e-6)


def test_tasks_are_fitted_on_their_own_rows(tasked):
    X, Y, tasks, new, new_tasks = tasked
    for rows in (X, sparse.csr_matrix(X)):
        model = StructSVM(C=3.0, **TIGHT).fit(rows, Y, tasks)
        scores = model.decision_function(new, new_tasks)[:, 0]
        for task in range(4):
            alone = StructSVM(C=3.0, **TIGHT).fit(X[tasks == task], Y[tasks == task])
            part = new_tasks == task
            expected = alone.decision_function(new[part])[:, 0]
            np.testing.assert_allclose(scores[part], expected, rtol=0, atol=1e-3)


@pytest.mark.parametrize("loss", ["auc", "f1"])
def test_a_path_keeps_its_planes_and_finds_independent_fits(labelled, loss):
    X, Y, _ = labelled
    grid = [{"C": C} for C in (10.0, 0.01, 1.0)]
    for index, model in StructSVM(loss, **TIGHT).fit_path(X, Y, grid):
        alone = StructSVM(loss, grid[index]["C"], **TIGHT).fit(X, Y)
        np.testing.assert_allclose(model.coef_, alone.coef_, rtol=0, atol=2e-3)
        assert model.fit_report_["gap"] <= 1e-8
        assert model.n_oracle_calls_ >= 3


def test_a_limit_ends_the_fit_with_a_warning(labelled):
    X, Y, _ = labelled
    with pytest.warns(ConvergenceWarning, match="StructSVM with C=50 ended on max_iter=2"):
        model = StructSVM(C=50.0, max_iter=2, **TIGHT).fit(X, Y)
    assert model.gap_ > 1e-8
    assert not model.converged_


def test_a_wrong_loss_is_refused(labelled):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match="loss must be one of 'auc', 'f1'; got 'roc'"):
        StructSVM("roc").fit(X, Y)
