from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_sylvester

from mlbench.methods.lspc.sylvester import solve_cg, solve_diagonal, solve_naive


def problem(seed, n, n_basis, n_labels):
    random = np.random.RandomState(seed)
    design = random.randn(n, n_basis)
    half = random.randn(n_labels, n_labels)
    C = half @ half.T + 0.5 * np.eye(n_labels)
    return design, C, random.randn(n_basis, n_labels)


def by_eigenvectors(design, C, right):
    f, V = np.linalg.eigh(design.T @ design)
    g, U = np.linalg.eigh(C)
    return V @ solve_diagonal(f, g, V.T @ right @ U) @ U.T


@given(
    seed=st.integers(0, 1000),
    n=st.integers(1, 12),
    n_basis=st.integers(1, 8),
    n_labels=st.integers(1, 5),
)
@settings(max_examples=40)
def test_all_ways_solve_the_equation(seed, n, n_basis, n_labels):
    design, C, right = problem(seed, n, n_basis, n_labels)
    expected = solve_sylvester(design.T @ design, C, right)
    found, _ = solve_cg(design, C, right, tol=1e-13)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(solve_naive(design, C, right), expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(by_eigenvectors(design, C, right), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("tol", [1e-3, 1e-10])
def test_conjugate_gradients_stop_at_the_residual_asked_for(tol):
    design, C, right = problem(0, 40, 30, 5)
    found, steps = solve_cg(design, C, right, tol=tol)
    residual = design.T @ (design @ found) + found @ C - right
    assert np.linalg.norm(residual) <= 1.1 * tol * np.linalg.norm(right)
    assert 1 <= steps < 150
