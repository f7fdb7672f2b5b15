"""Nothing of the test part reaches what is fitted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

from mlbench.protocol.splitters import tuning_folds
from mlbench.protocol.thresholds import best_f1_threshold
from tests.cell.cases import BR, cells, make_dataset, positive, run, split_of

POLICIES = ["train_f1_global", "train_f1_label", "cv_f1_label"]


@pytest.mark.parametrize(
    "threshold", ["default", "train_f1_global", "train_f1_label", "cv_f1_label"]
)
@pytest.mark.parametrize("scope", ["every-split", "first-split"])
def test_nothing_of_the_test_part_reaches_parameters_or_thresholds(threshold, scope):
    dataset = make_dataset()
    settings = {"preprocess": "standardize", "threshold": threshold}
    cell = cells(dataset, BR, **settings, tuning={"folds": 3, "scope": scope})[0]
    honest = run(cell, dataset)
    test = split_of(dataset).test

    Y = dataset.Y.copy()
    Y[test] = 1 - Y[test]
    other_labels = run(cell, replace(dataset, Y=Y))
    X = dataset.X.copy()
    X[test] = 1e3 * X[test] - 5
    other_rows = run(cell, replace(dataset, X=X))

    for other in (other_labels, other_rows):
        assert other.tuning == honest.tuning
        assert other.params == honest.params
        assert other.thresholds == honest.thresholds
    np.testing.assert_array_equal(other_labels.predictions["scores"], honest.predictions["scores"])
    np.testing.assert_array_equal(other_labels.predictions["labels"], honest.predictions["labels"])
    assert other_labels.metrics["hamming_loss"] == pytest.approx(1 - honest.metrics["hamming_loss"])


def test_training_rows_do_reach_them():
    dataset = make_dataset()
    cell = cells(dataset, BR, threshold="train_f1_label")[0]
    Y = dataset.Y.copy()
    train = split_of(dataset).train
    Y[train] = 1 - Y[train]
    assert run(cell, replace(dataset, Y=Y)).thresholds != run(cell, dataset).thresholds


def fitted(X, Y, C=1.0):
    return MultiOutputClassifier(LogisticRegression(C=C, solver="liblinear")).fit(X, Y)


@pytest.mark.parametrize("policy", POLICIES)
def test_thresholds_come_from_training_scores_or_from_held_out_ones(policy):
    dataset = make_dataset()
    cell = cells(dataset, {"use": "br", "solver": "liblinear"}, threshold=policy)[0]
    result = run(cell, dataset)

    split = split_of(dataset)
    X, Y = dataset.X[split.train], dataset.Y[split.train]
    scores = positive(fitted(X, Y).predict_proba(X))
    if policy == "cv_f1_label":
        for fold in tuning_folds(len(X), 3, (7, "digits", 0)):
            model = fitted(X[fold.train], Y[fold.train])
            scores[fold.test] = positive(model.predict_proba(X[fold.test]))
    if policy == "train_f1_global":
        thresholds = [best_f1_threshold(Y.ravel(), scores.ravel())] * 3
    else:
        thresholds = [best_f1_threshold(Y[:, j], scores[:, j]) for j in range(3)]
    np.testing.assert_allclose(result.thresholds, thresholds, atol=1e-12)
    predicted = result.predictions
    np.testing.assert_array_equal(predicted["labels"], predicted["scores"] > result.thresholds)
    assert "threshold" in result.seconds
