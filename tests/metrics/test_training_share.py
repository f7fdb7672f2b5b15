"""F1 where labels are cut at their share in training, and of predicting every label."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlbench.errors import MethodError
from mlbench.metrics import TrainingLabels, evaluate, get_metric, score

CUT = ("macro_f1@share", "micro_f1@share", "example_f1@share")


def outcome(seed, n=40, k=6, digits=1):
    """Return truth, scores with ties, labels, and the labels of a training part."""
    random = np.random.default_rng(seed)
    Y = (random.random((n, k)) < random.random(k)).astype(int)
    scores = np.round(random.normal(size=Y.shape) + Y, digits)
    training = (random.random((27, k)) < random.random(k)).astype(int)
    return Y, scores, (scores > 0.3).astype(int), training


def cut_one_by_one(scores, training):
    labels = np.zeros(scores.shape, dtype=int)
    for j in range(scores.shape[1]):
        n = int(len(scores) * training[:, j].sum() / len(training) + 0.5)
        best_first = sorted(range(len(scores)), key=lambda row: (-scores[row, j], row))
        labels[best_first[:n], j] = 1
    return labels


@given(st.integers(0, 10_000), st.sampled_from([0, 1, 8]))
def test_the_best_scores_of_each_label_are_positive(seed, digits):
    Y, scores, _, training = outcome(seed, digits=digits)
    known = TrainingLabels.of(training)
    for name in CUT:
        plain = name.removesuffix("@share")
        expected = score(plain, Y, None, cut_one_by_one(scores, training))
        assert score(name, Y, scores, None, training=known) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("transform", [np.exp, lambda s: s**3, lambda s: 5 * s - 900])
def test_a_monotone_transform_of_the_scores_changes_nothing(transform):
    Y, scores, labels, training = outcome(5)
    known = TrainingLabels.of(training)
    values, others = (
        evaluate(Y, each, labels, training=known).values for each in (scores, transform(scores))
    )
    assert [values[name] for name in CUT] == [others[name] for name in CUT]


def test_the_predicted_labels_do_not_matter():
    Y, scores, labels, training = outcome(6)
    known = TrainingLabels.of(training)
    values, others = (
        evaluate(Y, scores, each, training=known).values for each in (labels, 1 - labels)
    )
    assert [values[name] for name in CUT] == [others[name] for name in CUT]
    assert values["macro_f1"] != others["macro_f1"]


def test_a_task_plays_the_part_of_a_label():
    Y, scores, labels, training = outcome(7)
    order = np.random.default_rng(0).permutation(Y.size)

    def stack(matrix):
        return matrix.T.reshape(-1, 1)[order]

    tasks = np.repeat([2, 3, 5, 7, 8, 9], len(Y))[order]
    learned = training.T.reshape(-1, 1), np.repeat([2, 3, 5, 7, 8, 9], len(training))
    distinct = scores + np.random.default_rng(1).random(scores.shape) / 100
    wide = evaluate(Y, distinct, labels, training=TrainingLabels.of(training)).values
    given = stack(Y), stack(distinct), stack(labels), tasks
    long = evaluate(*given, training=TrainingLabels.of(*learned)).values
    for name in (*CUT[:2], "macro_f1@constant", "micro_f1@constant"):
        assert long[name] == pytest.approx(wide[name])
    assert np.isnan(long["example_f1@share"])


def test_of_equal_scores_the_first_rows_of_a_task_are_positive():
    Y = np.array([[0], [1], [1], [0], [1]])
    tasks, equal = np.array([0, 1, 0, 1, 1]), np.zeros((5, 1))
    training = TrainingLabels(np.array([1, 2]), 5, np.array([2, 3]))  # 1 of 2, and 2 of 3
    value = score("macro_f1@share", Y, equal, None, tasks, training)
    assert value == pytest.approx((0 + 2 * 1 / (2 + 2)) / 2)  # row 0; rows 1 and 3


def test_half_a_positive_is_one_and_infinite_scores_can_be_negative():
    Y, scores = np.array([[1, 0], [0, 1]]), np.array([[np.inf, 0.0], [np.inf, 1.0]])
    training = TrainingLabels(np.array([0, 1]), 4)  # 0 and 0.5 of the two samples
    assert score("micro_f1@share", Y, scores, None, training=training) == pytest.approx(2 / 3)


def test_where_no_label_has_a_positive_there_is_no_control():
    Y, scores, labels, _ = outcome(8)
    none = TrainingLabels(np.zeros(6, dtype=int), 27)
    values = evaluate(Y, scores, labels, training=none).values
    assert all(np.isnan(values[name]) for name in CUT)


def test_tasks_that_were_not_in_training_have_no_share():
    Y, tasks = np.array([[1], [0], [1], [0]]), np.array([0, 0, 4, 4])
    training = TrainingLabels.of(np.array([[1], [0]]), np.array([0, 0]))
    assert np.isnan(score("macro_f1@share", Y, Y, None, tasks, training))


def test_the_share_needs_the_training_labels():
    Y, scores, labels, _ = outcome(9)
    with pytest.raises(MethodError, match="needs the labels of the training part"):
        score("macro_f1@share", Y, scores, None)
    assert not {*CUT} & evaluate(Y, scores, labels).values.keys()


def test_every_label_for_every_sample_is_a_baseline_and_judges_no_method():
    Y, scores, labels, _ = outcome(10)
    values = evaluate(Y, scores, labels).values
    P, n = Y.sum(axis=0), len(Y)
    assert values["macro_f1@constant"] == pytest.approx(np.mean(2 * P / (P + n)))
    assert values["micro_f1@constant"] == pytest.approx(2 * P.sum() / (P.sum() + Y.size))
    assert not get_metric("macro_f1@constant").is_quality
    assert get_metric("macro_f1@share").is_quality
