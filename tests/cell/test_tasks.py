"""Data in which every row belongs to a task, or comes to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

from mlbench.data import Dataset
from tests.cell.cases import BR, cells, make_dataset, run, split_of


def test_every_task_has_its_own_model_and_plays_the_part_of_a_label():
    random = np.random.RandomState(1)
    tasks = random.permutation(np.repeat([0, 1, 2], [30, 40, 50]))
    X = random.randn(120, 5)
    y = (X[:, 0] * (tasks - 1) + 0.5 * random.randn(120) > 0).astype(np.int64)
    dataset = Dataset(
        "digits", X, y[:, None], ("y",), tuple("abcde"), tasks=tasks, task_names=tuple("rst")
    )
    cell = cells(dataset, {"use": "br", "solver": "liblinear", "tune": {"C": [0.01, 1.0]}})[0]
    result = run(cell, dataset)
    split = split_of(dataset)
    aucs = []
    for task in range(3):
        train, test = (rows[tasks[rows] == task] for rows in (split.train, split.test))
        model = LogisticRegression(C=result.params["C"], solver="liblinear").fit(X[train], y[train])
        scores = model.predict_proba(X[test])[:, 1]
        ours = result.predictions["scores"][np.isin(split.test, test), 0]
        np.testing.assert_allclose(ours, scores, atol=1e-12)
        aucs.append(roc_auc_score(y[test], scores))
    assert result.metrics["macro_auc"] == pytest.approx(np.mean(aucs), abs=1e-12)
    assert result.metrics["subset_accuracy"] is None
    assert result.counts["labels"] == 3


SKEWED = {"use": "digits", "imbalance": {"ratio": 5}}
REMEMBERS = """
import numpy as np
from sklearn.base import BaseEstimator

class Remembers(BaseEstimator):
    seen = []  # for every prediction, how many of its rows the model was fitted on

    def __init__(self, width=1):
        self.width = width

    def fit(self, X, Y, tasks):
        self.rows_ = {row.tobytes() for row in X}
        return self

    def decision_function(self, X, tasks):
        self.seen.append(sum(row.tobytes() in self.rows_ for row in X))
        return X[:, :1]

    def predict(self, X, tasks):
        return (X[:, :1] > 0).astype(int)
"""


@pytest.mark.parametrize("scope", ["every-split", "first-split"])
def test_no_row_is_drawn_for_both_sides_of_a_division(tmp_path, scope):
    """Neither fold nor test part holds a twin of a row that its model was fitted on."""
    (tmp_path / "own.py").write_text(REMEMBERS)
    dataset = make_dataset()
    method = {"use": "own.py:Remembers", "tune": {"width": [1, 2]}}
    settings = {"threshold": "cv_f1_label", "tuning": {"folds": 3, "scope": scope}}
    cell = cells(dataset, method, tmp_path, reference=SKEWED, **settings)[1]
    result = run(cell, dataset)
    model = cell.planned_method.make()
    assert model.seen == [0] * (2 * 3 + 1 + 3)  # candidates on folds, the test part, thresholds
    rows = result.predictions["rows"]
    assert len(set(rows)) < len(rows) / 3, "there are twins to be kept together"


def test_an_imbalanced_cell_draws_both_parts_with_the_ratio_and_scores_its_tasks():
    dataset = make_dataset()
    cell = cells(dataset, {"use": "br", "solver": "liblinear"}, reference=SKEWED)[0]
    result = run(cell, dataset)
    split = split_of(dataset)
    rows, tasks = result.predictions["rows"], result.predictions["tasks"]
    assert set(rows) <= set(split.test)
    y = dataset.Y[rows, tasks]
    assert np.bincount(tasks).tolist() == [48] * 3
    assert np.bincount(tasks, weights=y).tolist() == [8] * 3
    assert (result.counts["train_samples"], result.counts["test_samples"]) == (3 * 72, 3 * 48)

    train = cell.splitter.draw(dataset, 0).train
    assert set(train.rows) <= set(split.train)
    assert np.bincount(train.tasks, weights=train.Y[:, 0]).tolist() == [12] * 3
    aucs, f1s = [], []
    for task in range(3):
        here, there = train.tasks == task, tasks == task
        model = LogisticRegression(solver="liblinear").fit(train.X[here], train.Y[here, 0])
        scores = model.predict_proba(dataset.X[rows[there]])[:, 1]
        np.testing.assert_allclose(result.predictions["scores"][there, 0], scores, atol=1e-12)
        aucs.append(roc_auc_score(y[there], scores))
        f1s.append(f1_score(y[there], scores > 0.5))
    assert result.metrics["macro_auc"] == pytest.approx(np.mean(aucs), abs=1e-12)
    assert result.metrics["macro_f1@sklearn"] == pytest.approx(np.mean(f1s), abs=1e-12)
    labels = result.predictions["labels"][:, 0]
    assert result.metrics["micro_f1"] == pytest.approx(f1_score(y, labels), abs=1e-12)


def test_all_methods_get_the_same_draws_and_test_labels_do_not_reach_training():
    dataset = make_dataset()
    first, second = (
        run(cells(dataset, method, reference=SKEWED)[1], dataset).predictions
        for method in ({"use": "br"}, {"use": "br", "base": "tree"})
    )
    np.testing.assert_array_equal(first["rows"], second["rows"])
    np.testing.assert_array_equal(first["tasks"], second["tasks"])

    cell = cells(dataset, BR, reference=SKEWED, threshold="cv_f1_label")[0]
    Y = dataset.Y.copy()
    test = split_of(dataset).test
    Y[test] = 1 - Y[test]
    honest, other = run(cell, dataset), run(cell, replace(dataset, Y=Y))
    assert (other.tuning, other.thresholds) == (honest.tuning, honest.thresholds)


def test_tasks_of_one_class_are_counted():
    tasks = np.arange(120) % 3
    dataset = make_dataset(k=1, tasks=tasks, task_names=tuple("rst"))
    Y = dataset.Y.copy()
    train = split_of(dataset).train
    Y[train[tasks[train] == 0]] = 0
    Y[train[tasks[train] == 1]] = 1
    counts = run(cells(dataset, {"use": "br"})[0], replace(dataset, Y=Y)).counts
    assert counts["train_labels_without_positives"] == 1
    assert counts["train_labels_without_negatives"] == 1
