from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mlbench.methods.svm import gram
from mlbench.methods.svm.gram import FeatureProducts, GramProducts, row_products


@pytest.fixture
def data():
    random = np.random.RandomState(0)
    return np.maximum(random.randn(12, 5), 0), random.randn(12), np.array([0, 2, 3, 7, 9])


FORMS = {
    "gram": lambda Z: GramProducts(Z @ Z.T),
    "tall": FeatureProducts,
    "sparse": lambda Z: FeatureProducts(sparse.csr_matrix(Z)),
}


@pytest.mark.parametrize("form", FORMS)
def test_products(data, form):
    Z, beta, some = data
    rows = FORMS[form](Z)
    np.testing.assert_allclose(rows.products(beta), Z @ Z.T @ beta, atol=1e-12)
    few = np.zeros(12)
    few[some] = beta[some]
    np.testing.assert_allclose(rows.products(few), Z @ Z.T @ few, atol=1e-12)
    np.testing.assert_allclose(rows.block(some), Z[some] @ Z[some].T, atol=1e-12)
    features = np.asarray(sparse.csr_matrix(rows.features).todense())
    np.testing.assert_allclose(features @ features.T, Z @ Z.T, atol=1e-12)


@pytest.mark.parametrize("most", [1, 3000])
@pytest.mark.parametrize("form", FORMS)
def test_ridge_regression_with_a_free_bias(data, form, most, monkeypatch):
    monkeypatch.setattr(gram, "MAX_EQUATIONS", most)
    Z, y, some = data
    A, t = Z[some], y[some]
    B = np.column_stack([A, np.ones(5)])
    expected = np.linalg.solve(B.T @ B + 0.3 * np.diag([1, 1, 1, 1, 1, 0]), B.T @ t)
    beta, bias, products = FORMS[form](Z).ridge(some, t, 0.3)
    np.testing.assert_allclose(A.T @ beta, expected[:5], atol=1e-10)
    np.testing.assert_allclose(bias, expected[5], atol=1e-10)
    np.testing.assert_allclose(beta.sum(), 0, atol=1e-10)
    np.testing.assert_allclose(products, Z @ expected[:5], atol=1e-10)


@pytest.mark.parametrize("few", [5, 6, 9])
@pytest.mark.parametrize("penalty", [1e-6, 1e-12])
def test_multipliers_keep_their_digits_where_the_penalty_is_small(few, penalty):
    random = np.random.RandomState(1)
    Z = random.randn(12, 5)
    some = np.arange(few)
    weights = random.randn(5)
    t = Z[some] @ weights + (1e-3 * random.randn(few) if few > 6 else 0)
    beta, bias, products = FeatureProducts(Z).ridge(some, t, penalty)
    centered = Z[some] - Z[some].mean(axis=0)
    with_weights = Z[some] @ (Z[some].T @ beta)
    size = np.abs(beta).sum()
    np.testing.assert_allclose(with_weights + bias + penalty * beta, t, atol=1e-13 * (1 + size))
    np.testing.assert_allclose(products[some], with_weights, atol=1e-13 * (1 + size))
    if few <= 6:  # they can be fitted exactly: beta is no larger than the weights ask for
        assert size < 10 * np.linalg.norm(np.linalg.pinv(centered).T @ weights, 1)


@pytest.mark.parametrize("shape", [(9, 3), (3, 9)])
@pytest.mark.parametrize("slim", [False, True])
def test_the_form_follows_the_shape_and_the_origin_is_taken_away(shape, slim):
    Z = np.maximum(np.random.RandomState(0).randn(*shape), 0) + (0 if slim else 5)
    rows, origin = row_products(sparse.csr_matrix(Z) if slim else Z)
    assert isinstance(rows, FeatureProducts if shape[0] > shape[1] else GramProducts)
    beta = np.arange(shape[0]) - (shape[0] - 1) / 2
    moved = Z - origin
    np.testing.assert_allclose(rows.products(beta), moved @ moved.T @ beta, atol=1e-12)


def test_many_rows_have_no_gram_matrix(monkeypatch):
    monkeypatch.setattr(gram, "GRAM_ROWS", 10)
    assert isinstance(row_products(np.ones((11, 30)))[0], FeatureProducts)


def test_many_features_have_one(monkeypatch):
    monkeypatch.setattr(gram, "FEW_FEATURES", 3)
    assert isinstance(row_products(np.ones((11, 4)))[0], GramProducts)
