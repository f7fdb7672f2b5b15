from __future__ import annotations

import pickle

import numpy as np
from scipy import sparse

from mlbench.methods.memoize import LastResultCache


class Counter:
    """Sums a matrix and counts how often."""

    calls = 0

    def __call__(self, X):
        self.calls += 1
        return X.sum()


def test_the_latest_result_is_computed_once():
    X = np.arange(6.0).reshape(2, 3)
    total = LastResultCache(Counter())
    assert [total(X), total(X.copy()), total(X)] == [15.0] * 3
    assert total.function.calls == 1
    total(X[:1])
    total(X)
    assert total.function.calls == 3


def test_a_matrix_changed_in_place_is_not_mistaken_for_what_it_was():
    X = np.ones((2, 3))
    total = LastResultCache(Counter())
    total(X)
    X[0, 0] = 5
    assert total(X) == 10.0


def test_sparse_matrices_of_one_shape_are_told_apart():
    total = LastResultCache(Counter())
    assert total(sparse.csr_matrix(np.eye(3))) == 3
    assert total(sparse.csr_matrix(np.eye(3)[::-1] * 2)) == 6


def test_a_pickle_leaves_the_memory_behind():
    total = LastResultCache(Counter())
    total(np.ones((200, 200)))
    again = pickle.loads(pickle.dumps(total))
    assert len(pickle.dumps(total)) < 1000
    assert again(np.ones((2, 2))) == 4.0
