from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg
from sklearn.cross_decomposition import CCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from mlbench.methods.projection.least_squares import (
    CCALS,
    CCASVM,
    LDALS,
    OPLSLS,
    orthonormal_labels,
)
from mlbench.methods.svm.one_vs_rest import LabelSVMs


def span(A):
    Q = np.linalg.qr(A)[0]
    return Q @ Q.T


@pytest.fixture(params=[40, 9])
def data(request):
    random = np.random.RandomState(0)
    X = random.randn(request.param, 12) + 1
    Y = (X[:, :3] + random.randn(request.param, 3) > 1).astype(int)
    Y[0], Y[1] = 0, 1
    return X, Y, random.randn(6, 12)


def test_labels_become_an_orthonormal_basis_of_their_span(labelled):
    Y = labelled[1].astype(float)
    T = orthonormal_labels(Y)
    np.testing.assert_allclose(T.T @ T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(span(T), span(Y - Y.mean(axis=0)), atol=1e-12)


def test_dependent_labels_are_left_out(labelled):
    Y = labelled[1].astype(float)
    more = np.column_stack([Y, Y[:, 0], 1 - Y[:, 1]])
    T = orthonormal_labels(more)
    assert T.shape == (60, 3)
    np.testing.assert_allclose(span(T), span(orthonormal_labels(Y)), atol=1e-12)


@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
def test_directions_are_those_of_the_generalized_eigenproblem(data, ridge):
    X, Y, _ = data
    model = CCASVM(ridge=ridge).fit(X, Y)
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)
    M = Xc.T @ Xc + model.ridge_ * np.eye(12)
    S = Xc.T @ Yc @ np.linalg.pinv(Yc.T @ Yc) @ Yc.T @ Xc
    values, vectors = linalg.eigh(S, M)
    Q = model.scalings_ / np.sqrt(len(X))
    np.testing.assert_allclose(Q.T @ M @ Q, np.eye(3), atol=1e-10)
    np.testing.assert_allclose(model.correlations_**2, values[::-1][:3], rtol=1e-9)
    for r in (1, 2, 3):
        np.testing.assert_allclose(span(Q[:, :r]), span(vectors[:, ::-1][:, :r]), atol=1e-8)


def test_without_a_ridge_it_is_the_cca_of_scikit_learn():
    random = np.random.RandomState(1)
    X = random.randn(200, 5)
    Y = (X[:, :3] + random.randn(200, 3) > 0.3).astype(int)
    model = CCALS(ridge=0.0).fit(X, Y)
    theirs = CCA(n_components=3, max_iter=5000, tol=1e-12).fit(X, Y.astype(float))
    ours, other = model.transform(X), theirs.transform(X)
    for j in range(3):
        assert abs(np.corrcoef(ours[:, j], other[:, j])[0, 1]) > 1 - 1e-8
    labels = theirs.transform(X, Y.astype(float))[1]
    expected = [np.corrcoef(other[:, j], labels[:, j])[0, 1] for j in range(3)]
    np.testing.assert_allclose(model.correlations_, expected, atol=1e-8)


def test_which_combinations_of_labels_are_given_does_not_matter(labelled):
    X, Y, new = labelled
    one = CCALS(n_components=2).fit(X, Y).transform(new)
    other = CCALS(n_components=2).fit(X, np.column_stack([Y, 1 - Y, Y[:, 0]])).transform(new)
    np.testing.assert_allclose(one, other, atol=1e-9)


def test_least_squares_on_the_features_is_what_equation_7_says(data):
    X, Y, new = data
    model = CCALS(n_components=2, ridge=0.3).fit(X, Y)
    Q = np.linalg.qr(model.scalings_)[0]
    Z = (X - X.mean(axis=0)) @ Q
    W = np.linalg.solve(Z.T @ Z + model.ridge_ * np.eye(2), Z.T @ (Y - Y.mean(axis=0)))
    expected = Y.mean(axis=0) + (new - X.mean(axis=0)) @ Q @ W
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-9)


@pytest.mark.parametrize("scaled", [False, True])
def test_the_svms_are_those_on_the_features(data, scaled):
    X, Y, new = data
    model = CCASVM(n_components=2, C=3.0, scaled=scaled).fit(X, Y)
    expected = LabelSVMs(3.0).fit(model.transform(X), Y).decision_function(model.transform(new))
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-9)
    assert model.fit_report_["converged"]


def test_scaled_features_have_their_correlation_for_length(data):
    X, Y, new = data
    plain, scaled = CCASVM().fit(X, Y), CCASVM(scaled=True).fit(X, Y)
    np.testing.assert_allclose(
        scaled.transform(new), plain.transform(new) * plain.correlations_, atol=1e-12
    )


@pytest.mark.parametrize("n", [60, 12])
@pytest.mark.parametrize("r", [1, 2, 3])
def test_it_is_ridge_regression_of_reduced_rank(n, r):
    """The projector is that on the first right singular vectors of the augmented fit."""
    random = np.random.RandomState(0)
    X, new = random.randn(n, 20), random.randn(5, 20)
    Y = (X[:, :4] + 0.5 * random.randn(n, 4) > 0.2).astype(int)
    model = OPLSLS(n_components=r, ridge=0.2).fit(X, Y)
    Xc, Yc, mu = X - X.mean(axis=0), Y - Y.mean(axis=0), model.ridge_
    B = np.linalg.solve(Xc.T @ Xc + mu * np.eye(20), Xc.T @ Yc)
    fit = np.vstack([Xc, np.sqrt(mu) * np.eye(20)]) @ B
    V = np.linalg.svd(fit)[2][:r].T
    expected = Y.mean(axis=0) + (new - X.mean(axis=0)) @ B @ V @ V.T
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-9)


def test_how_labels_are_coded_does_not_matter_to_the_features(labelled):
    X, Y, new = labelled
    one = OPLSLS(n_components=2).fit(X, Y).transform(new)
    other = OPLSLS(n_components=2).fit(X, 1 - Y).transform(new)
    np.testing.assert_allclose(np.abs(one), np.abs(other), atol=1e-10)


def test_scores_are_fitted_indicators_cut_at_a_half(labelled):
    X, Y, _ = labelled
    model = OPLSLS().fit(X, Y)
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores.mean(axis=0), Y.mean(axis=0))
    np.testing.assert_array_equal(model.predict(X), scores > 0.5)


def test_a_label_of_one_class_scores_its_class(labelled):
    X, Y, new = labelled
    Y = np.column_stack([Y[:, 0], np.zeros(60, int), np.ones(60, int)])
    scores = OPLSLS().fit(X, Y).decision_function(new)
    np.testing.assert_array_equal(scores[:, 1], 0)
    np.testing.assert_array_equal(scores[:, 2], 1)


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
