"""Scores of labels follow from what rows keep, and rows without them are still rows."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from sklearn import metrics as sk

from mlbench.hashing import canonical_json
from mlbench.metrics import TrainingLabels, evaluate
from mlbench.store import LabelScores, to_plain
from mlbench.store.checksum import DamagedFileError
from tests.rows import as_row, make_row, plain_row

ORACLES = {
    "f1": lambda y, s, p: sk.f1_score(y, p, zero_division=np.nan),
    "precision": lambda y, s, p: sk.precision_score(y, p, zero_division=np.nan),
    "recall": lambda y, s, p: sk.recall_score(y, p, zero_division=np.nan),
    "auc": lambda y, s, p: sk.roc_auc_score(y, s) if 0 < y.mean() < 1 else np.nan,
    "average_precision": lambda y, s, p: sk.average_precision_score(y, s) if y.any() else np.nan,
    "test_positives": lambda y, s, p: y.sum(),
}


@pytest.fixture
def outcome():
    """50 x 4: a label without positives, one that is never predicted, and one with neither."""
    rng = np.random.default_rng(8)
    Y = (rng.random((50, 4)) < [0.4, 0, 0.2, 0]).astype(int)
    scores = np.round(rng.normal(size=Y.shape) + Y, 1)
    labels = (scores > 0.5).astype(int)
    labels[:, 2:] = 0
    return Y, scores, labels


def with_none(values):
    return [None if np.isnan(value) else pytest.approx(value, rel=1e-12) for value in values]


@pytest.mark.parametrize("metric", ORACLES)
def test_each_label_as_in_sklearn(outcome, metric):
    scores = LabelScores.of(evaluate(*outcome).by_label, "abcd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [
            ORACLES[metric](*columns) for columns in zip(*(a.T for a in outcome), strict=True)
        ]
    assert scores.names == list("abcd")
    assert scores.column(metric) == with_none(expected)


def test_positives_of_the_training_part_and_names_of_some_labels(outcome):
    training = TrainingLabels(np.array([7, 0, 2, 1]), 30)
    labels = evaluate(*outcome, training=training).by_label
    scores = LabelScores.of(labels, "abcdefgh", np.array([1, 2, 5, 7]))
    assert scores.names == ["b", "c", "f", "h"]
    assert scores.column("train_positives") == [7, 0, 2, 1]
    unknown = LabelScores.of(evaluate(*outcome).by_label, "abcd")
    assert unknown.column("train_positives") == [None] * 4


def test_tasks_that_have_samples_in_the_test_part(outcome):
    Y, scores, labels = (array[:, :1] for array in outcome)
    tasks = np.where(np.arange(50) < 20, 1, 3)
    training = TrainingLabels.of(np.array([[1], [1], [0]]), np.array([0, 1, 2]))
    found = LabelScores.of(evaluate(Y, scores, labels, tasks, training=training).by_label, "abcd")
    assert found.names == ["b", "d"]
    assert found.column("train_positives") == [1, 0]
    assert found.column("test_positives") == [Y[tasks == 1].sum(), Y[tasks == 3].sum()]


def test_a_row_is_read_as_it_was_written_and_older_rows_have_none(outcome):
    scores = LabelScores.of(evaluate(*outcome).by_label, "abcd")
    assert make_row().by_label is None
    written = {**plain_row(), "by_label": to_plain(make_row(by_label=plain(scores)))["by_label"]}
    assert as_row(json.loads(canonical_json(written))).by_label == scores


def plain(scores):
    fields = ("names", "train_positives", "tp", "fp", "fn", "auc", "average_precision")
    return {name: getattr(scores, name) for name in fields}


def test_columns_of_different_lengths_are_damage(outcome):
    broken = plain(LabelScores.of(evaluate(*outcome).by_label, "abcd"))
    with pytest.raises(DamagedFileError, match="an entry for each label"):
        make_row(by_label={**broken, "tp": [1, 2]})


def test_a_label_takes_about_sixty_bytes():
    rng = np.random.default_rng(9)
    Y = (rng.random((200, 300)) < 0.2).astype(int)
    labels = evaluate(Y, rng.random(Y.shape), Y, training=TrainingLabels.of(Y)).by_label
    scores = LabelScores.of(labels, [f"label{j}" for j in range(300)])
    assert len(canonical_json(plain(scores))) < 300 * 70
