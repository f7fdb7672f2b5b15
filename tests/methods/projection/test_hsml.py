from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import linalg

from mlbench.errors import MethodError
from mlbench.methods.projection.hsml import EDGE_WEIGHTS, HSML, LAPLACIANS, hypergraph_factor
from mlbench.methods.svm.one_vs_rest import LabelSVMs


def similarity(H, laplacian, edge_weight):
    """S as the definitions have it, by diagonal matrices and loops."""
    size = H.sum(axis=0)
    W = np.diag(np.ones(H.shape[1]) if edge_weight == "one" else 1 / size)
    if laplacian == "zhou":
        A = H @ W @ np.diag(1 / size) @ H.T
        degree = np.array([sum(W[e, e] * row[e] for e in range(H.shape[1])) for row in H])
    elif laplacian == "clique":
        A = H @ W @ H.T
        degree = A.sum(axis=1)
    else:
        n, k = H.shape
        graph = np.zeros((n + k, n + k))
        graph[:n, n:] = H @ W
        graph += graph.T
        root = np.diag(graph.sum(axis=1) ** -0.5)
        normalized = root @ graph @ root
        return normalized[:n, n:] @ normalized[n:, :n]
    root = np.diag(degree**-0.5)
    return root @ A @ root


@pytest.fixture
def data():
    random = np.random.RandomState(0)
    X = random.randn(40, 7) + 1
    Y = (X[:, :4] + random.randn(40, 4) > 1).astype(int)
    Y[Y.sum(axis=1) == 0, 0] = 1
    return X, Y, random.randn(9, 7)


@pytest.mark.parametrize("edge_weight", EDGE_WEIGHTS)
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_the_factor_is_that_of_the_similarity(data, laplacian, edge_weight):
    H = data[1].astype(float)
    C = hypergraph_factor(H, laplacian, edge_weight)
    np.testing.assert_allclose(C @ C.T, similarity(H, laplacian, edge_weight), atol=1e-12)


@pytest.mark.parametrize("edge_weight", EDGE_WEIGHTS)
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_the_largest_eigenvalue_is_1_and_its_vector_the_root_of_the_degrees(
    data, laplacian, edge_weight
):
    H = data[1].astype(float)
    C = hypergraph_factor(H, laplacian, edge_weight)
    weight = np.ones(4) if edge_weight == "one" else 1 / H.sum(axis=0)
    degree = H @ (weight * H.sum(axis=0)) if laplacian == "clique" else H @ weight
    np.testing.assert_allclose(C @ (C.T @ np.sqrt(degree)), np.sqrt(degree), atol=1e-12)
    values = np.linalg.eigvalsh(C @ C.T)
    assert values.min() > -1e-12
    assert values.max() < 1 + 1e-12


@pytest.mark.parametrize("laplacian", LAPLACIANS)
@pytest.mark.parametrize("ridge", [0.01, 1.0])
@pytest.mark.parametrize("n", [40, 6])
def test_features_are_those_of_the_generalized_eigenproblem(data, laplacian, ridge, n):
    X, Y, _ = data
    X, Y = X[:n], Y[:n]
    model = HSML(ridge=ridge, laplacian=laplacian, scaled=False).fit(X, Y)
    Xc = X - X.mean(axis=0)
    M = Xc.T @ Xc + model.ridge_ * np.eye(7)
    varied = Y[:, np.ptp(Y, axis=0) > 0].astype(float)
    H = varied
    C = hypergraph_factor(H, laplacian)
    values, vectors = linalg.eigh(Xc.T @ C @ C.T @ Xc, M)
    r = model.r_effective_
    assert r == min(np.linalg.matrix_rank(Xc.T @ C), H.shape[1])
    np.testing.assert_allclose(model.correlations_**2, values[::-1][:r], atol=1e-10)
    W = model.scalings_ / np.sqrt(n)
    np.testing.assert_allclose(W.T @ M @ W, np.eye(r), atol=1e-10)
    ours, theirs = np.linalg.qr(W)[0], np.linalg.qr(vectors[:, ::-1][:, :r])[0]
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-8)


def test_scaled_features_are_those_of_ridge_regression_on_the_factor(data):
    """Up to a rotation: products of rows are equal."""
    X, Y, new = data
    model = HSML(ridge=0.3).fit(X, Y)
    Xc, C = X - X.mean(axis=0), hypergraph_factor(Y.astype(float))
    fitted = np.linalg.solve(Xc.T @ Xc + model.ridge_ * np.eye(7), Xc.T @ C)
    Z, fit = model.transform(new), np.sqrt(40) * (new - X.mean(axis=0)) @ fitted
    np.testing.assert_allclose(Z @ Z.T, fit @ fit.T, atol=1e-10)


def test_with_more_features_than_rows_and_no_ridge_the_factor_is_reproduced():
    """The least-squares form: regression on C is the eigenproblem's solution, scaled."""
    random = np.random.RandomState(0)
    X = random.randn(15, 40)
    Y = random.randint(0, 2, (15, 3))
    Y[0], Y[1] = 0, 1
    model = HSML(ridge=0.0).fit(X, Y)
    C = hypergraph_factor(Y.astype(float))
    centered = np.sqrt(15) * (C - C.mean(axis=0))
    Z = model.transform(X)
    np.testing.assert_allclose(Z @ Z.T, centered @ centered.T, atol=1e-9)


def test_star_and_zhou_give_the_same_scores(data):
    X, Y, new = data
    one = HSML(laplacian="star").fit(X, Y).decision_function(new)
    np.testing.assert_allclose(one, HSML().fit(X, Y).decision_function(new), atol=1e-12)
    other = HSML(laplacian="clique").fit(X, Y).decision_function(new)
    assert np.abs(one - other).max() > 1e-4


def test_rows_without_labels_are_vertices_of_no_edge(data):
    X, Y, _ = data
    Y[:5] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        C = hypergraph_factor(Y.astype(float), "clique", "inverse_size")
        HSML().fit(X, Y)
    np.testing.assert_array_equal(C[:5], 0)


def test_one_label_ranks_as_ridge_regression(data):
    X, Y, new = data
    model = HSML(ridge=0.5).fit(X, Y[:, :1])
    assert model.r_effective_ == 1
    Xc = X - X.mean(axis=0)
    ridge = np.linalg.solve(Xc.T @ Xc + model.ridge_ * np.eye(7), Xc.T @ Y[:, 0])
    order = np.argsort((new - X.mean(axis=0)) @ ridge)
    np.testing.assert_array_equal(np.argsort(model.decision_function(new)[:, 0]), order)


def test_the_svms_are_those_on_the_features(data):
    X, Y, new = data
    model = HSML(n_components=2, C=3.0).fit(X, Y)
    expected = LabelSVMs(3.0).fit(model.transform(X), Y).decision_function(model.transform(new))
    np.testing.assert_allclose(model.decision_function(new), expected, atol=1e-9)


def test_other_laplacians_are_refused(data):
    X, Y, _ = data
    with pytest.raises(MethodError, match="laplacian must be one of 'zhou', 'clique', 'star'"):
        HSML(laplacian="other").fit(X, Y)
    with pytest.raises(MethodError, match="edge_weight must be one of 'one', 'inverse_size'"):
        HSML(edge_weight="other").fit(X, Y)
