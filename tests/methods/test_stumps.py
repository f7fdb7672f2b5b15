from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mlbench.methods.stumps import SortedColumns, Stumps, _between, exact


def test_sorting_the_columns_leaves_the_matrix_as_it_was():
    X = sparse.csc_matrix(np.array([[2.0, 0.0], [-1.0, 3.0], [1.0, 0.0]]))
    columns = SortedColumns(X)
    np.testing.assert_array_equal(columns.values, [-1, 1, 2, 3])
    np.testing.assert_array_equal(columns.rows, [1, 2, 0, 1])
    np.testing.assert_array_equal(X.data, [2, -1, 1, 3])


def test_a_threshold_is_below_the_next_value_however_near_it_is():
    low = 1.0
    high = np.nextafter(low, 2)
    assert low <= _between(low, high) < high
    assert _between(-1e308, 1.5e308) == 2.5e307


def test_sums_of_rounded_weights_do_not_depend_on_their_order():
    random = np.random.RandomState(0)
    weights = random.rand(1000) ** 8
    weights = exact(weights / weights.sum())
    orders = (random.permutation(1000) for _ in range(20))
    assert len({float(np.cumsum(weights[order])[-1]) for order in orders}) == 1


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_rows_get_the_sum_of_the_values_of_their_sides(as_matrix, monkeypatch):
    values = np.array([[[1.0, 2.0], [10.0, 20.0]], [[0.5, 0.0], [0.0, 0.5]], [[3.0, 3.0]] * 2])
    stumps = Stumps(
        np.array([1, 0, 1]), np.array([0.0, 2.0, np.inf]), values, np.ones(3), alone=-values[0]
    )
    X = as_matrix(np.array([[0.0, 0.0], [2.0, 0.1], [3.0, -1.0]]))
    expected = [[4.5, 5.0], [13.5, 23.0], [4.0, 5.5]]
    np.testing.assert_allclose(stumps.sums(X), expected)
    np.testing.assert_allclose(stumps.first(1).sums(X), [[-1, -2], [-10, -20], [-1, -2]])
    monkeypatch.setattr("mlbench.methods.stumps._BLOCK", 3)
    np.testing.assert_allclose(stumps.sums(X), expected)


def test_no_split_of_constant_features():
    columns = SortedColumns(np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert columns.best_split(np.full((2, 2), 0.25), by_entropy=False)[0] == np.inf
