"""A projection learned on some rows and labels, for the same labels or for others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.preprocessing import StandardScaler

from mlbench.methods.kernel_projection.gaussian import MORPSVM, KernelProjection
from mlbench.metrics import score
from mlbench.papers.splitters import Transfer
from mlbench.protocol.splitters import tuning_folds
from tests.cell.cases import cells, make_dataset, run, without_times

SEEN = {
    "kind": "transfer",
    "source_rows": 60,
    "source_labels": 4,
    "target": "source_labels",
    "repeats": 2,
    "seed": 7,
}
UNSEEN = {**SEEN, "target": "other_labels", "folds": 3}
MORP = {"use": "morp_svm", "n_components": 3, "tune": {"gamma": [0.01, 1.0], "C": [0.1, 10.0]}}
RBF = {"use": "rbf_svm", "tune": {"C": [0.1, 10.0]}}
TUNING = {"folds": 3, "scoring": "macro_auc"}


@pytest.fixture
def dataset():
    return make_dataset(n=150, k=6)


def transfer(dataset, method, splits=UNSEEN, index=0, **protocol):
    return cells(dataset, method, splits=splits, tuning=TUNING, **protocol)[index]


def division(index=0, splits=UNSEEN):
    fields = {name: splits[name] for name in splits if name not in ("kind", "repeats")}
    return Transfer(**fields).divide(150, 6, "digits", index)


def test_setting_one_is_a_fit_to_the_rows_and_labels_of_the_projection(dataset):
    cell = transfer(dataset, {"use": "morp_svm", "n_components": 3}, SEEN, 1)
    result, split = run(cell, dataset), division(1, SEEN)
    X, Y = dataset.X, dataset.Y[:, split.labels]
    model = MORPSVM(n_components=3).fit(X[split.train], Y[split.train])
    scores = model.decision_function(X[split.test])
    np.testing.assert_allclose(result.predictions["scores"], scores, atol=1e-7)
    np.testing.assert_array_equal(result.predictions["columns"], split.labels)
    assert result.metrics["macro_auc"] == score("macro_auc", Y[split.test], scores, None)
    assert (result.counts["train_samples"], result.counts["test_samples"]) == (60, 90)
    assert result.counts["labels"] == 4
    assert result.by_label.names == [dataset.label_names[label] for label in split.labels]
    assert result.by_label.train_positives == Y[split.train].sum(axis=0).tolist()
    assert "projection_samples" not in result.counts


@pytest.mark.parametrize("index", [0, 5])
def test_setting_two_by_hand(dataset, index):
    """The protocol as the paper describes it, with parameters tuned inside the one fold."""
    result = run(transfer(dataset, MORP, index=index, preprocess="standardize"), dataset)

    split = division(index)
    scaler = StandardScaler().fit(dataset.X[split.source_rows])
    X = scaler.transform(dataset.X)
    seen = X[split.source_rows], dataset.Y[np.ix_(split.source_rows, split.source_labels)]
    Y = dataset.Y[:, split.labels]
    grid = [{"gamma": gamma, "C": C} for gamma in (0.01, 1.0) for C in (0.1, 10.0)]
    means = []
    for point in grid:
        values = []
        for fold in tuning_folds(len(split.train), 3, (7, "digits", index)):
            learn, held = split.train[fold.train], split.train[fold.test]
            model = MORPSVM(n_components=3, **point).fit_projection(*seen)
            model.fit_classifiers(X[learn], Y[learn])
            scores = model.decision_function(X[held])
            assert np.ptp(scores, axis=0).min() > 1e-4, "their order would be one of roundings"
            values.append(score("macro_auc", Y[held], scores, None))
        means.append(np.nanmean(values))
    np.testing.assert_allclose([np.mean(row) for row in result.tuning.scores], means, atol=1e-9)
    best = grid[int(np.argmax(means))]
    assert result.params == best
    model = MORPSVM(n_components=3, **best).fit_projection(*seen)
    model.fit_classifiers(X[split.train], Y[split.train])
    scores = model.decision_function(X[split.test])
    np.testing.assert_allclose(result.predictions["scores"], scores, atol=1e-7)
    assert result.metrics["macro_auc"] == score("macro_auc", Y[split.test], scores, None)
    counts = ("projection_samples", "train_samples", "test_samples", "labels")
    assert [result.counts[name] for name in counts] == [60, 30, 60, 2]


def test_a_method_without_a_projection_sees_the_training_part_alone(dataset):
    method = {"use": "br", "solver": "liblinear"}
    result = run(transfer(dataset, method), dataset)
    split = division()
    Y = dataset.Y[:, split.labels]
    alone = MultiOutputClassifier(LogisticRegression(solver="liblinear"))
    alone.fit(dataset.X[split.train], Y[split.train])
    scores = np.column_stack([p[:, 1] for p in alone.predict_proba(dataset.X[split.test])])
    np.testing.assert_allclose(result.predictions["scores"], scores, atol=1e-12)
    assert result.counts["projection_samples"] == 60


@pytest.mark.slow
@pytest.mark.parametrize("method", [MORP, RBF], ids=["morp_svm", "rbf_svm"])
@pytest.mark.parametrize("splits", [SEEN, UNSEEN], ids=["seen", "unseen"])
@pytest.mark.parametrize("threshold", ["default", "train_f1_global", "cv_f1_label"])
def test_what_must_not_be_seen_changes_nothing(dataset, method, splits, threshold):
    cell = transfer(dataset, method, splits, preprocess="standardize", threshold=threshold)
    split = division(splits=splits)
    hidden = np.ones(dataset.Y.shape, dtype=bool)
    hidden[np.ix_(split.train, split.labels)] = False
    if split.source_rows is not None:
        hidden[np.ix_(split.source_rows, split.source_labels)] = False
    other_labels = replace(dataset, Y=np.where(hidden, 1 - dataset.Y, dataset.Y))
    X = dataset.X.copy()
    X[split.test] = 1e3 * X[split.test] - 5
    honest = run(cell, dataset)
    for other in (run(cell, other_labels), run(cell, replace(dataset, X=X))):
        assert (other.params, other.thresholds) == (honest.params, honest.thresholds)
        assert other.tuning == honest.tuning
    scores = run(cell, other_labels).predictions["scores"]
    np.testing.assert_array_equal(scores, honest.predictions["scores"])


def test_seen_labels_do_reach_a_projection_and_no_other_method(dataset):
    split = division()
    Y = dataset.Y.copy()
    Y[np.ix_(split.source_rows, split.source_labels)] = np.arange(60)[:, None] % 2
    other = replace(dataset, Y=Y)
    same = []
    for method in ({"use": "morp_svm"}, {"use": "rbf_svm"}):
        cell = transfer(dataset, method)
        one, two = (run(cell, data).predictions["scores"] for data in (dataset, other))
        same.append(np.array_equal(one, two))
    assert same == [False, True]


def test_the_same_again_bit_for_bit_and_the_same_rows_for_all_methods(dataset):
    results = [run(transfer(dataset, method), dataset) for method in (MORP, MORP, RBF)]
    assert without_times(results[0]) == without_times(results[1])
    for name in ("rows", "columns"):
        first, _, other = (result.predictions[name] for result in results)
        np.testing.assert_array_equal(first, other)


def test_a_search_decomposes_the_kernel_once_for_all_folds(dataset, monkeypatch):
    spaces = []
    space = KernelProjection._eigenbasis
    monkeypatch.setattr(KernelProjection, "_eigenbasis", lambda *a: spaces.append(a) or space(*a))
    run(transfer(dataset, MORP), dataset)
    assert len(spaces) == 2  # one for the search, one for the chosen candidate
