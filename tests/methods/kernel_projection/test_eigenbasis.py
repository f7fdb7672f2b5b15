from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import KernelCenterer

from mlbench.methods.kernel_projection.eigenbasis import GaussianEigenbasis
from mlbench.methods.kernels import Centers

RANDOM = np.random.RandomState(0)
X, NEW = RANDOM.randn(30, 3), RANDOM.randn(11, 3)
SIGMA = 1.3
K, K_NEW = (rbf_kernel(rows, X, gamma=0.5 / SIGMA**2) for rows in (X, NEW))
CENTERER = KernelCenterer().fit(K)


def space(rows=X, center=True):
    centers = Centers(rows)
    squared = centers.fit_scale(rows)
    before = squared.copy()
    made = GaussianEigenbasis(centers, squared, SIGMA, center, 1e-10)
    np.testing.assert_array_equal(squared, before)
    return made


@pytest.mark.parametrize("center", [True, False])
def test_it_is_the_eigenbasis_of_the_kernel(center):
    made = space(center=center)
    kernel = CENTERER.transform(K) if center else K
    np.testing.assert_allclose((made.vectors * made.values) @ made.vectors.T, kernel, atol=1e-12)
    np.testing.assert_allclose(made.vectors.T @ made.vectors, np.eye(len(made.values)), atol=1e-9)
    assert (np.diff(made.values) < 0).all()


@pytest.mark.parametrize("center", [True, False])
def test_features_of_new_rows_come_from_the_centered_kernel_of_new_rows(center):
    made = space(center=center)
    coefficients = np.random.RandomState(1).randn(len(made.values), 4)
    kernel = CENTERER.transform(K_NEW) if center else K_NEW
    expected = kernel @ made.vectors @ coefficients
    np.testing.assert_allclose(made.features(coefficients)(NEW), expected, atol=1e-12)


def test_features_of_the_training_rows_are_what_the_eigenbasis_says():
    made = space()
    coefficients = np.random.RandomState(1).randn(len(made.values), 4)
    expected = (made.vectors * made.values) @ coefficients
    np.testing.assert_allclose(made.features(coefficients)(X), expected, atol=1e-12)


def test_centered_vectors_sum_to_0():
    np.testing.assert_allclose(space().vectors.sum(axis=0), 0, atol=1e-14)


@pytest.mark.parametrize("center", [True, False])
def test_repeated_rows_lower_the_rank(center):
    assert len(space(np.vstack([X, X[:7]]), center).values) == 30 - center


def test_equal_rows_leave_nothing():
    made = space(np.ones((6, 2)))
    assert made.vectors.shape == (6, 0)
    assert made.features(np.zeros((0, 0)))(NEW[:, :2]).shape == (11, 0)


def test_sparse_rows_have_the_same_space():
    dense, slim = space(np.maximum(X, 0)), space(sparse.csr_matrix(np.maximum(X, 0)))
    np.testing.assert_allclose(dense.values, slim.values, atol=1e-13)


def test_features_survive_pickling():
    features = space().features(np.eye(29, 3))
    again = pickle.loads(pickle.dumps(features))
    np.testing.assert_array_equal(again(NEW), features(NEW))
