from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import roc_auc_score

from mlbench.methods.projection.lda_svm import LDASVM
from mlbench.methods.svm.one_vs_rest import LabelSVMs


def along(w):
    return w / np.linalg.norm(w, axis=0)


@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("d", [4, 100])
def test_the_direction_is_that_of_the_discriminant_and_of_ridge_regression(ridge, d):
    random = np.random.RandomState(0)
    X = random.randn(50, d)
    Y = (X[:, :3] + random.randn(50, 3) > 0.2).astype(int)
    model = LDASVM(ridge=ridge).fit(X, Y)
    Xc, g = X - X.mean(axis=0), model.ridge_ * np.eye(d)
    coef = np.linalg.solve(Xc.T @ Xc + g, Xc.T @ Y)
    np.testing.assert_allclose(along(model.scalings_), along(coef), atol=1e-9)
    for j in range(3):
        ones, zeros = X[Y[:, j] == 1], X[Y[:, j] == 0]
        apart = ones.mean(axis=0) - zeros.mean(axis=0)
        within = sum(
            (part - part.mean(axis=0)).T @ (part - part.mean(axis=0)) for part in (ones, zeros)
        )
        for scatter in (Xc.T @ Xc, within):
            w = np.linalg.solve(scatter + g, apart)
            np.testing.assert_allclose(along(model.scalings_)[:, j], along(w), atol=1e-9)


def test_it_ranks_as_lda_or_the_other_way_round(labelled):
    X, Y, new = labelled
    model = LDASVM(ridge=0.0).fit(X, Y)
    for j in range(3):
        theirs = LinearDiscriminantAnalysis().fit(X, Y[:, j])
        auc = roc_auc_score(Y[:, j], model.decision_function(X)[:, j])
        expected = roc_auc_score(Y[:, j], theirs.decision_function(X))
        assert min(abs(auc - expected), abs(auc - (1 - expected))) < 1e-12
        together = np.corrcoef(model.decision_function(new)[:, j], theirs.decision_function(new))
        assert abs(together[0, 1]) > 1 - 1e-10


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_svm_of_a_label_sees_its_own_number_only(labelled, loss):
    X, Y, new = labelled
    model = LDASVM(C=0.7, loss=loss).fit(X, Y)
    Z, fresh = model.transform(X), model.transform(new)
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(Z.std(axis=0), 1)
    for j in range(3):
        machine = LabelSVMs(0.7, loss).fit(Z[:, [j]], Y[:, [j]])
        expected = machine.decision_function(fresh[:, [j]])[:, 0]
        np.testing.assert_allclose(model.decision_function(new)[:, j], expected, atol=1e-9)
    assert model.fit_report_["converged"]


def test_without_a_ridge_the_rows_of_a_class_fall_on_one_point():
    random = np.random.RandomState(0)
    X, Y = random.randn(20, 60), random.randint(0, 2, (20, 2))
    Z = LDASVM(ridge=0.0).fit(X, Y).transform(X)
    for j in range(2):
        assert np.ptp(Z[Y[:, j] == 1, j]) < 1e-10
        assert np.ptp(Z[Y[:, j] == 0, j]) < 1e-10


def test_a_label_of_one_class_has_no_direction(labelled):
    X, Y, new = labelled
    Y[:, 1] = 1
    model = LDASVM().fit(X, Y)
    np.testing.assert_array_equal(model.scalings_[:, 1], 0)
    np.testing.assert_array_equal(model.decision_function(new)[:, 1], 1)
