from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mlbench.errors import MethodError
from mlbench.methods.problem_transformation.br import BinaryRelevance
from mlbench.methods.problem_transformation.lp import LabelPowerset
from mlbench.methods.problem_transformation.rakel import RAkEL, draw_labelsets

BASES = {
    "logistic": LogisticRegression(),
    "tree": DecisionTreeClassifier(min_samples_leaf=2, random_state=0),
    "linear_svc": LinearSVC(random_state=0),
}


@pytest.fixture
def many_labels():
    """60 rows, 6 labels, and 20 new rows."""
    random = np.random.RandomState(3)
    X, new = random.randn(60, 4), random.randn(20, 4)
    return X, (X @ random.randn(4, 6) + random.randn(60, 6) > 0.4).astype(np.int64), new


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
@pytest.mark.parametrize("size", [3, 7])
def test_one_labelset_of_all_labels_is_label_powerset(labelled, base, size):
    X, Y, new = labelled
    lp = LabelPowerset(base).fit(X, Y)
    model = RAkEL(base, labelset_size=size, scores="marginal").fit(X, Y)
    assert [labelset.tolist() for labelset in model.labelsets_] == [[0, 1, 2]]
    np.testing.assert_array_equal(model.decision_function(new), lp.decision_function(new))
    np.testing.assert_array_equal(model.predict(new), lp.predict(new))
    votes = RAkEL(base, labelset_size=size).fit(X, Y).decision_function(new)
    np.testing.assert_array_equal(votes, lp.predict(new))


@pytest.mark.parametrize("base", ["logistic", "tree"])
def test_labelsets_of_one_label_are_binary_relevance(labelled, base):
    X, Y, new = labelled
    br = BinaryRelevance(BASES[base]).fit(X, Y)
    model = RAkEL(BASES[base], labelset_size=1, scores="marginal").fit(X, Y)
    assert len(model.labelsets_) == 3
    np.testing.assert_array_equal(model.decision_function(new), br.decision_function(new))
    np.testing.assert_array_equal(model.predict(new), br.predict(new))


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_labels_are_voted_upon_by_the_labelsets_that_hold_them(many_labels, base):
    X, Y, new = many_labels
    model = RAkEL(base, n_labelsets=5, cover=False, random_state=4).fit(X, Y)
    votes, probabilities, times = np.zeros((20, 6)), np.zeros((20, 6)), np.zeros(6)
    for labelset in model.labelsets_:
        lp = LabelPowerset(base).fit(X, Y[:, labelset])
        for place, label in enumerate(labelset):
            votes[:, label] += lp.predict(new)[:, place]
            probabilities[:, label] += lp.decision_function(new)[:, place]
            times[label] += 1
    assert 1 < times.max() < 5
    np.testing.assert_array_equal(model.decision_function(new), votes / times)
    np.testing.assert_array_equal(model.predict(new), votes / times >= 0.5)
    ranked = clone(model).set_params(scores="marginal").fit(X, Y)
    np.testing.assert_allclose(ranked.decision_function(new), probabilities / times, atol=1e-14)
    np.testing.assert_array_equal(ranked.predict(new), model.predict(new))


@pytest.mark.parametrize("cover", [True, False])
@pytest.mark.parametrize(("n_labels", "size"), [(7, 3), (6, 3), (5, 4), (5, 1), (4, 4)])
def test_every_labelset_is_drawn_once_in_the_end(n_labels, size, cover):
    number = comb(n_labels, size)
    drawn = [tuple(labelset) for labelset in draw_labelsets(n_labels, size, number, cover, seed=1)]
    assert sorted(drawn) == list(combinations(range(n_labels), size))


@pytest.mark.parametrize("n_labels", [7, 8, 9, 374])
def test_the_first_labelsets_deal_out_all_labels(n_labels):
    for seed in range(5):
        hands = draw_labelsets(n_labels, 3, -(-n_labels // 3), True, seed)
        assert set(np.concatenate(hands)) == set(range(n_labels))
        assert all(len(set(hand)) == 3 for hand in hands)


@pytest.mark.slow
def test_without_a_deal_labels_are_left_out_as_often_as_chance_has_it():
    k, sets = 10, 6
    left = [
        k - len(set(np.concatenate(draw_labelsets(k, 3, sets, False, seed)))) for seed in range(400)
    ]
    # Sets are drawn without replacement: all of them miss a label in this many of the ways.
    expected = k * comb(comb(k - 1, 3), sets) / comb(comb(k, 3), sets)
    deviation = np.std(left) / np.sqrt(len(left))
    assert abs(np.mean(left) - expected) < 4 * deviation


@pytest.mark.parametrize("cover", [True, False])
def test_fewer_labelsets_are_the_first_of_more(cover):
    many = draw_labelsets(9, 3, 20, cover, seed=3)
    for number in (1, 2, 3, 7):
        few = draw_labelsets(9, 3, number, cover, seed=3)
        np.testing.assert_array_equal(few, many[:number])
    assert not np.array_equal(many, draw_labelsets(9, 3, 20, cover, seed=4))


@pytest.mark.parametrize(
    ("n_labels", "asked", "there"), [(3, 9, 1), (4, 9, 4), (6, None, 12), (5, None, 10), (9, 4, 4)]
)
def test_never_more_labelsets_than_there_are(n_labels, asked, there):
    random = np.random.RandomState(0)
    X, Y = random.randn(20, 2), random.randint(0, 2, (20, n_labels))
    assert len(RAkEL("tree", n_labelsets=asked).fit(X, Y).labelsets_) == there


def test_a_label_that_no_labelset_has_is_told_by_training_only_if_it_has_one_class(many_labels):
    X, Y, new = many_labels
    Y[:, 3] = 1
    model = next(
        model
        for seed in range(50)
        if 3 not in (model := RAkEL(n_labelsets=1, random_state=seed).fit(X, Y)).labelsets_[0]
    )
    unknown = np.setdiff1d(range(6), [3, *model.labelsets_[0]])
    for scores in ("votes", "marginal"):
        model = model.set_params(scores=scores).fit(X, Y)
        assert (model.decision_function(new)[:, unknown] == 0).all()
        assert (model.predict(new)[:, unknown] == 0).all()
        assert (model.decision_function(new)[:, 3] == 1).all()
        assert (model.predict(new)[:, 3] == 1).all()


def test_labelsets_that_divide_the_rows_alike_share_a_classifier(many_labels):
    X, Y, _ = many_labels
    model = RAkEL("tree", labelset_size=2, n_labelsets=6).fit(X, Y[:, [0, 1, 2, 0]])
    assert len(model.labelsets_) == 6
    assert model.n_fits_ == 4  # (0, 1) is like (1, 3), and (0, 2) like (2, 3)


@pytest.mark.slow
def test_two_labelsets_each_for_hundreds_of_labels():
    random = np.random.RandomState(0)
    X, Y = random.randn(8, 2), random.randint(0, 2, (8, 374))
    model = RAkEL({"use": "tree", "max_depth": 1}, random_state=0).fit(X, Y)
    assert len(model.labelsets_) == 748
    assert len({tuple(labelset) for labelset in model.labelsets_}) == 748
    assert model.decision_function(X).shape == (8, 374)


def test_one_label_alone_is_binary_relevance_with_a_warning(labelled):
    X, Y, new = labelled
    with pytest.warns(UserWarning, match="RAkEL of one label is binary relevance"):
        model = RAkEL().fit(X, Y[:, :1])
    np.testing.assert_array_equal(
        model.predict(new), BinaryRelevance().fit(X, Y[:, :1]).predict(new)
    )


def test_one_fit_and_one_prediction_serve_every_number_of_labelsets(many_labels, monkeypatch):
    X, Y, new = many_labels
    calls = []
    probabilities = LogisticRegression.predict_proba
    monkeypatch.setattr(
        LogisticRegression,
        "predict_proba",
        lambda self, X: calls.append(1) or probabilities(self, X),
    )
    grid = [
        {"n_labelsets": n, "scores": kind} for n in (2, None, 4) for kind in ("votes", "marginal")
    ]
    models = dict(RAkEL(random_state=0).fit_path(X, Y, grid))
    for model in models.values():
        model.decision_function(new)
    assert len(calls) == 12
    for index, point in enumerate(grid):
        alone = RAkEL(random_state=0, **point).fit(X, Y)
        np.testing.assert_array_equal(
            models[index].decision_function(new), alone.decision_function(new)
        )
        np.testing.assert_array_equal(models[index].predict(new), alone.predict(new))


@pytest.mark.parametrize(
    "parameters",
    [{"labelset_size": 0}, {"n_labelsets": 2.5}, {"cover": "all"}, {"scores": "probability"}],
)
def test_impossible_parameters_are_named(labelled, parameters):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match=f"RAkEL: {next(iter(parameters))} must be"):
        RAkEL(**parameters).fit(X, Y)
