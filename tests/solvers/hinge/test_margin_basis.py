"""The inverse of the basis after every kind of exchange is that of the new basis."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.solvers.hinge.margin_basis import Basis, exchange, invert


@pytest.fixture
def basis():
    random = np.random.RandomState(0)
    X, y = random.randn(12, 9), random.choice([-1.0, 1.0], 12)
    samples, features = np.zeros(9, dtype=np.int64), np.zeros(9, dtype=np.int64)
    samples[:4], features[:4] = [3, 7, 1, 10], [2, 8, 0, 5]
    inverse = np.zeros((9, 9))
    assert invert(X, y, Basis(samples, features, inverse), 4)
    return X, y, samples, features, inverse


@pytest.mark.parametrize(
    ("leaving", "blocking", "joining", "entering", "samples_after", "features_after"),
    [
        (1, -1, 6, -1, {3, 6, 1, 10}, {2, 8, 0, 5}),
        (-1, 2, -1, 4, {3, 7, 1, 10}, {2, 8, 4, 5}),
        (1, 2, -1, -1, {3, 1, 10}, {2, 8, 5}),
        (3, 3, -1, -1, {3, 7, 1}, {2, 8, 0}),
        (-1, -1, 6, 4, {3, 7, 1, 10, 6}, {2, 8, 0, 5, 4}),
    ],
    ids=["sample for sample", "feature for feature", "both go", "the last go", "both come"],
)
def test_an_exchange(basis, leaving, blocking, joining, entering, samples_after, features_after):
    X, y, samples, features, inverse = basis
    size = exchange(
        X, y, Basis(samples, features, inverse), 4, leaving, blocking, joining, entering
    )
    assert set(samples[:size]) == samples_after
    assert set(features[:size]) == features_after
    rows = y[samples[:size], None] * X[np.ix_(samples[:size], features[:size])]
    np.testing.assert_allclose(inverse[:size, :size] @ rows, np.eye(size), atol=1e-10)


def test_from_nothing_to_one_and_back(basis):
    X, y, samples, features, inverse = basis
    assert exchange(X, y, Basis(samples, features, inverse), 0, -1, -1, 6, 4) == 1
    assert inverse[0, 0] == pytest.approx(1 / (y[6] * X[6, 4]))
    assert exchange(X, y, Basis(samples, features, inverse), 1, 0, 0, -1, -1) == 0


def test_a_basis_that_would_be_singular_is_refused(basis):
    X, y, samples, features, inverse = basis
    X[6] = X[7]
    assert exchange(X, y, Basis(samples, features, inverse), 4, 0, -1, 6, -1) == -1
