"""Ratings of which most are unknown: learned and scored where known, seen where they may be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from mlbench.data.synthetic import generate
from mlbench.methods.kernel_projection.gaussian import MORPSVM
from mlbench.methods.svm.one_vs_rest import LabelSVMs
from mlbench.papers.splitters import Ratings
from mlbench.protocol.splitters import tuning_folds
from tests.cell.cases import cells, run, without_times

SPLITS = {"kind": "ratings", "given": 10, "folds": 4, "repeats": 2, "seed": 7}
MORP = {"use": "morp_svm", "n_components": 4}
TUNED = {**MORP, "tune": {"gamma": [0.01, 1.0], "C": [0.1, 10.0]}}
BR = {"use": "br", "solver": "liblinear", "tune": {"C": [0.1, 10.0]}}


@pytest.fixture(scope="module")
def dataset():
    shape = {"samples": 60, "users": 16, "dimensions": 12, "ratings": 28}
    return generate("paintings-like", shape)


def rating_cell(dataset, method, index=0, **protocol):
    tuning = {"folds": 2, "scoring": "macro_auc"}
    facts = {"fewest_known": int(dataset.known.sum(axis=0).min())}
    return cells(dataset, method, splits=SPLITS, tuning=tuning, facts=facts, **protocol)[index]


def division(dataset, index=0):
    named = dataset.described("digits", ())
    return Ratings(given=10, folds=4, seed=7).draw(named, index)


def seen_by_projections(dataset, split, given):
    """Return all users' ratings, with 0 for what is missing and for what test users withhold."""
    ratings = np.where(dataset.known, 2.0 * dataset.Y - 1, 0)
    for user in split.users:
        ratings[:, user] = 0
    for row, user in given:
        ratings[row, user] = 2 * dataset.Y[row, user] - 1
    return ratings


def scores_by_hand(dataset, split, given, asked, **params):
    """Fit the projection to all rows and users, and one SVM to what a test user is known to say."""
    model = MORPSVM(n_components=4, **params)
    Z = model.fit_projection(dataset.X, seen_by_projections(dataset, split, given)).transform(
        dataset.X
    )
    found = np.empty(len(asked))
    for user in split.users:
        rows = [row for row, one in given if one == user]
        svm = LabelSVMs(C=params.get("C", 1.0)).fit(Z[rows], dataset.Y[rows][:, [user]])
        places = [i for i, (_, one) in enumerate(asked) if one == user]
        found[places] = svm.decision_function(Z[[asked[i][0] for i in places]])[:, 0]
    return found


def pairs(rows, users):
    return list(zip(rows.tolist(), users.tolist(), strict=True))


@pytest.mark.parametrize("index", [0, 6])
def test_the_protocol_by_hand(dataset, index):
    result = run(rating_cell(dataset, MORP, index), dataset)
    split = division(dataset, index)
    given = pairs(split.train.rows, split.users[split.train.tasks])
    asked = pairs(split.test.rows, split.users[split.test.tasks])
    scores = scores_by_hand(dataset, split, given, asked)
    np.testing.assert_allclose(result.predictions["scores"][:, 0], scores, atol=1e-6)

    areas, tops = [], []
    for user in split.users:
        mine = np.array([i for i, (_, one) in enumerate(asked) if one == user])
        rows = np.array([asked[i][0] for i in mine])
        likes, known = dataset.Y[rows, user], dataset.known[rows, user]
        areas.append(roc_auc_score(likes[known], scores[mine][known]))
        tops.append(likes[np.argsort(-scores[mine])[:10]].mean())
    assert result.metrics["macro_auc"] == pytest.approx(np.mean(areas), abs=1e-9)
    assert result.by_label.auc == pytest.approx(areas, abs=1e-9)
    assert result.by_label.names == [dataset.label_names[user] for user in split.users]
    assert result.metrics["top_10@all"] == pytest.approx(np.mean(tops), abs=1e-9)
    assert result.counts["train_samples"] == 10 * len(split.users)
    n_known = sum(bool(dataset.known[row, user]) for row, user in asked)
    assert result.counts["test_samples"] == n_known


def test_what_tuning_holds_out_is_hidden_from_projections_too(dataset):
    result = run(rating_cell(dataset, TUNED), dataset)
    split = division(dataset)
    given = pairs(split.train.rows, split.users[split.train.tasks])
    folds = tuning_folds(len(given), 2, (7, "digits", 0), split.train.tasks)
    expected = []
    for gamma, C in ((0.01, 0.1), (0.01, 10.0), (1.0, 0.1), (1.0, 10.0)):
        row = []
        for fold in folds:
            learn, held = ([given[i] for i in part] for part in (fold.train, fold.test))
            scores = scores_by_hand(dataset, split, learn, held, gamma=gamma, C=C)
            areas = []
            for user in split.users:
                mine = [i for i, (_, one) in enumerate(held) if one == user]
                likes = [dataset.Y[held[i]] for i in mine]
                if 0 < sum(likes) < len(likes):
                    areas.append(roc_auc_score(likes, scores[mine]))
            row.append(np.mean(areas))
        expected.append(row)
    points = [(point["gamma"], point["C"]) for point in result.tuning.grid]
    assert points == [(0.01, 0.1), (0.01, 10.0), (1.0, 0.1), (1.0, 10.0)]
    np.testing.assert_allclose(result.tuning.scores, expected, atol=1e-9)


def test_a_model_per_user_sees_what_the_user_gives(dataset):
    method = {"use": "br", "solver": "liblinear"}
    result, split = run(rating_cell(dataset, method), dataset), division(dataset)
    for place, user in enumerate(split.users):
        rows = split.train.rows[split.train.tasks == place]
        likes = dataset.Y[rows, user]
        if 0 < likes.sum() < len(likes):
            alone = LogisticRegression(solver="liblinear").fit(dataset.X[rows], likes)
            mine = split.test.tasks == place
            scores = alone.predict_proba(dataset.X[split.test.rows[mine]])[:, 1]
            np.testing.assert_allclose(result.predictions["scores"][mine, 0], scores, atol=1e-12)


@pytest.mark.parametrize("method", [TUNED, BR], ids=["morp_svm", "br"])
def test_withheld_ratings_change_nothing(dataset, method):
    cell = rating_cell(dataset, method, preprocess="standardize", threshold="cv_f1_label")
    split = division(dataset)
    withheld = np.zeros(dataset.Y.shape, dtype=bool)
    withheld[split.test.rows, split.users[split.test.tasks]] = True
    Y = np.where(withheld & dataset.known, 1 - dataset.Y, dataset.Y)
    one, other = run(cell, dataset), run(cell, replace(dataset, Y=Y))
    assert (one.tuning, one.params, one.thresholds) == (
        other.tuning,
        other.params,
        other.thresholds,
    )
    np.testing.assert_array_equal(one.predictions["scores"], other.predictions["scores"])
    assert other.metrics["hamming_loss"] == pytest.approx(1 - one.metrics["hamming_loss"])


def test_other_users_ratings_reach_projections_and_no_other_method(dataset):
    split = division(dataset)
    others = np.setdiff1d(np.arange(16), split.users)
    Y = dataset.Y.copy()
    Y[:, others] = np.where(dataset.known, 1 - Y, 0)[:, others]
    Y[:30, others] = dataset.Y[:30, others]
    same = []
    for method in (MORP, {"use": "br", "solver": "liblinear"}):
        cell = rating_cell(dataset, method)
        one, other = (run(cell, data).predictions for data in (dataset, replace(dataset, Y=Y)))
        same.append(np.array_equal(one["scores"], other["scores"]))
    assert same == [False, True]


def test_the_same_again_bit_for_bit(dataset):
    one, other = (run(rating_cell(dataset, TUNED), dataset) for _ in range(2))
    assert without_times(one) == without_times(other)
    split = division(dataset)
    for name, expected in (
        ("rows", split.test.rows),
        ("tasks", split.test.tasks),
        ("columns", split.users),
    ):
        np.testing.assert_array_equal(one.predictions[name], expected)
