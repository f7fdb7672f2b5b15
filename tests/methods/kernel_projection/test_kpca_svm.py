from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA
from sklearn.svm import SVC

from mlbench.methods.kernel_projection.kpca_svm import KPCASVM
from mlbench.methods.kernels import median_distance


def test_features_are_those_of_scikit_learn(labelled):
    X, Y, new = labelled
    model = KPCASVM(n_components=5, width=0.7).fit(X, Y)
    gamma = 0.5 / (0.7 * median_distance(X)) ** 2
    theirs = KernelPCA(5, kernel="rbf", gamma=gamma, eigen_solver="dense").fit(X)
    np.testing.assert_allclose(model.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)
    for rows in (X, new):
        mine, others = model.transform(rows), theirs.transform(rows)
        signs = np.sign(np.sum(mine * others, axis=0))
        np.testing.assert_allclose(mine * signs, others, atol=1e-9)


def test_scores_are_those_of_svms_on_the_features(labelled):
    X, Y, new = labelled
    model = KPCASVM(n_components=3, C=2.0).fit(X, Y)
    Z, Z_new = model.transform(X), model.transform(new)
    for label, scores in enumerate(model.decision_function(new).T):
        svm = SVC(C=2.0, kernel="linear", tol=1e-8).fit(Z, Y[:, label])
        np.testing.assert_allclose(scores, svm.decision_function(Z_new), atol=1e-5)


def test_labels_leave_the_features_alone(labelled):
    X, Y, new = labelled
    one, other = (KPCASVM().fit_projection(X, labels).transform(new) for labels in (Y, 1 - Y[::-1]))
    np.testing.assert_array_equal(one, other)


def test_more_dimensions_than_the_rank_are_cut_with_a_warning(labelled):
    X, Y, _ = labelled
    twins = np.vstack([X[:10], X[:10]])
    with pytest.warns(UserWarning, match="n_components=20 was cut to 9"):
        model = KPCASVM().fit(twins, Y[:20])
    assert model.n_components_ == model.r_effective_ == model.transform(X).shape[1] == 9
