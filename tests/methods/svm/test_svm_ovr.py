from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mlbench.methods.svm.svm_ovr import SVMOneVsRest


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_it_is_libsvm_label_by_label(labelled, C):
    X, Y, new = labelled
    model = SVMOneVsRest(C=C).fit(X, Y)
    for j in range(3):
        theirs = SVC(C=C, kernel="linear", tol=1e-9).fit(X, Y[:, j])
        np.testing.assert_allclose(
            model.decision_function(new)[:, j], theirs.decision_function(new), atol=3e-6
        )
        np.testing.assert_allclose(model.coef_[j], theirs.coef_[0], atol=3e-6)
        np.testing.assert_allclose(model.intercept_[j], theirs.intercept_[0], atol=3e-6)
    np.testing.assert_array_equal(model.predict(new), model.decision_function(new) > 0)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_scaled_features_have_unit_variance(labelled, form):
    X, Y, new = labelled
    X, new = np.maximum(X, 0) * [1, 10, 0.1, 3], np.maximum(new, 0) * [1, 10, 0.1, 3]
    scaler = StandardScaler().fit(X)
    expected = SVMOneVsRest().fit(scaler.transform(X), Y).decision_function(scaler.transform(new))
    model = SVMOneVsRest(scale=True).fit(form(X), Y)
    np.testing.assert_allclose(model.decision_function(form(new)), expected, atol=1e-9)
    assert np.abs(SVMOneVsRest().fit(X, Y).decision_function(new) - expected).max() > 1e-3


def test_its_report_has_the_gap(labelled):
    X, Y, _ = labelled
    report = SVMOneVsRest().fit(X, Y).fit_report_
    assert report["converged"]
    assert 0 <= report["gap"] < 1e-10
