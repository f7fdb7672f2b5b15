"""The parts of the trace norm's rounds, against finite differences and brute force."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from mlbench.solvers.newton.spectrum import TangentSpace, left_basis, rows_minimum


@pytest.fixture(params=[(3, 5), (6, 4)])
def W(request):
    random = np.random.RandomState(1)
    return random.randn(request.param[0], 2) @ random.randn(2, request.param[1])


def gradient(W):
    U, _, Vt = np.linalg.svd(W, full_matrices=False)
    return U[:, :2] @ Vt[:2]


def test_the_trace_norm_curves_along_tangents_as_its_gradient_changes(W):
    tangent = TangentSpace(W)
    Z = tangent.project(np.random.RandomState(3).randn(*W.shape))
    step = 1e-6
    U, _, Vt = np.linalg.svd(W + step * Z, full_matrices=False)
    numeric = tangent.project(U[:, :2] @ Vt[:2] - gradient(W)) / step
    assert tangent.rank == 2
    np.testing.assert_allclose(tangent.curve(Z), numeric, atol=1e-4)
    np.testing.assert_allclose(tangent.gradient, gradient(W), atol=1e-12)


def test_a_tangent_is_its_own_projection_and_the_rest_is_orthogonal(W):
    tangent, Z = TangentSpace(W), np.random.RandomState(4).randn(*W.shape)
    inside = tangent.project(Z)
    np.testing.assert_allclose(tangent.project(inside), inside, atol=1e-12)
    assert np.vdot(inside, Z - inside) == pytest.approx(0, abs=1e-10)


def test_the_minimum_over_rows_is_that_of_another_optimizer():
    random = np.random.RandomState(0)
    h, C = np.array([4.0, 1.0, 0.1]), random.randn(2, 3)
    basis = np.linalg.qr(random.randn(2, 2))[0]
    alpha = np.linalg.norm(basis.T @ C, axis=1).mean()

    def objective(flat):
        W = flat.reshape(2, 3)
        rows = np.linalg.norm(basis.T @ W, axis=1).sum()
        return 0.5 * np.vdot(W, W * h) - np.vdot(C, W) + alpha * rows

    found = rows_minimum(h, C, basis, alpha)
    other = minimize(
        objective,
        np.ones(6),
        method="Nelder-Mead",
        options={"maxiter": 20000, "xatol": 1e-9, "fatol": 1e-13},
    )
    assert objective(found.ravel()) <= other.fun + 1e-9
    assert np.sum(np.linalg.norm(basis.T @ found, axis=1) > 1e-12) == 1


def test_the_basis_is_orthonormal_and_holds_the_left_singular_vectors(W):
    basis = left_basis(W, np.random.RandomState(6).randn(*W.shape))
    np.testing.assert_allclose(basis.T @ basis, np.eye(len(basis)), atol=1e-12)
    norms = np.linalg.norm(basis.T @ W, axis=1)
    np.testing.assert_allclose(np.sort(norms)[-2:], np.linalg.svd(W)[1][1::-1], rtol=1e-9)
