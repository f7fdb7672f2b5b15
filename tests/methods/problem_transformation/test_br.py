from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mlbench.methods.problem_transformation.br import BinaryRelevance


@pytest.mark.parametrize(
    "base",
    [LogisticRegression(C=3), LinearSVC(random_state=0), SVC()],
    ids=["logistic", "linear_svc", "svc"],
)
def test_labels_are_those_of_one_against_rest(labelled, base):
    X, Y, new = labelled
    theirs = OneVsRestClassifier(base).fit(X, Y)
    ours = BinaryRelevance(base).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    if not hasattr(base, "predict_proba"):
        np.testing.assert_array_equal(ours.decision_function(new), theirs.decision_function(new))


@pytest.mark.parametrize(
    "base",
    [LogisticRegression(), DecisionTreeClassifier(min_samples_leaf=2, random_state=0)],
    ids=["logistic", "tree"],
)
def test_scores_are_the_probabilities_of_a_multi_output_classifier(labelled, base):
    X, Y, new = labelled
    theirs = MultiOutputClassifier(base).fit(X, Y).predict_proba(new)
    np.testing.assert_array_equal(
        BinaryRelevance(base).fit(X, Y).decision_function(new),
        np.column_stack([p[:, 1] for p in theirs]),
    )


def test_an_even_chance_is_positive_and_a_margin_of_0_is_not():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    Y = np.array([[0], [1], [1], [1]])
    tree = BinaryRelevance(DecisionTreeClassifier()).fit(X, Y)
    assert tree.decision_function(X[:1]) == [[0.5]]
    assert tree.predict(X[:1]) == [[1]]
    svm = BinaryRelevance("linear_svc").fit(X, Y)
    np.testing.assert_array_equal(svm.predict_from_scores(np.array([[0.0, 0.1]])), [[0, 1]])


def test_a_column_depends_on_its_own_labels_only(labelled):
    X, Y, new = labelled
    scores = BinaryRelevance().fit(X, Y).decision_function(new)
    Y[:, [0, 2]] = 1 - Y[:, [0, 2]]
    again = BinaryRelevance().fit(X, Y).decision_function(new)
    np.testing.assert_array_equal(scores[:, 1], again[:, 1])


@pytest.mark.parametrize(("base", "low"), [("logistic", 0), ("linear_svc", -1)])
def test_labels_of_one_class_are_not_fitted(labelled, base, low):
    X, Y, new = labelled
    Y[:, 0], Y[:, 2] = 0, 1
    model = BinaryRelevance(base).fit(X, Y)
    assert [estimator is None for estimator in model.estimators_] == [True, False, True]
    assert model.constant_labels_.tolist() == [0, 2]
    scores = model.decision_function(new)
    assert (scores[:, 0] == low).all()
    assert (scores[:, 2] == 1).all()


def test_every_task_has_a_model_of_its_own_rows(tasked):
    X, Y, tasks, new, new_tasks = tasked
    Y = np.where(tasks[:, None] == 3, 1, Y)
    model = BinaryRelevance("logistic").fit(X, Y, tasks=tasks)
    scores = model.decision_function(new, tasks=new_tasks)
    assert scores.shape == (20, 1)
    for task in range(3):
        alone = LogisticRegression(max_iter=1000).fit(X[tasks == task], Y[tasks == task, 0])
        rows = new_tasks == task
        np.testing.assert_array_equal(scores[rows, 0], alone.predict_proba(new[rows])[:, 1])
    assert (scores[new_tasks == 3] == 1).all()
    assert model.constant_labels_.tolist() == [3]


def test_parameters_of_a_named_base_can_be_set():
    model = BinaryRelevance().set_params(base__C=0.5)
    assert model.base.C == 0.5
    assert BinaryRelevance("linear_svc").set_params(base="svc", base__gamma=2.0).base.gamma == 2.0
    assert clone(model).base.C == 0.5


def test_the_base_that_was_given_is_not_fitted(labelled):
    X, Y, _ = labelled
    base = LogisticRegression()
    BinaryRelevance(base).fit(X, Y)
    assert not hasattr(base, "coef_")


def test_a_flat_y_gives_flat_answers_of_its_own_classes(labelled):
    X, Y, new = labelled
    words = np.array(["no", "yes"])[Y[:, 0]]
    model = BinaryRelevance().fit(X, words)
    assert set(model.predict(new)) == {"no", "yes"}
    np.testing.assert_array_equal(model.predict(new) == "yes", model.decision_function(new) > 0)
