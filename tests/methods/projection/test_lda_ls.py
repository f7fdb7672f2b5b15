from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from mlbench.methods.projection.lda_ls import LDALS


@pytest.fixture
def classes():
    random = np.random.RandomState(0)
    y = random.choice(4, 90, p=[0.1, 0.2, 0.3, 0.4])
    X = random.randn(90, 6) + 2 * random.randn(4, 6)[y]
    return X, np.eye(4, dtype=int)[y], y


def test_the_target_makes_the_scatter_between_classes(classes):
    X, Y, y = classes
    Xc, T = X - X.mean(axis=0), LDALS()._target(Y.astype(float))
    sizes, n = Y.sum(axis=0), len(X)
    between = sum(
        sizes[j] * np.outer(*[X[y == j].mean(axis=0) - X.mean(axis=0)] * 2) for j in range(4)
    )
    np.testing.assert_allclose(Xc.T @ T @ T.T @ Xc, n * between, rtol=1e-10)
    np.testing.assert_allclose(T.mean(axis=0), 0, atol=1e-12)
    printed = np.where(Y == 1, np.sqrt(n / sizes) - np.sqrt(sizes / n), -np.sqrt(sizes / n))
    np.testing.assert_allclose(T, printed, atol=1e-12)


@pytest.mark.parametrize("r", [1, 2, 3])
def test_its_features_span_those_of_scikit_learn(classes, r):
    X, Y, y = classes
    model = LDALS(n_components=r, ridge=0.0).fit(X, Y)
    theirs = LinearDiscriminantAnalysis(solver="eigen", n_components=r).fit(X, y)
    ours = np.linalg.qr(model.scalings_)[0]
    other = np.linalg.qr(theirs.scalings_[:, :r])[0]
    np.testing.assert_allclose(ours @ ours.T, other @ other.T, atol=1e-9)


def test_it_has_a_feature_less_than_disjoint_classes(classes):
    X, Y, _ = classes
    assert LDALS().fit(X, Y).r_effective_ == 3


def test_overlapping_labels_are_classes_whose_means_are_separated(labelled):
    X, Y, _ = labelled
    T = LDALS()._target(Y.astype(float))
    Xc, n = X - X.mean(axis=0), len(X)
    means = np.array([Xc[Y[:, j] == 1].mean(axis=0) for j in range(3)])
    between = means.T @ np.diag(Y.sum(axis=0)) @ means
    np.testing.assert_allclose(Xc.T @ T @ T.T @ Xc, n * between, rtol=1e-10)
