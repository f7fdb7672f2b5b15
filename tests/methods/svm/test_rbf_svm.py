from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from mlbench.methods.kernels import median_distance
from mlbench.methods.svm.rbf_svm import RBFSVM


@pytest.mark.parametrize("C", [0.3, 20.0])
def test_scores_are_those_of_scikit_learn(labelled, C):
    X, Y, new = labelled
    model = RBFSVM(width=0.8, C=C).fit(X, Y)
    gamma = 0.5 / (0.8 * median_distance(X)) ** 2
    for label, scores in enumerate(model.decision_function(new).T):
        svm = SVC(C=C, gamma=gamma, tol=1e-9).fit(X, Y[:, label])
        np.testing.assert_allclose(scores, svm.decision_function(new), atol=1e-5)
    assert model.fit_report_["converged"]


def test_squared_hinge_is_a_hinge_without_bounds_on_a_kernel_with_a_ridge(labelled):
    X, Y, new = labelled
    C = 2.0
    model = RBFSVM(C=C, loss="squared_hinge").fit(X, Y)
    K = model.basis_(X)
    svm = SVC(C=1e9, kernel="precomputed", tol=1e-10).fit(K + np.eye(len(X)) / (2 * C), Y[:, 0])
    np.testing.assert_allclose(
        model.decision_function(new)[:, 0], svm.decision_function(model.basis_(new)), atol=1e-6
    )


def test_a_label_of_one_class_and_equal_labels(labelled):
    X, Y, new = labelled
    Y = np.column_stack([np.ones(len(Y), dtype=int), Y, np.zeros(len(Y), dtype=int), Y[:, 0]])
    scores = RBFSVM().fit(X, Y).decision_function(new)
    assert (scores[:, 0] == 1).all()
    assert (scores[:, 4] == -1).all()
    np.testing.assert_array_equal(scores[:, 1], scores[:, 5])


def test_a_path_has_one_kernel_per_width(labelled):
    X, Y, _ = labelled
    grid = [{"width": w, "C": C} for C in (1.0, 0.1) for w in (0.5, 1.0)]
    models = dict(RBFSVM().fit_path(X, Y, grid))
    assert models[0].basis_ is models[2].basis_
    assert models[0].basis_ is not models[1].basis_
