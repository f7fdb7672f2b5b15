from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

from mlbench.methods.kernel_projection import low_rank_update
from mlbench.methods.kernel_projection.low_rank_update import count_above, top_eigenpairs

RANDOM = np.random.RandomState(0)
DIAGONAL = np.sort(RANDOM.rand(90) ** 3)[::-1]
FACTOR = RANDOM.randn(90, 4)
VALUES, VECTORS = linalg.eigh(np.diag(DIAGONAL) + FACTOR @ FACTOR.T)


@pytest.mark.parametrize("dense", [0, 300], ids=["lanczos", "dense"])
def test_the_pairs_are_those_of_the_whole_matrix(monkeypatch, dense):
    monkeypatch.setattr(low_rank_update, "DENSE", dense)
    values, vectors = top_eigenpairs(DIAGONAL, FACTOR, 12)
    np.testing.assert_allclose(values, VALUES[::-1][:12], rtol=1e-12)
    np.testing.assert_allclose(np.abs(np.sum(vectors * VECTORS[:, ::-1][:, :12], axis=0)), 1)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(12), atol=1e-12)


def test_all_of_them_can_be_asked_for():
    values, _ = top_eigenpairs(DIAGONAL, FACTOR, 500)
    np.testing.assert_allclose(values, VALUES[::-1], atol=1e-13)


def test_eigenvalues_are_counted_without_being_found():
    for bound in np.linspace(-0.5, VALUES[-1] + 1, 50):
        assert count_above(DIAGONAL, FACTOR, bound) == np.sum(bound < VALUES)


def test_a_pair_that_lanczos_missed_is_found(monkeypatch):
    monkeypatch.setattr(low_rank_update, "DENSE", 0)
    calls = []

    def forgetful(operator, n_wanted, **_):
        calls.append(n_wanted)
        return VALUES[-n_wanted - 3 : -3], VECTORS[:, -n_wanted - 3 : -3]

    monkeypatch.setattr(low_rank_update, "eigsh", forgetful)
    values, _ = top_eigenpairs(DIAGONAL, FACTOR, 5)
    assert calls == [5]
    np.testing.assert_allclose(values, VALUES[::-1][:5], rtol=1e-12)


def test_nothing_is_found_where_nothing_is_wanted():
    values, vectors = top_eigenpairs(DIAGONAL, FACTOR, 0)
    assert values.shape == (0,)
    assert vectors.shape == (90, 0)
    values, vectors = top_eigenpairs(np.zeros(0), np.zeros((0, 2)), 3)
    assert vectors.shape == (0, 0)
