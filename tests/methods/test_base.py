from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mlbench.methods.adaptation.mlknn import MLkNN
from mlbench.methods.base import MultiLabelMethod, constant_labels, grouped_by, path_models
from mlbench.methods.problem_transformation.br import BinaryRelevance


class FirstFeature(MultiLabelMethod):
    """Scores every label by the first feature."""

    threshold = 1.0

    def fit(self, X, Y, tasks=None):
        _, Y, _ = self._check_training(X, Y, tasks)
        self.width_ = Y.shape[1]
        return self

    def _scores(self, X, tasks):
        return np.repeat(np.asarray(X[:, [0]]), self.width_, axis=1)


def test_a_method_does_not_learn_what_a_mask_hides():
    Y = np.ma.masked_array([[0, 1], [1, 0]], [[True, False], [False, False]])
    with pytest.raises(ValueError, match="Y is masked, but a method needs every label"):
        FirstFeature().fit(np.eye(2), Y)
    FirstFeature().fit(np.eye(2), np.ma.masked_array(Y.data, False))


def test_labels_are_scores_above_the_threshold():
    X = np.array([[0.0], [1.0], [2.0]])
    model = FirstFeature().fit(X, np.array([[0, 1], [1, 0], [1, 1]]))
    np.testing.assert_array_equal(model.decision_function(X), [[0, 0], [1, 1], [2, 2]])
    np.testing.assert_array_equal(model.predict(X), [[0, 0], [0, 0], [1, 1]])


def test_the_threshold_of_a_flat_y_is_0():
    X = np.array([[0.0], [1.0], [2.0]])
    model = FirstFeature().fit(X, ["no", "no", "yes"])
    np.testing.assert_array_equal(model.decision_function(X), [-1, 0, 1])
    assert model.predict(X).tolist() == ["no", "no", "yes"]


def test_constant_labels_are_those_of_one_class():
    Y = np.array([[0, 1, 0, 1], [0, 1, 1, 1], [0, 1, 0, 0]])
    assert constant_labels(Y).tolist() == [0, 1]


def test_constant_tasks_are_those_of_one_class():
    y = np.array([[0], [1], [1], [1], [0]])
    assert constant_labels(y, np.array([0, 0, 2, 2, 3])).tolist() == [2, 3]


@pytest.mark.parametrize(
    ("Y", "tasks", "words"),
    [
        (np.full((3, 2), 2), None, r"Y must hold 0 and 1 only; found \[2\]"),
        (np.array([[0.0], [0.5], [1.0]]), None, r"found \[0.5\]"),
        ([0, 1, 2], None, "Only binary classification is supported"),
        (np.zeros((2, 1), int), None, "inconsistent numbers of samples"),
        (np.zeros((3, 1), int), [0, 1], "tasks must be 3 whole numbers, one per row"),
        (np.zeros((3, 1), int), [0.0, 1.0, 2.0], "3 whole numbers.*float64"),
        (np.zeros((3, 1), int), [0, -1, 2], "numbered from 0"),
        (np.zeros((3, 2), int), [0, 1, 2], "Y must have one column; it has 2"),
    ],
)
def test_training_data_that_cannot_be_are_refused_in_words(Y, tasks, words):
    with pytest.raises(ValueError, match=words):
        FirstFeature().fit(np.arange(3.0).reshape(3, 1), Y, tasks)


def test_one_row_is_too_few():
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        FirstFeature().fit([[1.0]], [[1]])


def test_tasks_at_prediction_are_those_of_training(tasked):
    X, Y, tasks, new, new_tasks = tasked
    model = BinaryRelevance().fit(X, Y, tasks=tasks)
    with pytest.raises(ValueError, match="was fitted with tasks: give each row's task"):
        model.predict(new)
    with pytest.raises(ValueError, match=r"tasks not seen in training: \[7\]"):
        model.predict(new, new_tasks + np.where(new_tasks == 0, 7, 0))
    with pytest.raises(ValueError, match=r"tasks must have shape \(20,\), got \(3,\)"):
        model.predict(new, new_tasks[:3])
    with pytest.raises(ValueError, match="was fitted without tasks"):
        BinaryRelevance().fit(X, Y).predict(new, new_tasks)


def test_sparse_labels_are_taken(labelled):
    X, Y, new = labelled
    np.testing.assert_array_equal(
        MLkNN().fit(X, sparse.csr_matrix(Y)).predict(new), MLkNN().fit(X, Y).predict(new)
    )


def test_a_grid_is_grouped_by_what_can_be_shared():
    grid = [{"k": k, "normalize": n} for k in (1, 2) for n in ("minmax", None)]
    groups = list(path_models(MLkNN(s=0.3), grid, by=("normalize",)))
    assert [[index for index, _ in group] for group in groups] == [[0, 2], [1, 3]]
    assert all(model.s == 0.3 for group in groups for _, model in group)
    assert [model.k for _, model in groups[1]] == [1, 2]


def test_grouped_by_keeps_every_model():
    class Point:
        def __init__(self, a):
            self.a = a

    models = [(index, Point(index % 2)) for index in range(5)]
    groups = [[index for index, _ in group] for group in grouped_by(models, ("a",))]
    assert groups == [[0, 2, 4], [1, 3]]
