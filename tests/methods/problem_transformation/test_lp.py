from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mlbench.errors import MethodError
from mlbench.methods.problem_transformation.br import BinaryRelevance
from mlbench.methods.problem_transformation.lp import LabelPowerset


def as_text(Y):
    """Return every row's labelset as a word: a class of its own making, in another order."""
    return np.array(["".join(map(str, row)) for row in Y])


def from_text(words):
    return np.array([[int(letter) for letter in word] for word in words])


@pytest.mark.parametrize(
    "base",
    [LogisticRegression(C=3, tol=1e-10), LinearSVC(random_state=0, tol=1e-10)],
    ids=["logistic", "linear_svc"],
)
def test_labels_are_those_of_a_multi_class_learner_on_labelsets(labelled, base):
    X, Y, new = labelled
    theirs = from_text(base.fit(X, as_text(Y)).predict(new))
    np.testing.assert_array_equal(LabelPowerset(base).fit(X, Y).predict(new), theirs)


def test_a_label_scores_the_probability_of_the_labelsets_that_hold_it(labelled):
    X, Y, new = labelled
    base = LogisticRegression(tol=1e-10).fit(X, as_text(Y))
    expected = np.zeros((len(new), 3))
    for word, chance in zip(base.classes_, base.predict_proba(new).T, strict=True):
        for label in range(3):
            expected[:, label] += chance * (word[label] == "1")
    scores = LabelPowerset(base).fit(X, Y).decision_function(new)
    np.testing.assert_allclose(scores, expected, atol=1e-7)


def test_margins_go_through_one_logistic_link_per_labelset_and_add_up_to_1(labelled):
    X, Y, new = labelled
    base = LinearSVC(random_state=0, tol=1e-10).fit(X, as_text(Y))
    links = expit(base.decision_function(new))
    probabilities = links / links.sum(axis=1, keepdims=True)
    expected = probabilities @ from_text(base.classes_)
    scores = LabelPowerset(base).fit(X, Y).decision_function(new)
    np.testing.assert_allclose(scores, expected, atol=1e-6)


def test_mulan_scores_by_the_winner_alone(labelled):
    X, Y, new = labelled
    model = LabelPowerset(scores="mulan").fit(X, Y)
    best = model.model_.predict_proba(new).max(axis=1)
    scores, labels = model.decision_function(new), model.predict(new)
    for row in range(len(new)):
        for label in range(3):
            right = best[row] if labels[row, label] else 1 - best[row]
            assert scores[row, label] == right
    np.testing.assert_array_equal(labels, LabelPowerset().fit(X, Y).predict(new))


@pytest.mark.parametrize("scores", ["marginal", "mulan"])
def test_one_label_alone_is_treated_as_by_binary_relevance(labelled, scores):
    X, Y, new = labelled
    X[:10] = X[10:20]
    Y[:10, 0] = 1 - Y[10:20, 0]
    tree = DecisionTreeClassifier(random_state=0)
    ours, br = LabelPowerset(tree, scores).fit(X, Y[:, :1]), BinaryRelevance(tree).fit(X, Y[:, :1])
    assert 0.5 in br.decision_function(X)  # a tie, which is positive
    for rows in (X, new):
        np.testing.assert_array_equal(ours.decision_function(rows), br.decision_function(rows))
        np.testing.assert_array_equal(ours.predict(rows), br.predict(rows))


def test_of_equally_likely_labelsets_the_larger_wins():
    X = np.zeros((4, 1))
    Y = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 0], [0, 1, 1]])
    for order in ([0, 1, 2], [2, 0, 1]):
        model = LabelPowerset("tree").fit(X, Y[:, order])
        np.testing.assert_array_equal(model.predict(X[:1]), [[0, 1, 1]] @ np.eye(3)[:, order])


def test_only_labelsets_of_training_are_predicted(labelled):
    X, Y, _ = labelled
    Y = Y[(Y.sum(axis=1) != 2)]
    X = X[: len(Y)]
    new = np.random.RandomState(0).randn(500, 4) * 3
    labels = LabelPowerset().fit(X, Y).predict(new)
    assert set(as_text(labels)) <= set(as_text(Y))
    assert (labels.sum(axis=1) != 2).all()


def test_labels_do_not_follow_from_scores(labelled):
    X, Y, new = labelled
    model = LabelPowerset().fit(X, Y)
    assert not hasattr(model, "predict_from_scores")
    assert ((model.decision_function(new) > 0.5) != model.predict(new)).any()


def test_one_labelset_only_is_constant():
    X = np.random.RandomState(0).randn(5, 2)
    model = LabelPowerset().fit(X, np.tile([1, 0, 1], (5, 1)))
    np.testing.assert_array_equal(model.decision_function(X[:2]), [[1, 0, 1]] * 2)
    np.testing.assert_array_equal(model.predict(X[:2]), [[1, 0, 1]] * 2)


def test_copies_of_labels_get_equal_scores(labelled):
    X, Y, new = labelled
    scores = LabelPowerset().fit(X, Y[:, [0, 1, 2, 1]]).decision_function(new)
    np.testing.assert_array_equal(scores[:, 1], scores[:, 3])
    np.testing.assert_allclose(
        scores[:, :3], LabelPowerset().fit(X, Y).decision_function(new), atol=1e-12
    )


def test_hundreds_of_labels_make_one_problem():
    random = np.random.RandomState(0)
    X, topic = random.randn(30, 3), random.randint(0, 3, 30)
    Y = (random.rand(3, 374) < 0.1).astype(int)[topic]
    model = LabelPowerset("tree").fit(X, Y)
    assert len(model.labelsets_) == 3
    assert model.decision_function(X).shape == (30, 374)


def test_the_base_is_asked_once_for_scores_and_labels(labelled, monkeypatch):
    X, Y, new = labelled
    calls = []
    probabilities = LogisticRegression.predict_proba
    monkeypatch.setattr(
        LogisticRegression,
        "predict_proba",
        lambda self, X: calls.append(1) or probabilities(self, X),
    )
    model = LabelPowerset().fit(sparse.csr_matrix(X), Y)
    scores = model.decision_function(sparse.csr_matrix(new))
    model.predict(sparse.csr_matrix(new))
    assert len(calls) == 1
    scores[:] = 9  # what was handed out is the caller's
    assert (model.decision_function(sparse.csr_matrix(new)) <= 1).all()


def test_an_unknown_score_is_named(labelled):
    X, Y, _ = labelled
    with pytest.raises(
        MethodError, match="LabelPowerset: scores must be one of 'marginal', 'mulan'"
    ):
        LabelPowerset(scores="median").fit(X, Y)
