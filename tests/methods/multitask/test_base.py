"""The base of the linear methods, by a subclass whose problem has a closed form."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mlbench.errors import MethodError
from mlbench.estimator_checks import CHECKS
from mlbench.methods.multitask.base import LinearSolution, LinearTasks


class Ridge(LinearTasks):
    """min ||w||^2 + lam ||y - X w||^2, label by label."""

    example_grid = ({"lam": 2.0}, {"lam": 0.5}, {"lam": 1.0, "fit_intercept": False})

    def __init__(self, lam=1.0, fit_intercept=True, tol=1e-6, max_iter=5, max_seconds=None):
        self.lam = lam
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds

    def _solve_path(self, problem, lams):
        assert list(lams) == sorted(lams)
        design = problem.design
        blocks = design.blocks * (design.n_tasks if design.shared else 1)
        targets = np.split(problem.y, design.offsets[1:-1])
        for lam in lams:
            W = [
                np.linalg.solve(np.eye(design.n_features) / lam + (X.T @ X), np.asarray(X.T @ y))
                for X, y in zip(blocks, targets, strict=True)
            ]
            limit = "max_iter" if self.max_iter == 1 else None
            yield LinearSolution(np.array(W), 0.25, 7, limit, n_oracle_calls=3)


def closed_form(X, y, lam):
    X = np.column_stack([np.ones(len(X)), X])
    return np.linalg.solve(np.eye(X.shape[1]) / lam + X.T @ X, X.T @ (2.0 * y - 1))


@pytest.mark.parametrize("check", CHECKS)
def test_the_contract(check):
    CHECKS[check](Ridge)


def test_coefficients_and_scores_of_labels(labelled):
    X, Y, new = labelled
    model = Ridge(lam=0.3).fit(X, Y)
    for label in range(3):
        w = closed_form(X, Y[:, label], 0.3)
        np.testing.assert_allclose(model.intercept_[label], w[0], atol=1e-12)
        np.testing.assert_allclose(model.coef_[label], w[1:], atol=1e-12)
        np.testing.assert_allclose(
            model.decision_function(new)[:, label], w[0] + new @ w[1:], atol=1e-12
        )


def test_sparse_rows_stay_sparse(labelled):
    X, Y, _ = labelled
    seen = []

    class Looks(Ridge):
        def _solve_path(self, problem, lams):
            seen.extend(problem.design.blocks)
            problem.design.blocks[:] = [block.toarray() for block in problem.design.blocks]
            return super()._solve_path(problem, lams)

    slim = Looks().fit(sparse.csr_matrix(X), Y)
    assert all(sparse.issparse(block) for block in seen)
    np.testing.assert_allclose(slim.coef_, Ridge().fit(X, Y).coef_, atol=1e-12)


def test_every_task_has_its_own_rows(tasked):
    X, Y, tasks, new, new_tasks = tasked
    model = Ridge(lam=0.3).fit(X, Y, tasks)
    scores = model.decision_function(new, new_tasks)
    for task in range(4):
        w = closed_form(X[tasks == task], Y[tasks == task, 0], 0.3)
        part = new_tasks == task
        np.testing.assert_allclose(scores[part, 0], w[0] + new[part] @ w[1:], atol=1e-12)


def test_tasks_of_one_class_and_tasks_without_rows_are_left_out(tasked):
    X, Y, tasks, new, _ = tasked
    Y[tasks == 1] = 1
    keep = tasks != 2
    model = Ridge().fit(X[keep], Y[keep], tasks[keep])
    np.testing.assert_array_equal(model.constant_labels_, [1])
    for task, score in ((1, 1.0), (2, -1.0)):
        np.testing.assert_array_equal(model.coef_[task], 0)
        scores = model.decision_function(new, np.full(len(new), task))
        np.testing.assert_array_equal(scores, score)
    alone = Ridge().fit(X[tasks == 3], Y[tasks == 3], tasks[tasks == 3])
    np.testing.assert_allclose(model.coef_[3], alone.coef_[3], atol=1e-12)


def test_labels_of_one_class_score_their_constant_beside_the_others(labelled):
    X, Y, new = labelled
    wide = np.column_stack([np.ones(60, int), Y[:, 0], np.zeros(60, int)])
    model = Ridge().fit(X, wide)
    np.testing.assert_array_equal(model.constant_labels_, [0, 2])
    np.testing.assert_array_equal(model.decision_function(new)[:, [0, 2]], [[1.0, -1.0]] * 20)
    np.testing.assert_allclose(model.coef_[1], Ridge().fit(X, Y[:, :1]).coef_[0], atol=1e-12)


def test_a_path_groups_by_the_other_parameters_and_ascends(labelled):
    X, Y, _ = labelled
    grid = [
        {"lam": 3.0},
        {"lam": 2.0, "fit_intercept": False},
        {"lam": 1.0},
        {"lam": 0.5, "fit_intercept": False},
    ]
    assert [index for index, _ in Ridge().fit_path(X, Y, grid)] == [2, 0, 3, 1]


def test_a_path_yields_as_soon_as_a_model_is_ready(labelled):
    X, Y, _ = labelled
    solved = []

    class Counts(Ridge):
        def _solve_path(self, problem, lams):
            for path_parameter in lams:
                solved.append(path_parameter)
                yield from super()._solve_path(problem, [path_parameter])

    next(Counts().fit_path(X, Y, [{"lam": 1.0}, {"lam": 2.0}]))
    assert solved == [1.0]


@pytest.mark.slow
def test_a_path_holds_no_model_that_its_user_has_let_go(labelled):
    X, Y, _ = labelled
    path = Ridge().fit_path(X, Y, [{"lam": lam} for lam in (1.0, 2.0, 3.0, 4.0, 5.0)])
    seen = [weakref.ref(next(path)[1]) for _ in range(4)]
    gc.collect()
    assert [model() is None for model in seen[1:3]] == [True, True]


def test_the_report_tells_what_the_fit_was_worth(labelled):
    X, Y, _ = labelled
    model = Ridge().fit(X, Y)
    assert model.fit_report_ == {
        "gap": 0.25,
        "iterations": 7,
        "oracle_calls": 3,
        "seconds": model.fit_seconds_,
        "converged": True,
    }
    assert model.fit_seconds_ > 0
    trivial = Ridge().fit(X, np.zeros_like(Y))
    assert "oracle_calls" not in trivial.fit_report_
    assert trivial.fit_report_["gap"] == 0


def test_a_fit_that_ends_on_a_limit_says_so(labelled):
    X, Y, _ = labelled
    message = "Ridge with lam=2 ended on max_iter=1: its relative gap is 0.25, above tol=1e-06"
    with pytest.warns(ConvergenceWarning, match=message):
        model = Ridge(lam=2, max_iter=1).fit(X, Y)
    assert model.fit_report_["converged"] is False


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"lam": 0}, "lam must be a number above 0"),
        ({"tol": -1}, "tol must be a number above 0"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1"),
        ({"max_seconds": "long"}, "max_seconds must be a number above 0"),
        ({"fit_intercept": "yes"}, "fit_intercept must be one of True, False"),
    ],
)
def test_wrong_parameters_are_refused(labelled, wrong, complaint):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match=complaint):
        Ridge(**wrong).fit(X, Y)
    with pytest.raises(MethodError, match=complaint):
        list(Ridge().fit_path(X, Y, [{"lam": 1.0}, wrong]))


@pytest.mark.parametrize(("gap", "weight"), [(np.nan, 0.0), (np.inf, 0.0), (0.0, np.nan)])
def test_overflow_is_an_error_not_a_fit(labelled, gap, weight):
    class Overflows(Ridge):
        def _solve_path(self, problem, lams):
            W = np.full((problem.design.n_tasks, problem.design.n_features), weight)
            yield LinearSolution(W, gap, 1)

    X, Y, _ = labelled
    with pytest.raises(MethodError, match=r"Overflows with lam=1 .* scale the features"):
        Overflows().fit(X, Y)


def test_a_second_fit_forgets_the_oracle_calls_of_the_first(labelled):
    X, Y, _ = labelled
    model = Ridge().fit(X, Y)
    assert model.fit_report_["oracle_calls"] == model.n_oracle_calls_ == 3
    model.fit(X, np.zeros_like(Y))
    assert model.n_oracle_calls_ is None
    assert "oracle_calls" not in model.fit_report_
