from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from mlbench.data import load_dataset
from mlbench.errors import MethodError
from mlbench.methods.adaptation import mlknn
from mlbench.methods.adaptation.mlknn import MLkNN, NeighborSearch, feature_scale, scaled
from mlbench.metrics import evaluate


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
    monkeypatch.setattr(mlknn, "_BLOCK", 130)
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


def exact_posteriors(with_label, without, s):
    """The rule in fractions, for every number of votes."""
    cells, positives, negatives = len(with_label), sum(with_label), sum(without)
    chances = [
        (
            (s + positives) * (s + with_label[v]) / (s * cells + positives),
            (s + negatives) * (s + without[v]) / (s * cells + negatives),
        )
        for v in range(cells)
    ]
    return [a / (a + b) for a, b in chances]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=8),
    st.sampled_from(["1", "0.5", "0.1", "0.3", "1e-9", "1e-320", "1e300"]),
)
@example([(2, 0), (23, 20), (0, 0), (1, 1), (3, 3)], "0.1")
@settings(max_examples=60)
def test_a_posterior_is_the_fraction_rounded_once_so_that_equal_ones_tie(counts, s):
    with_label, without = np.array(counts).T
    found = mlknn.posteriors(with_label[None], without[None], float(s))[0]
    fractions = exact_posteriors(with_label.tolist(), without.tolist(), Fraction(s))
    assert found.tolist() == [float(fraction) for fraction in fractions]


def test_rows_whose_posteriors_are_equal_tie(real_file):
    real_file("flags/flags.xml")
    flags = load_dataset("flags")
    rows = np.random.default_rng(0).permutation(len(flags.Y))
    train, test = rows[:116], rows[116:]
    model = MLkNN(k=10).fit(flags.X[train], flags.Y[train])
    X, Y = flags.X[test], flags.Y[test]
    measured = evaluate(Y, model.decision_function(X), model.predict(X))
    assert measured.values["macro_auc"] == pytest.approx(0.6242721030458086, abs=1e-12)


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

    X, Y, new = labelled
    calls = []
    search = mlknn.NeighborSearch._search
    monkeypatch.setattr(
        mlknn.NeighborSearch,
        "_search",
        lambda self, rows, leave_out: calls.append(leave_out) or search(self, rows, leave_out),
    )
    grid = [{"k": k, "s": s} for k in (1, 5, 9) for s in (0.5, 1.0)]
    for _, model in MLkNN().fit_path(X, Y, grid):
        model.decision_function(new)
    assert calls == [True, False]
