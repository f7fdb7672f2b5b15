from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from mlbench.methods.adaptation import neighbors
from mlbench.methods.adaptation.neighbors import NeighborSearch


def by_sorting(X, new, k, leave_out=False):
    """Sort all (distance, index) pairs."""
    found = []
    for row, x in enumerate(new):
        squared = np.sum((X - x) ** 2, axis=1)
        order = sorted((d, i) for i, d in enumerate(squared) if not (leave_out and i == row))
        found.append([i for _, i in order[:k]])
    return np.array(found)


coordinates = st.integers(-2, 2).map(float)  # few values: many ties
points = st.integers(2, 12).flatmap(lambda n: arrays(np.float64, (n, 2), elements=coordinates))


@given(points, st.data())
@settings(max_examples=60)
def test_ties_go_to_the_row_that_comes_first(X, data):
    k = data.draw(st.integers(1, len(X) - 1))
    search = NeighborSearch(X, k)
    np.testing.assert_array_equal(search.nearest(X), by_sorting(X, X, k))
    np.testing.assert_array_equal(search.nearest_others(), by_sorting(X, X, k, leave_out=True))


def test_agrees_with_scikit_learn_where_there_are_no_ties():
    random = np.random.RandomState(0)
    X, new = random.randn(300, 8), random.randn(50, 8)
    theirs = NearestNeighbors(n_neighbors=7, algorithm="kd_tree").fit(X)
    np.testing.assert_array_equal(
        NeighborSearch(X, 7).nearest(new), theirs.kneighbors(new, return_distance=False)
    )
    np.testing.assert_array_equal(
        NeighborSearch(X, 7).nearest_others(), theirs.kneighbors(return_distance=False)
    )


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_the_size_of_the_blocks_changes_nothing(monkeypatch, form):
    X = form(np.random.RandomState(0).randint(0, 3, (40, 5)).astype(float))
    whole = NeighborSearch(X, 5).nearest_others()
    monkeypatch.setattr(neighbors, "_BLOCK", 130)
    np.testing.assert_array_equal(NeighborSearch(X, 5).nearest_others(), whole)


def test_sparse_and_dense_rows_may_meet():
    X = np.random.RandomState(0).randint(0, 3, (40, 5)).astype(float)
    expected = by_sorting(X, X[:9], 4)
    thin = sparse.csr_matrix(X)
    np.testing.assert_array_equal(NeighborSearch(thin, 4).nearest(X[:9]), expected)
    np.testing.assert_array_equal(NeighborSearch(X, 4).nearest(thin[:9]), expected)


def test_rows_far_from_the_origin_are_told_apart():
    # A product of two rows rounds at about 0.1 here; the decisive distances are exact.
    random = np.random.RandomState(0)
    X = (random.randn(100, 7) + 1e7)[random.randint(0, 100, 300)]
    new = random.randn(30, 7) + 1e7
    np.testing.assert_array_equal(NeighborSearch(X, 5).nearest(new), by_sorting(X, new, 5))
    np.testing.assert_array_equal(
        NeighborSearch(X, 5).nearest_others(), by_sorting(X, X, 5, leave_out=True)
    )
