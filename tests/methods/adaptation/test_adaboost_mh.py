from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier

from mlbench.errors import MethodError
from mlbench.methods.adaptation.adaboost_mh import AdaBoostMH

TINY = 1e-13  # smoothing that changes nothing to speak of where no side is pure


@pytest.fixture
def noisy():
    """40 rows of rounded values, 3 labels; no split is pure, and many values are equal."""
    random = np.random.RandomState(3)
    X = np.round(random.randn(40, 4), 1)
    X[:, 3] = np.maximum(X[:, 3], 0)
    Y = (X @ random.randn(4, 3) + 2 * random.randn(40, 3) > 0).astype(np.int64)
    return X, Y


def side_weights(X, Y, D, feature, threshold):
    """Weights with and without the label, by side and label: (2, k, 2)."""
    above = X[:, feature] > threshold
    return np.array(
        [[(D * Y)[part].sum(0), (D * (1 - Y))[part].sum(0)] for part in (~above, above)]
    ).swapaxes(1, 2)


def criterion(X, Y, D, feature, threshold):
    """Z after the best values, from its definition."""
    return 2 * np.sqrt(side_weights(X, Y, D, feature, threshold).prod(axis=-1)).sum()


def least_criterion(X, Y, D):
    """Over every feature and every threshold between two of its values."""
    return min(
        criterion(X, Y, D, feature, (low + high) / 2)
        for feature in range(X.shape[1])
        for low, high in zip(
            np.unique(X[:, feature])[:-1], np.unique(X[:, feature])[1:], strict=True
        )
    )


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
def test_every_round_takes_the_best_of_all_splits(noisy, as_matrix):
    X, Y = noisy
    model = AdaBoostMH(n_rounds=8).fit(as_matrix(X), Y)
    assert model.n_rounds_ == 8
    for done in range(8):
        D = np.exp(-(2 * Y - 1) * model.stumps_.first(done).sums(X))
        D /= D.sum()
        feature, threshold = model.stumps_.features[done], model.stumps_.thresholds[done]
        chosen = criterion(X, Y, D, feature, threshold)
        assert chosen == pytest.approx(least_criterion(X, Y, D), abs=1e-12)
        sums = side_weights(X, Y, D, feature, threshold) + 1 / Y.size
        by_hand = 0.5 * np.log(sums[..., 0] / sums[..., 1])
        np.testing.assert_allclose(model.stumps_.values[done], by_hand, atol=1e-11)


def test_the_product_of_normalizers_is_the_exponential_loss(labelled):
    X, Y, _ = labelled
    signs = 2 * Y - 1
    for rounds in (1, 3, 30):
        model = AdaBoostMH(n_rounds=rounds).fit(X, Y)
        product = np.prod(model.normalizers_)
        scores = model.decision_function(X)
        assert np.exp(-signs * scores).mean() == pytest.approx(product, rel=1e-12)
        assert (model.predict(X) != Y).mean() <= product
        assert (model.normalizers_ <= 1).all()
    assert product < 0.5


def test_without_smoothing_the_normalizer_is_what_the_split_minimized(noisy):
    X, Y = noisy
    model = AdaBoostMH(n_rounds=1, smoothing=TINY).fit(X, Y)
    D = np.full(Y.shape, 1 / Y.size)
    assert model.normalizers_[0] == pytest.approx(least_criterion(X, Y, D), rel=1e-9)


def test_a_sparse_matrix_with_negative_values_gives_the_same_stumps(labelled):
    X, Y, new = labelled
    X, new = np.where(np.abs(X) > 0.8, X, 0), np.where(np.abs(new) > 0.8, new, 0)
    stored_zero = sparse.csr_matrix(np.ones_like(X))
    stored_zero.data[:] = X.ravel()
    dense = AdaBoostMH(n_rounds=20).fit(X, Y)
    thin = AdaBoostMH(n_rounds=20).fit(stored_zero, Y)
    np.testing.assert_array_equal(dense.stumps_.thresholds, thin.stumps_.thresholds)
    np.testing.assert_array_equal(
        dense.decision_function(new), thin.decision_function(sparse.csr_matrix(new))
    )


def test_the_order_of_rows_changes_nothing_at_all(noisy):
    X, Y = noisy
    order = np.random.RandomState(0).permutation(len(X))
    one, other = (AdaBoostMH(n_rounds=50).fit(X[rows], Y[rows]) for rows in (order, slice(None)))
    np.testing.assert_array_equal(one.stumps_.values, other.stumps_.values)
    np.testing.assert_array_equal(one.stumps_.thresholds, other.stumps_.thresholds)


def test_constant_features_leave_the_log_odds_of_each_label():
    X, Y = np.ones((8, 2)), np.array([[1, 0]] * 6 + [[0, 1]] * 2)
    model = AdaBoostMH(smoothing=TINY).fit(X, Y)
    assert model.n_rounds_ == 1
    np.testing.assert_allclose(
        model.decision_function(X[:1]), [[0.5 * np.log(3), -0.5 * np.log(3)]], rtol=1e-9
    )


def test_no_rounds_where_no_stump_helps():
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = AdaBoostMH().fit(X, np.array([[0], [1], [1], [0]]))
    assert model.n_rounds_ == 0
    np.testing.assert_array_equal(model.decision_function(X), 0)


def test_labels_of_one_class_take_no_part(labelled):
    X, Y, new = labelled
    wide = np.column_stack([np.zeros(60, dtype=int), Y, np.ones(60, dtype=int)])
    alone, scores = (
        AdaBoostMH(n_rounds=9).fit(X, labels).decision_function(new) for labels in (Y, wide)
    )
    np.testing.assert_array_equal(scores[:, 1:-1], alone)
    np.testing.assert_array_equal(scores[:, [0, -1]], np.tile([-1, 1], (20, 1)))


def test_a_path_boosts_once(labelled, monkeypatch):
    X, Y, _ = labelled
    calls = []
    boost = AdaBoostMH._boost
    monkeypatch.setattr(
        AdaBoostMH, "_boost", lambda self, *data: calls.append(self.n_rounds) or boost(self, *data)
    )
    grid = [{"n_rounds": rounds} for rounds in (3, 12, 5)]
    found = {index: model.n_rounds_ for index, model in AdaBoostMH().fit_path(X, Y, grid)}
    assert found == {0: 3, 1: 12, 2: 5}
    assert calls == [12]


def copied(X, labels):
    """Rows once per label, the label as one feature of 0 and 1 for each of its values."""
    return np.column_stack([np.repeat(X, labels, axis=0), np.tile(np.eye(labels), (len(X), 1))])


def adaboost_m1(X, Y, new, rounds):
    """AdaBoost.M1 on the copied rows, with scikit-learn's trees of one split."""
    k = Y.shape[1]
    wide, y, wide_new = copied(X, k), Y.ravel(), copied(new, k)
    weights = np.full(len(y), 1 / len(y))
    log_odds = np.zeros(len(wide_new))
    for done in range(rounds):
        stump = DecisionTreeClassifier(max_depth=1, criterion="entropy")
        stump.fit(wide, y, sample_weight=weights)
        wrong = stump.predict(wide) != y
        error = weights[wrong].sum()
        if error >= 0.5 or done == rounds - 1 == 0:
            assert done == 0
            return stump.predict_proba(wide_new)[:, 1].reshape(-1, k)
        log_odds += np.log((1 - error) / error) * (2 * stump.predict(wide_new) - 1)
        weights[wrong] *= (1 - error) / error
        weights /= weights.sum()
    return expit(log_odds).reshape(-1, k)


@pytest.mark.parametrize("rounds", [1, 2, 10])
def test_mulans_variant_is_adaboost_m1_on_copied_rows(labelled, rounds):
    X, Y, new = labelled
    Y[:, 0] &= Y[:, 1]  # rare, so that some stumps set labels apart
    model = AdaBoostMH(n_rounds=rounds, variant="mulan").fit(X, Y)
    assert model.n_rounds_ == rounds
    np.testing.assert_allclose(
        model.decision_function(new), adaboost_m1(X, Y, new, rounds), atol=1e-9
    )
    if rounds == 10:
        assert np.isinf(model.stumps_.thresholds).any()


def test_mulans_variant_predicts_at_an_even_chance_and_the_paper_above_0():
    even = np.array([[0.5, 0.4]])
    assert AdaBoostMH(variant="mulan").predict_from_scores(even).tolist() == [[1, 0]]
    assert AdaBoostMH().predict_from_scores(np.array([[0.0, 0.1]])).tolist() == [[0, 1]]


def test_mulans_variant_keeps_a_first_stump_that_is_never_wrong():
    X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([[0], [0], [1], [1]])
    model = AdaBoostMH(variant="mulan").fit(X, Y)
    assert model.n_rounds_ == 1
    np.testing.assert_array_equal(model.decision_function(X), Y)


@pytest.mark.parametrize("parameters", [{"n_rounds": 0}, {"smoothing": 0}, {"variant": "weka"}])
def test_impossible_parameters_are_named(labelled, parameters):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match=f"AdaBoostMH: {next(iter(parameters))} must be"):
        AdaBoostMH(**parameters).fit(X, Y)
