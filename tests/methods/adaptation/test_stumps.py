from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import xlogy

from mlbench.methods.adaptation.stumps import (
    TIE,
    CandidateSplits,
    Stumps,
    _between,
    _entropy_floor,
    _normalizer_floor,
    rounded_for_exact_sums,
)


def criterion_of(side, total, by_entropy):
    """What a split is judged by, from its definition; (S, 2 q) weights of one side."""
    other = total - side
    if by_entropy:
        return sum(
            xlogy(part.sum(axis=1), part.sum(axis=1)) - xlogy(part, part).sum(axis=1)
            for part in (side, other)
        )
    q = len(total) // 2
    parts = [np.sqrt(part[:, :q] * part[:, q:]) for part in (side, other)]
    return 2 * sum(part.sum(axis=1) for part in parts)


def exhaustive(X, weights, by_entropy):
    """Feature by feature: those below 0 upwards, then those above 0 downwards, by cumulated sums.

    Every criterion is computed in full, and the first of those that are as good counts.
    """
    best, feature, threshold = np.inf, 0, np.inf
    for column in range(X.shape[1]):
        values, codes = np.unique(X[:, column], return_inverse=True)
        per_value = np.zeros((len(values), weights.shape[1]))
        np.add.at(per_value, codes, weights)
        side = np.cumsum(per_value, axis=0)[:-1]
        found = criterion_of(side, weights.sum(axis=0), by_entropy)
        upwards = np.flatnonzero(values[:-1] < 0)
        downwards = np.flatnonzero(values[:-1] >= 0)[::-1]
        for place in [*upwards, *downwards]:
            if found[place] < best - TIE:
                best, feature = found[place], column
                threshold = _between(values[place], values[place + 1])
    return best, feature, threshold


KINDS = {
    "continuous": lambda X: X,
    "few values": lambda X: np.round(X),
    "above 0": np.abs,
    "words": lambda X: (X > 1).astype(float),
    "counts": lambda X: np.maximum(np.round(2 * X), 0),
    "below 0": lambda X: np.minimum(X, 0),
    "equal columns": lambda X: np.repeat(X[:, :1], X.shape[1], axis=1),
}


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("by_entropy", [False, True], ids=["normalizer", "entropy"])
@pytest.mark.parametrize("signal", [0, 3], ids=["noise", "signal"])
def test_the_best_split_is_that_of_an_exhaustive_search(kind, by_entropy, signal, as_matrix):
    random = np.random.RandomState(signal)
    X = KINDS[kind](random.randn(150, 5))
    for n_labels, sharpness in ((1, 1), (1, 12), (6, 1), (6, 12)) if not by_entropy else ((1, 1),):
        Y = signal * X[:, :1] + random.randn(150, n_labels) > 0.5
        D = random.rand(150, n_labels) ** sharpness  # from even weights to a few heavy ones
        D /= D.sum()
        weights = rounded_for_exact_sums(np.hstack([D * Y, D * ~Y]))
        split = CandidateSplits(as_matrix(X)).best_split(weights, by_entropy)
        best, feature, threshold = exhaustive(X, weights, by_entropy)
        assert split.criterion == pytest.approx(best, abs=1e-13)
        assert (split.feature, split.threshold) == (feature, threshold)
        np.testing.assert_array_equal(split.above, X[:, feature] > threshold)


def test_no_block_holds_a_split_that_is_better_than_its_bound():
    random = np.random.RandomState(0)
    for _ in range(300):
        n_labels = random.randint(1, 8)
        rows = random.rand(30, 2 * n_labels) ** random.choice([1, 10])
        rows *= random.rand(30, 2 * n_labels) < random.choice([0.1, 0.9])
        sides = np.cumsum(rows / max(rows.sum(), 1e-9), axis=0)
        start, stop = np.sort(random.choice(29, 2, replace=False))
        floor = _normalizer_floor(sides[start], sides[stop], sides[-1])
        found = criterion_of(sides[start : stop + 1], sides[-1], by_entropy=False)
        assert floor <= found.min()
        assert _normalizer_floor(sides[start], sides[start], sides[-1]) >= found[0] - 2e-6


def test_the_bound_on_the_entropy_is_near_where_weights_are():
    share = np.linspace(0, 1, 1001)
    floor = np.array([_entropy_floor(0.3 * p, 0.3 * (1 - p)) for p in share])
    entropy = -0.3 * (xlogy(share, share) + xlogy(1 - share, 1 - share))
    assert (floor <= entropy + 1e-16).all()
    np.testing.assert_allclose(floor[450:551], entropy[450:551], atol=1e-9)
    assert _entropy_floor(0.0, 0.0) == 0


def test_the_entries_of_a_column_run_towards_0_from_both_ends():
    X = sparse.csc_matrix(np.array([[2.0, 0.0], [-1.0, 3.0], [1.0, 0.0], [-5.0, 0.0]]))
    splits = CandidateSplits(X)
    np.testing.assert_array_equal(splits.rows, [3, 1, 0, 2, 1])
    np.testing.assert_array_equal(splits.starts, [0, 2, 4, 4, 5])
    np.testing.assert_array_equal(splits.thresholds, [-3, 0, 1.5, 1.5])
    np.testing.assert_array_equal(X.data, [2, -1, 1, -5, 3])


def test_a_threshold_is_below_the_next_value_however_near_it_is():
    low = 1.0
    high = np.nextafter(low, 2)
    assert low <= _between(low, high) < high
    assert _between(-1e308, 1.5e308) == 2.5e307


def test_sums_of_rounded_weights_do_not_depend_on_their_order():
    random = np.random.RandomState(0)
    weights = random.rand(1000) ** 8
    weights = rounded_for_exact_sums(weights / weights.sum())
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
    monkeypatch.setattr("mlbench.methods.adaptation.stumps._BLOCK", 3)
    np.testing.assert_allclose(stumps.sums(X), expected)


@pytest.mark.parametrize("by_entropy", [False, True])
def test_no_split_of_constant_features(by_entropy):
    split = CandidateSplits(np.array([[1.0, 0.0], [1.0, 0.0]])).best_split(
        np.full((2, 2), 0.25), by_entropy
    )
    assert split.criterion == split.threshold == np.inf
    assert not split.above.any()
