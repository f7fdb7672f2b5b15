"""Centered columns against centering by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mlbench.solvers.elastic_net.centered_columns import centered_columns

KINDS = {"dense": np.array, "sparse": sparse.csr_matrix}


def data(n, d):
    random = np.random.RandomState(1)
    X = np.where(random.rand(n, d) < 0.4, random.randn(n, d) + 2, 0)
    X[:, 2] = 0.1  # constant
    X[:, 4] = 0
    return X, random.randn(n, 3)


def standardized(X, standardize):
    kept = np.flatnonzero(np.ptp(X, axis=0) > 0)
    A = X[:, kept] - X[:, kept].mean(axis=0)
    return kept, A / A.std(axis=0) if standardize else A


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("shape", [(30, 8), (9, 20)])
@pytest.mark.parametrize("kind", KINDS)
def test_products_are_those_of_the_centered_matrix(kind, shape, standardize):
    X, T = data(*shape)
    T -= T.mean(axis=0)
    kept, A = standardized(X, standardize)
    columns = centered_columns(KINDS[kind](X), standardize)
    assert columns.kept.tolist() == kept.tolist()
    np.testing.assert_allclose(columns.products(columns.reduced(T)), A.T @ T, atol=1e-12)
    np.testing.assert_allclose(columns.squares, (A**2).sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose((X[:, kept] - columns.mean) / columns.scale, A, atol=1e-12)


def test_a_tall_dense_matrix_is_replaced_by_its_triangular_factor():
    X, T = data(30, 8)
    columns = centered_columns(X)
    assert columns.n_rows == columns.n_columns == 6
    R = columns.data.reshape(6, 6).T
    _, A = standardized(X, True)
    np.testing.assert_allclose(R.T @ R, A.T @ A, atol=1e-12)
    np.testing.assert_allclose(columns.basis @ R, A, atol=1e-12)
    assert columns.reduced(T).shape == (6, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_without_columns_that_vary_nothing_is_left(kind):
    columns = centered_columns(KINDS[kind](np.ones((5, 3))))
    assert columns.n_columns == 0
    assert columns.products(np.zeros((columns.n_rows, 2))).shape == (0, 2)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("zeros", [0, 3])
def test_large_sparse_columns_that_vary_little_keep_their_digits(zeros, standardize):
    X, T = data(30, 8)
    X[:, 1] = 1e9 + np.round(10 * np.random.RandomState(2).randn(30))
    X[:zeros, 1] = 0
    T -= T.mean(axis=0)
    _, A = standardized(X, standardize)
    columns = centered_columns(sparse.csr_matrix(X), standardize)
    size = np.abs(A).max(axis=0)[:, None]
    np.testing.assert_allclose(columns.products(T) / size, A.T @ T / size, atol=1e-12)
    np.testing.assert_array_equal(columns.shift != 0, (X != 0).mean(axis=0)[columns.kept] < 0.5)
