from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from mlbench.methods.lspc.lspc import LSPC
from mlbench.methods.svm.rbf_svm import RBFSVM
from mlbench.methods.svm.svm_ovr import SVMOneVsRest


@pytest.fixture
def tasks():
    """Rows, a label, and three tasks of different sizes."""
    rng = np.random.default_rng(0)
    number = rng.permutation(np.repeat([0, 1, 2], [12, 20, 15]))
    X = rng.standard_normal((47, 3)) * [1, 5, 0.2] + number[:, None]
    Y = (X[:, [0]] + rng.standard_normal((47, 1)) > 1).astype(int)
    return X, Y, number


@pytest.mark.parametrize(
    "model", [SVMOneVsRest(C=0.3), SVMOneVsRest(scale=True), RBFSVM(width=0.7)]
)
def test_each_task_is_a_fit_to_its_own_rows(tasks, model):
    X, Y, number = tasks
    scores = model.fit(X, Y, number).decision_function(X, number)
    for task in range(3):
        own = number == task
        alone = clone(model).fit(X[own], Y[own])
        np.testing.assert_array_equal(scores[own], alone.decision_function(X[own]))
    assert model.fit_report_["converged"]


@pytest.mark.parametrize("model", [SVMOneVsRest(), RBFSVM()])
def test_a_path_over_tasks_is_independent_fits(tasks, model):
    X, Y, number = tasks
    grid = [{"C": 3.0}, {"C": 0.1}, {"loss": "squared_hinge"}]
    for index, fitted in model.fit_path(X, Y, grid, number):
        alone = clone(model).set_params(**grid[index]).fit(X, Y, number)
        np.testing.assert_allclose(
            fitted.decision_function(X, number), alone.decision_function(X, number), atol=1e-6
        )


def test_a_model_can_be_refitted_without_tasks(tasks):
    X, Y, number = tasks
    model = SVMOneVsRest().fit(X, Y, number).fit(X, Y)
    expected = SVMOneVsRest().fit(X, Y).decision_function(X)
    np.testing.assert_array_equal(model.decision_function(X), expected)


@pytest.mark.parametrize("model", [SVMOneVsRest(), RBFSVM()])
def test_a_task_with_one_row_is_scored_by_its_class(model):
    X = np.arange(12.0).reshape(6, 2)
    Y = np.array([[0], [1], [1], [0], [1], [1]])
    fitted = clone(model).fit(X, Y, tasks=np.array([0, 0, 0, 0, 0, 1]))
    assert fitted.decision_function(X[:1], tasks=[1]).tolist() == [[1.0]]
    assert fitted.constant_labels_.tolist() == [1]


@pytest.mark.parametrize(
    ("model", "low"), [(SVMOneVsRest(), -1), (RBFSVM(), -1), (LSPC(), 0), (LSPC(scores="raw"), -1)]
)
def test_a_task_without_rows_has_no_positives(tasks, model, low):
    X, Y, number = tasks
    fitted = clone(model).fit(X, Y, tasks=np.where(number == 1, 3, number))
    assert (fitted.decision_function(X[:4], tasks=[1, 1, 1, 1]) == low).all()


@pytest.mark.parametrize("model", [SVMOneVsRest(), RBFSVM()])
def test_tasks_of_one_class_each_are_fitted_exactly(tasks, model):
    X, _, number = tasks
    fitted = clone(model).fit(X, (number == 1)[:, None].astype(int), number)
    assert fitted.fit_report_ == {"gap": 0.0, "converged": True}


def test_undecided_rows_are_counted_in_the_tasks_of_the_latest_prediction(tasks):
    X, Y, number = tasks
    model = LSPC().fit(X, np.where(number[:, None] == 2, 1, Y), number)
    far = np.full((5, 3), 1e6)
    assert model.decision_function(far, [0, 1, 1, 1, 2]).ravel().tolist() == [0.5] * 4 + [1]
    assert model.n_undefined_ == 4
    model.decision_function(far[:1], [0])
    assert model.n_undefined_ == 1
    assert not hasattr(model, "fit_report_")
