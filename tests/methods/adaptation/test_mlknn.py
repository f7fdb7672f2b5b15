from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mlbench.errors import MethodError
from mlbench.methods.adaptation.mlknn import MLkNN, feature_scale, scaled


def by_the_book(X, Y, new, k, s):
    """ML-kNN in plain loops over rows, labels and neighbors."""
    n, n_labels = Y.shape

    def nearest(x, leave_out=None):
        distances = [(float(np.sum((x - X[i]) ** 2)), i) for i in range(n) if i != leave_out]
        return [i for _, i in sorted(distances)[:k]]

    scores = np.empty((len(new), n_labels))
    for label in range(n_labels):
        prior = (s + Y[:, label].sum()) / (2 * s + n)
        counts = {0: np.zeros(k + 1), 1: np.zeros(k + 1)}
        for i in range(n):
            votes = sum(Y[j, label] for j in nearest(X[i], leave_out=i))
            counts[Y[i, label]][votes] += 1
        for row, x in enumerate(new):
            votes = sum(Y[j, label] for j in nearest(x))
            chance = {
                side: (s + counts[side][votes]) / (s * (k + 1) + counts[side].sum())
                for side in (0, 1)
            }
            positive, negative = prior * chance[1], (1 - prior) * chance[0]
            scores[row, label] = positive / (positive + negative)
    return scores


@pytest.mark.parametrize(("k", "s"), [(1, 1.0), (5, 1.0), (10, 0.25)])
def test_scores_are_those_of_the_rule_in_plain_loops(labelled, k, s):
    X, Y, new = labelled
    model = MLkNN(k=k, s=s, normalize=None).fit(X, Y)
    np.testing.assert_allclose(
        model.decision_function(new), by_the_book(X, Y, new, k, s), rtol=0, atol=1e-12
    )


def test_a_row_is_not_its_own_neighbor_even_among_duplicates():
    # Rows 0-3 coincide and differ in their labels: only leaving out by index, not by the first
    # hit at distance 0, counts each row's votes right.
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]], 4, axis=0)
    Y = np.tile([[1], [0], [0], [1]], (3, 1))
    model = MLkNN(k=3, normalize=None).fit(X, Y)
    new = np.array([[0.1, 0.0], [5.0, 4.0]])
    np.testing.assert_allclose(
        model.decision_function(new), by_the_book(X, Y, new, 3, 1.0), rtol=0, atol=1e-12
    )


def test_labels_do_not_influence_each_other(labelled):
    X, Y, new = labelled
    together = MLkNN().fit(X, Y).decision_function(new)
    alone = MLkNN().fit(X, Y[:, [1]]).decision_function(new)
    np.testing.assert_array_equal(together[:, [1]], alone)


def test_a_label_that_never_occurs_has_the_closed_form_as_its_score(labelled):
    X, Y, new = labelled
    n, k, s = len(X), 10, 1.0
    scores = MLkNN(k=k, s=s).fit(X, np.zeros_like(Y)).decision_function(new)
    positive = s / (2 * s + n) * s / (s * (k + 1))
    negative = (s + n) / (2 * s + n) * (s + n) / (s * (k + 1) + n)
    np.testing.assert_allclose(scores, positive / (positive + negative), rtol=1e-13)


def test_no_more_neighbors_than_other_rows(labelled):
    X, Y, new = labelled
    model = MLkNN(k=10).fit(X[:6], Y[:6])
    assert model.k_effective_ == 5
    np.testing.assert_array_equal(
        model.decision_function(new), MLkNN(k=5).fit(X[:6], Y[:6]).decision_function(new)
    )


def test_minmax_measures_as_if_every_feature_ran_from_0_to_1(labelled):
    X, Y, new = labelled
    wide, wide_new = X * [1, 100, 0.01, 1] + [0, 5, 0, -3], new * [1, 100, 0.01, 1] + [0, 5, 0, -3]
    low, span = X.min(axis=0), np.ptp(X, axis=0)
    by_hand = MLkNN(normalize=None).fit((X - low) / span, Y)
    np.testing.assert_allclose(
        MLkNN().fit(wide, Y).decision_function(wide_new),
        by_hand.decision_function((new - low) / span),
        atol=1e-12,
    )


def test_scaling_keeps_a_sparse_matrix_sparse():
    X = sparse.random(50, 30, density=0.1, format="csr", random_state=0)
    scale = feature_scale(X, "minmax")
    assert sparse.issparse(scaled(X, scale))
    np.testing.assert_allclose(scale, feature_scale(X.toarray(), "minmax"))


@pytest.mark.parametrize("parameters", [{"k": 0}, {"k": 2.5}, {"s": -1}, {"normalize": "zscore"}])
def test_impossible_parameters_are_named(labelled, parameters):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match=f"MLkNN: {next(iter(parameters))} must be"):
        MLkNN(**parameters).fit(X, Y)


def test_a_path_searches_training_and_test_neighbors_once(labelled, monkeypatch):
    from mlbench.methods.adaptation import neighbors

    X, Y, new = labelled
    calls = []
    search = neighbors.NeighborSearch._search
    monkeypatch.setattr(
        neighbors.NeighborSearch,
        "_search",
        lambda self, rows, leave_out: calls.append(leave_out) or search(self, rows, leave_out),
    )
    grid = [{"k": k, "s": s} for k in (1, 5, 9) for s in (0.5, 1.0)]
    for _, model in MLkNN().fit_path(X, Y, grid):
        model.decision_function(new)
    assert calls == [True, False]
