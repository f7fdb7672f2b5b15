from __future__ import annotations

import numpy as np
import pytest

from mlbench.errors import MethodError
from mlbench.metrics import TrainingLabels, evaluate, get_metric, score
from mlbench.metrics.outcome import Outcome

Y = np.array([[1, 0], [0, 1], [1, 1]])
S = np.array([[0.9, 0.1], [0.2, 0.8], [0.7, 0.6]])


def test_what_a_metric_needs_must_be_given():
    with pytest.raises(MethodError, match="needs scores"):
        score("macro_auc", Y, None, Y)
    with pytest.raises(MethodError, match="needs predicted labels"):
        score("macro_f1", Y, S, None)


def test_a_task_plays_the_part_of_a_label():
    """Tasks of equal size, stacked, score as the columns they came from."""
    rng = np.random.default_rng(3)
    truth = (rng.random((30, 4)) < 0.4).astype(int)
    scores = np.round(rng.normal(size=truth.shape), 1)
    labels = (scores > 0).astype(int)
    order = rng.permutation(truth.size)

    def stack(matrix):
        return matrix.T.reshape(-1, 1)[order]

    tasks = np.repeat([2, 3, 5, 9], 30)[order]
    wide = evaluate(truth, scores, labels)
    long = evaluate(stack(truth), stack(scores), stack(labels), tasks)
    for name in ("macro_auc", "micro_auc", "macro_f1", "micro_f1", "hamming_loss"):
        assert long.values[name] == pytest.approx(wide.values[name], rel=1e-13)
    for name in ("example_f1", "subset_accuracy", "ranking_loss", "coverage", "one_error"):
        assert np.isnan(long.values[name])
    assert long.counts["labels"] == 4
    assert "samples_skipped_f1" not in long.counts


def test_tasks_of_unequal_size_count_alike():
    truth = np.array([[1], [0], [1], [1], [0], [0], [0]])
    scores = np.array([[2.0], [1.0], [0.1], [0.2], [0.3], [0.4], [0.0]])
    tasks = np.array([0, 0, 1, 1, 1, 1, 1])
    values = evaluate(truth, scores, truth * 0, tasks).values
    assert values["macro_auc"] == pytest.approx((1 + 2 / 6) / 2)
    assert values["hamming_loss"] == pytest.approx((1 / 2 + 2 / 5) / 2)


def test_a_task_with_one_class_is_left_out_of_auc_and_counted():
    truth = np.array([[1], [0], [0], [0]])
    result = evaluate(truth, [[0.6], [0.5], [0.9], [0.1]], truth, [0, 0, 1, 1])
    assert result.values["macro_auc"] == 1.0
    assert result.counts["labels_scored_auc"] == 1
    assert result.counts["labels_without_positives"] == 1


def judged(outcome):
    names = ("macro_f1", "macro_auc", "micro_auc", "macro_f1@share", "auc_tie_share")
    return [get_metric(name)(outcome) for name in names]


@pytest.mark.parametrize(
    "tasks", [None, np.array([2, 0, 2, 2, 0, 0, 2, 0])], ids=["labels", "tasks"]
)
def test_other_outputs_of_the_same_samples(tasks):
    random = np.random.RandomState(3)
    columns = 3 if tasks is None else 1
    truth = np.tile([[1], [0], [1], [0], [0], [1], [0], [1]], columns)
    training = TrainingLabels.of(truth, tasks)
    outcome = Outcome(truth, truth, truth, tasks, training)
    for _ in range(3):
        scores = random.randint(0, 4, size=truth.shape) / 4
        outcome = outcome.with_outputs(scores, scores > 0.5)
        alone = Outcome(truth, scores, scores > 0.5, tasks, training)
        assert judged(outcome) == judged(alone)
    with pytest.raises(MethodError, match="but Y has shape"):
        outcome.with_outputs(scores[1:], None)
