from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mlbench.methods.projection.centered_svd import centered_svd

SHAPES = {"tall": (30, 7), "wide": (12, 40), "square": (15, 15)}
FORMS = {"dense": np.asarray, "sparse": sparse.csr_matrix}


def example(shape):
    random = np.random.RandomState(0)
    return np.maximum(random.randn(*SHAPES[shape]) + 0.5, 0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_that_of_numpy(shape, form):
    X = example(shape)
    centered = X - X.mean(axis=0)
    found = centered_svd(FORMS[form](X))
    expected = np.linalg.svd(centered, compute_uv=False)
    assert found.rank == np.linalg.matrix_rank(centered)
    np.testing.assert_allclose(found.s, expected[: found.rank], rtol=1e-10)
    np.testing.assert_allclose(found.U * found.s @ found.V.T, centered, atol=1e-10)
    for basis in (found.U, found.V):
        np.testing.assert_allclose(basis.T @ basis, np.eye(found.rank), atol=1e-10)
    np.testing.assert_allclose(found.mean, X.mean(axis=0))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_dependent_or_constant_adds_nothing_to_the_rank(shape, form):
    X = example(shape)[:, :5]
    X = np.column_stack([X, X @ [1, 2, 3, 4, 5], np.full(len(X), 10.0)])
    found = centered_svd(FORMS[form](X))
    assert found.rank == 5
    np.testing.assert_allclose(found.U * found.s @ found.V.T, X - X.mean(axis=0), atol=1e-9)
    alone = centered_svd(FORMS[form](X[:, :6])).mean_square
    np.testing.assert_allclose(alone, X[:, :6].var(axis=0).mean() * len(X))
    np.testing.assert_allclose(found.mean_square, alone)


@pytest.mark.parametrize("form", FORMS)
def test_constant_data_have_rank_0(form):
    found = centered_svd(FORMS[form](np.full((6, 3), 0.1)))
    assert found.rank == 0
    assert found.U.shape == (6, 0)
    assert found.V.shape == (3, 0)
    assert found.mean_square == 0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_tolerance_is_relative_to_the_largest(shape, form):
    X = example(shape)
    s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    tolerance = (s[2] + s[3]) / 2 / s[0]
    assert centered_svd(FORMS[form](X), tolerance).rank == 3


@pytest.mark.parametrize("shape", SHAPES)
def test_large_columns_without_zeros_leave_the_others_their_digits(shape):
    X = example(shape)
    year = 1e8 + np.round(10 * np.random.RandomState(1).randn(len(X), 1))
    constant = np.full((len(X), 1), 3e9)
    wide = np.hstack([X, constant, year])
    found = centered_svd(sparse.csr_matrix(wide))
    expected = centered_svd(wide)
    assert found.rank == expected.rank
    np.testing.assert_allclose(found.s, expected.s, rtol=1e-6)
    np.testing.assert_allclose(found.V[-2], 0, atol=1e-9)
