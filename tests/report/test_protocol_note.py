"""A table says under which protocol its numbers came about."""

from dataclasses import replace

import pytest

from mlbench.config.schema import ExperimentConfig
from mlbench.dataset_facts import DatasetFacts
from mlbench.report.protocol_note import protocol_note
from tests.rows import make_row

RANDOM = {"kind": "random", "train": 0.6, "test": None, "repeats": 10, "seed": 7}
PLAIN = {"use": "br"}
PROTOCOL = {
    "splits": RANDOM,
    "tuning": {"folds": 5, "scope": "every-split", "scoring": "macro_f1"},
    "preprocess": [],
    "threshold": "default",
}


def note(methods=None, datasets=("emotions",), rows=(), facts=None, **protocol):
    experiment = {
        "name": "trial",
        "datasets": list(datasets),
        "protocol": {**PROTOCOL, **protocol},
        "methods": methods or {"A": PLAIN},
    }
    return protocol_note(ExperimentConfig.model_validate(experiment), facts or {}, rows)


def test_the_plainest_experiment():
    assert note() == (
        "Protocol: 10 random splits, 60 % to train (seed 7); each method's own threshold."
    )


def test_text_is_said_wherever_the_data_come_from():
    numbers = DatasetFacts("f" * 64, 30, 9, 2, 0, has_published_split=False)
    texts = replace(numbers, text="1 text column (note; tfidf), up to 9 features")
    told = "; text turned into features by a vectorizer, fitted on training parts;"
    assert told in note(facts={"mine.npz": texts})
    assert told not in note(facts={"mine.npz": numbers})


def test_everything_that_can_be_set_is_said():
    tuned = {**PLAIN, "tune": {"k": [1, 2]}, "scoring": "micro_f1"}
    splits = {**RANDOM, "train": 1000, "test": 702}
    tuning = {"folds": 3, "scope": "first-split", "scoring": "macro_auc"}
    assert note(
        {"A": PLAIN, "B": tuned},
        splits=splits,
        tuning=tuning,
        preprocess=["impute", "standardize"],
        threshold="cv_f1_label",
    ) == (
        "Protocol: 10 random splits, 1000 samples to train and 702 samples to test (seed 7); "
        "missing values imputed, features standardized, fitted on training parts; tuned in 3 "
        "folds by macro_auc (B: micro_f1) on the first split only; a threshold per label, best for "
        "F1 on scores of models that did not see the row."
    )


def test_each_exception_stands_behind_what_it_is_from():
    own = {**PLAIN, "preprocess": [], "threshold": "train_f1_label"}
    kept = note({"A": PLAIN, "B": own, "C": own}, preprocess=["standardize"])
    assert "standardized, fitted on training parts (B and C: features as they are); each" in kept
    assert "own threshold (B and C: a threshold per label, best for F1 on the training" in kept
    assert "; features as they are (B: features scaled to [0, 1], fitted on training" in note(
        {"A": PLAIN, "B": {**PLAIN, "preprocess": ["minmax"]}}
    )


def test_several_metrics_and_thresholds_for_f1_are_explained():
    tuned = {**PLAIN, "tune": {"C": [1, 2]}}
    each = note(
        {"A": tuned}, tuning={"folds": 3, "scoring": "each"}, threshold={"f1": "cv_f1_label"}
    )
    assert (
        "tuned in 3 folds by each metric shown on every split; each metric shows the model" in each
    )
    assert (
        "for F1, Jaccard, precision, recall and cut ratio a threshold per label, best for F1 on "
        "scores of models that did not see the row, for other metrics each method's own threshold"
    ) in each
    two = note({"A": tuned}, tuning={"folds": 3, "scoring": ["macro_f1", "macro_auc"]})
    assert "tuned in 3 folds by macro_f1 and macro_auc on every split; each metric shows" in two
    own = note({"A": tuned, "B": {**tuned, "scoring": ["macro_f1", "macro_auc"]}})
    assert "by macro_f1 (B: macro_f1 and macro_auc) on every split; of B, each metric" in own


def searched(split, threshold="default", stopped=None):
    tuning = {"scope": "every-split", "patience": 3}
    identity = {"tuning": tuning, "threshold": threshold, "split": {"index": split}}
    return make_row(tuning={"stopped": stopped}, identity=identity)


def test_searches_that_stopped_early_are_counted_once_where_cells_share_them():
    early = {"after": 4, "of": 9, "patience": 3}
    rows = [searched(0, stopped=early), searched(0, "train_f1_label", early), searched(1)]
    rows.append(make_row(tuning=None))
    tuning = {**PROTOCOL["tuning"], "patience": 3}
    methods = {"A": {**PLAIN, "tune": {"k": [1, 2]}}}
    words = "on every split, a search stopping after 3 candidates in a row without gain"
    assert f"{words}: 1 of 2 did; each method's own" in note(methods, rows=rows, tuning=tuning)
    assert f"{words}; each method's own" in note(methods, tuning=tuning)


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        ({"kind": "published", "seed": 0}, "the published training and test part"),
        ({"kind": "kfold", "folds": 5, "repeats": 1, "seed": 0}, "5-fold cross-validation (seed"),
        ({"kind": "kfold", "folds": 5, "repeats": 3, "seed": 0}, "cross-validation, 3 times"),
    ],
)
def test_other_kinds_of_splits(splits, words):
    assert words in note(splits=splits)


def test_a_projection_for_the_same_labels_or_for_others():
    drawn = {"kind": "transfer", "source_rows": 500, "source_labels": 25, "repeats": 10, "seed": 7}
    words = "10 random draws of 500 samples and 25 labels for projections (seed 7), "
    seen = note(splits={**drawn, "target": "source_labels", "folds": None})
    assert words + "these labels learned from the same samples and tested on all others;" in seen
    unseen = note(splits={**drawn, "target": "other_labels", "folds": 5})
    assert words + "all other labels learned from each of 5 folds of the other samples" in unseen
    assert "methods without a projection see that fold alone; each method's own" in unseen


def test_ratings():
    splits = {"kind": "ratings", "given": 20, "folds": 10, "repeats": 5, "seed": 7}
    assert note(splits=splits).startswith(
        "Protocol: users in 10 folds, those of one learned from 20 of their ratings, in 5 draws "
        "(seed 7), and scored on their others; projections see all rows and all other users' "
    )


def test_training_parts_of_the_data_sets_are_said():
    references = [{"use": "a"}, {"use": "a", "train": 0.2}, {"use": "b", "train": 1000}]
    words = "random splits, 60 %, 20 %, 1000 samples to train (seed 7)"
    assert words in note(datasets=references)


def test_an_imbalance_is_said():
    drawn = ({"use": "a", "imbalance": {"ratio": ratio}} for ratio in (5.0, 10.0, 5.0))
    told = note(datasets=["a", *drawn])
    assert "(seed 7); every task's training and test samples drawn with replacement" in told
    assert "positives to negatives 1:5, 1:10; each method's own" in told
