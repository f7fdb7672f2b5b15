from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics.pairwise import rbf_kernel

from mlbench.methods import kernels
from mlbench.methods.kernels import (
    Centers,
    GaussianBasis,
    gram_eigenpairs,
    median_distance,
    squared_distances,
)

RANDOM = np.random.RandomState(0)
A = RANDOM.randn(12, 5)
B = RANDOM.randn(9, 5)
FORMS = [np.asarray, sparse.csr_matrix]


@pytest.mark.parametrize("form_a", FORMS)
@pytest.mark.parametrize("form_b", FORMS)
def test_squared_distances_are_those_of_scipy(form_a, form_b):
    found = squared_distances(form_a(A), form_b(B))
    np.testing.assert_allclose(found, cdist(A, B, "sqeuclidean"), atol=1e-13)


def test_rows_far_from_the_origin_keep_their_digits():
    far_a, far_b = A + 1e6, B + 1e6
    differences = far_a[:, None, :] - far_b[None, :, :]
    naive = (differences**2).sum(axis=2)
    np.testing.assert_allclose(squared_distances(far_a, far_b), naive, rtol=1e-8)
    basis = GaussianBasis(Centers(far_b), sigma=1.7)
    np.testing.assert_allclose(basis(far_a), np.exp(-naive / (2 * 1.7**2)), rtol=1e-8)


@pytest.mark.parametrize("form", FORMS)
def test_a_row_is_at_distance_0_from_itself(form):
    X = form(A + 1e3)
    assert (np.diag(squared_distances(X, X)) == 0).all()


@pytest.mark.parametrize("form", FORMS)
def test_the_scale_is_the_median_over_pairs(form):
    X = form(A)
    assert median_distance(X) == pytest.approx(np.median(pdist(A)), rel=1e-13)
    centers = Centers(X)
    centers.fit_scale(X)
    assert centers.scale == pytest.approx(np.median(pdist(A)), rel=1e-13)


def test_the_scale_of_many_rows_comes_from_a_subsample(monkeypatch):
    X = np.random.RandomState(0).randn(400, 5)
    monkeypatch.setattr(kernels, "MEDIAN_ROWS", 100)
    assert median_distance(X) == median_distance(X)
    assert median_distance(X) == pytest.approx(np.median(pdist(X)), rel=0.05)


def test_coinciding_rows_leave_a_scale():
    assert median_distance(np.zeros((5, 2))) == 1.0
    mostly = np.array([[0.0]] * 9 + [[3.0]])
    assert median_distance(mostly) == 3.0


@pytest.mark.parametrize("rotation", [None, RANDOM.randn(12, 12)])
def test_basis_functions_are_gaussians(rotation):
    basis = GaussianBasis(Centers(A), sigma=1.7, rotation=rotation)
    expected = rbf_kernel(B, A, gamma=0.5 / 1.7**2)
    np.testing.assert_allclose(
        basis(B), expected if rotation is None else expected @ rotation, atol=1e-13
    )


def test_a_draw_of_centers_depends_on_the_seed_only():
    points = Centers(A, n_basis=4, random_state=3).points
    np.testing.assert_array_equal(points, Centers(A, n_basis=4, random_state=3).points)
    assert points.shape == (4, 5)
    assert not np.array_equal(points, Centers(A, n_basis=4, random_state=4).points)


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_eigenvectors_decompose_the_product_of_the_design(symmetric):
    design = rbf_kernel(A) if symmetric else rbf_kernel(A, B)
    f, V = gram_eigenpairs(design.copy(), symmetric)
    np.testing.assert_allclose(V * f @ V.T, design.T @ design, atol=1e-12)
    np.testing.assert_allclose(V.T @ V, np.eye(len(f)), atol=1e-12)
