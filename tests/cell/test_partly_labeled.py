"""Labels that are unknown are neither learned, nor tuned on, nor scored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, hamming_loss, roc_auc_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tests.cell.cases import BR, cells, make_dataset, run, split_of


@pytest.fixture
def partly():
    """A quarter of the labels is unknown."""
    full = make_dataset()
    known = np.random.RandomState(5).rand(*full.Y.shape) < 0.75
    return replace(full, Y=full.Y * known, known=known)


def plan(dataset, method, **protocol):
    return cells(dataset, method, facts={"fewest_known": 80}, **protocol)[0]


@pytest.mark.parametrize(
    ("method", "model"),
    [
        ({"use": "br", "solver": "liblinear"}, LogisticRegression(solver="liblinear")),
        ({"use": "svm_ovr", "C": 0.1}, SVC(C=0.1, kernel="linear", tol=1e-9)),
    ],
)
def test_each_label_is_learned_and_scored_where_it_is_known(partly, method, model):
    result = run(plan(partly, method, preprocess=["standardize"]), partly)
    split = split_of(partly)
    used = split.train[partly.known[split.train].any(axis=1)]
    scaler = StandardScaler().fit(partly.X[used])
    X, truths, calls, f1s, wrong, aucs = scaler.transform(partly.X), [], [], [], [], []
    for label in range(3):
        y, known = partly.Y[:, label], partly.known[:, label]
        train, test = split.train[known[split.train]], split.test[known[split.test]]
        fitted = model.fit(X[train], y[train])
        truths.append(y[test])
        calls.append(fitted.predict(X[test]))
        f1s.append(f1_score(truths[-1], calls[-1]))
        wrong.append(hamming_loss(truths[-1], calls[-1]))
        scores = fitted.decision_function(X[test])
        aucs.append(roc_auc_score(truths[-1], scores))
    truth, called = np.concatenate(truths), np.concatenate(calls)
    assert result.metrics["macro_f1"] == pytest.approx(np.mean(f1s), abs=1e-12)
    assert result.metrics["micro_f1"] == pytest.approx(f1_score(truth, called), abs=1e-12)
    assert result.metrics["macro_auc"] == pytest.approx(np.mean(aucs), abs=1e-12)
    assert result.metrics["hamming_loss"] == pytest.approx(np.mean(wrong), abs=1e-12)
    assert result.metrics["example_f1"] is None
    assert result.counts["test_samples"] == partly.known[split.test].sum()


@pytest.mark.parametrize("threshold", ["default", "cv_f1_label"])
def test_rows_without_a_known_label_change_nothing(partly, threshold):
    """A search, its folds, and thresholds are those of a data set of the known labels alone."""
    first = run(plan(partly, BR, threshold=threshold), partly)
    no_label = ~partly.known.any(axis=1)
    assert no_label.any()
    moved = replace(partly, X=np.where(no_label[:, None], 1e6, partly.X))
    again = run(plan(moved, BR, threshold=threshold), moved)
    assert (first.metrics, first.params) == (again.metrics, again.params)


def test_where_all_is_known_after_all_the_numbers_are_those_of_whole_labels(partly):
    full = make_dataset()
    marked = replace(full, known=np.ones(full.Y.shape, dtype=bool))
    ours = run(plan(marked, BR, preprocess=["standardize"]), marked)
    whole = run(cells(full, BR, preprocess=["standardize"])[0], full)
    assert ours.params == whole.params
    for name in ("macro_f1", "micro_f1", "macro_auc", "micro_auc"):
        assert ours.metrics[name] == pytest.approx(whole.metrics[name], abs=1e-12)
