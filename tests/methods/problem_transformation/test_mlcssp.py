from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mlbench.errors import MethodError
from mlbench.methods.problem_transformation.base_fits import FitCache
from mlbench.methods.problem_transformation.br import BinaryRelevance
from mlbench.methods.problem_transformation.mlcssp import (
    MLCSSP,
    java_random,
    leverage,
    mulan_leverage,
    reconstruction,
)


@pytest.fixture
def many():
    """50 rows, 3 features, 8 labels of which two are equal, and 10 new rows."""
    random = np.random.RandomState(5)
    X, new = random.randn(50, 3), random.randn(10, 3)
    Y = (X @ random.randn(3, 8) + random.randn(50, 8) > 0.4).astype(np.int64)
    Y[:, 6] = Y[:, 2]
    return X, Y, new


@pytest.mark.parametrize("kappa", [1, 3, 7, 8])
def test_leverage_is_what_the_best_approximation_takes_from_each_label(many, kappa):
    Y = many[1].astype(float)
    found = leverage(Y, kappa)
    values, vectors = np.linalg.eigh(Y.T @ Y)
    used = vectors[:, np.argsort(-values)[: min(kappa, 7)]]  # the rank is 7
    np.testing.assert_allclose(found, np.diag(used @ used.T) / used.shape[1], atol=1e-10)
    assert found.sum() == pytest.approx(1, abs=1e-14)
    assert found[2] == pytest.approx(found[6], abs=1e-14)


@pytest.mark.slow
def test_a_label_is_drawn_as_often_as_its_leverage_says(many):
    X, Y, _ = many
    model = MLCSSP(kappa=1, random_state=0).fit(X, Y)
    draws = [model._draw(model.leverage_, 1, seed)[0] for seed in range(4000)]
    shares = np.bincount(draws, minlength=8) / 4000
    np.testing.assert_allclose(shares, model.leverage_, atol=0.03)
    assert np.ptp(model.leverage_) > 0.06


def test_labels_in_the_span_of_the_drawn_ones_are_recovered_exactly():
    C = np.random.RandomState(0).randint(0, 2, (30, 3))
    Y = np.column_stack([C, C[:, 0], np.zeros(30)])
    found = reconstruction(C, Y)
    np.testing.assert_array_equal(found, [[1, 0, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]])


def test_equal_drawn_labels_share_the_work():
    C = np.array([[1, 1], [0, 0], [1, 1], [0, 0]])
    Y = np.array([[1.0, 0], [0, 1], [1, 1], [0, 0]])
    np.testing.assert_allclose(reconstruction(C, Y), np.linalg.pinv(C) @ Y, atol=1e-10)


def test_many_labels_have_the_leverage_and_the_reconstruction_of_few():
    random = np.random.RandomState(0)
    Y = (random.rand(900, 260) < 0.02).astype(np.int8)
    Y = np.hstack([Y, Y[:, ::-1]])  # 520 labels of rank 260 at most
    _, values, vectors = np.linalg.svd(Y.astype(float), full_matrices=False)
    for kappa in (40, 400):
        used = min(kappa, int(np.sum(values > 1e-8)))
        right = (vectors[:used] ** 2).sum(axis=0) / used
        np.testing.assert_allclose(leverage(Y, kappa), right, atol=1e-10)
    C = Y[:, 100:400]  # of rank 160
    np.testing.assert_allclose(reconstruction(C, Y), np.linalg.pinv(C, 1e-10) @ Y, atol=1e-8)


def test_scores_are_the_drawn_labels_probabilities_times_the_reconstruction(many):
    X, Y, new = many
    model = MLCSSP(kappa=3, random_state=4).fit(X, Y)
    assert len(model.columns_) == 3
    C = Y[:, model.columns_]
    base = LogisticRegression(max_iter=1000)
    said = np.column_stack([base.fit(X, c).predict_proba(new)[:, 1] for c in C.T])
    by_hand = said @ np.linalg.pinv(C) @ Y
    np.testing.assert_allclose(model.decision_function(new), by_hand, atol=1e-10)
    np.testing.assert_array_equal(model.predict(new), by_hand >= 0.5)
    np.testing.assert_array_equal(
        model.decision_function(new)[:, 2], model.decision_function(new)[:, 6]
    )


@pytest.mark.parametrize(
    "base",
    [LogisticRegression(), DecisionTreeClassifier(min_samples_leaf=2, random_state=0), LinearSVC()],
    ids=["logistic", "tree", "linear_svc"],
)
def test_with_all_labels_it_is_binary_relevance(many, base):
    X, Y, new = many
    Y = Y[:, :6]  # of full rank
    base.set_params(random_state=0)
    ours, theirs = MLCSSP(base, kappa=1.0).fit(X, Y), BinaryRelevance(base).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    scores = theirs.decision_function(new)
    np.testing.assert_allclose(
        ours.decision_function(new),
        scores if theirs.probabilities_ else expit(scores),
        rtol=0,
        atol=1e-14,
    )


def test_a_regressor_is_fitted_to_0_and_1(many):
    X, Y, new = many
    model = MLCSSP(Ridge(alpha=2.0), kappa=6).fit(X, Y[:, :6])
    np.testing.assert_allclose(
        model.decision_function(new), Ridge(alpha=2.0).fit(X, Y[:, :6]).predict(new), atol=1e-10
    )


@pytest.mark.parametrize(
    ("kappa", "variant", "number"),
    [
        (None, "paper", 4),
        (None, "mulan", 2),
        (3, "paper", 3),
        (0.25, "paper", 2),
        (0.01, "paper", 1),
        (1.0, "paper", 8),
        (20, "mulan", 8),
    ],
)
def test_kappa_is_a_number_or_a_share(many, kappa, variant, number):
    X, Y, _ = many
    model = MLCSSP(kappa=kappa, variant=variant, random_state=0).fit(X, Y)
    assert len(model.columns_) == len(model.estimators_) == number


def test_labels_of_one_class_are_never_drawn(many):
    X, Y, new = many
    Y[:, 0], Y[:, 3] = 0, 1
    model = MLCSSP(kappa=1.0, random_state=0).fit(X, Y)
    assert model.columns_.tolist() == [1, 2, 4, 5, 6, 7]
    assert model.leverage_[[0, 3]].tolist() == [0, 0]
    np.testing.assert_array_equal(model.decision_function(new)[:, [0, 3]], np.tile([0, 1], (10, 1)))


def test_a_path_fits_every_label_once(many, monkeypatch):
    X, Y, _ = many
    fits = []
    monkeypatch.setattr(
        FitCache,
        "__init__",
        lambda self, *given, start=FitCache.__init__: fits.append(self) or start(self, *given),
    )
    drawn = {
        tuple(Y[:, column])
        for _, model in MLCSSP(random_state=0).fit_path(X, Y, [{"kappa": k} for k in (2, 4, 6)])
        for column in model.columns_
    }
    assert [each.n_fits for each in fits] == [len(drawn)]


def test_javas_generator_gives_javas_numbers():
    assert list(islice(java_random(42), 1)) == [0.7275636800328681]
    assert list(islice(java_random(1), 2)) == [0.7308781907032909, 0.41008081149220166]


def test_mulans_leverage_reads_the_singular_vectors_by_rows(many):
    Y = many[1][:, :6].astype(float)
    V = np.linalg.svd(Y)[2].T
    by_hand = [np.sqrt(sum(V[i, j] ** 2 for i in range(2))) for j in range(6)]
    np.testing.assert_allclose(mulan_leverage(Y, 2), by_hand / np.sum(by_hand), atol=1e-12)
    assert np.abs(mulan_leverage(Y, 2) - leverage(Y, 2)).max() > 0.02


def test_mulan_draws_the_same_labels_whatever_the_seed(many):
    X, Y, _ = many
    one, other = (MLCSSP(variant="mulan", kappa=2, random_state=seed).fit(X, Y) for seed in (0, 9))
    bounds = np.cumsum(mulan_leverage(Y.astype(float), 2))
    by_hand = {int(np.argmax(number < bounds)) for number in islice(java_random(1), 2)}
    assert one.columns_.tolist() == other.columns_.tolist() == sorted(by_hand)


def test_mulan_predicts_what_rounds_up_to_1(many):
    X, Y, new = many
    model = MLCSSP(LinearRegression(), kappa=6, variant="mulan")
    model.fit(X, Y[:, :6])
    new = 5 * new  # far out, where a regression leaves 0 to 1
    scores, labels = model.decision_function(new), model.predict(new)
    assert (scores > 1).any()
    assert (scores < 0).any()
    np.testing.assert_array_equal(labels, np.ceil(scores) == 1)


@pytest.mark.parametrize("kappa", [0, -1, 0.0, 1.5, "all", True])
def test_impossible_numbers_of_labels_are_named(many, kappa):
    X, Y, _ = many
    with pytest.raises(MethodError, match="MLCSSP: kappa must be"):
        MLCSSP(kappa=kappa).fit(X, Y)


def test_an_unknown_variant_is_named(many):
    X, Y, _ = many
    with pytest.raises(MethodError, match="MLCSSP: variant must be"):
        MLCSSP(variant="meka").fit(X, Y)
