"""Tables say which labels an average left out, which scores are missing, what versions differ."""

import pytest

from mlbench.metrics import get_metric
from mlbench.report.tables.row_notes import (
    notes_on_labels,
    notes_on_models,
    notes_on_rounding,
    notes_on_undefined_tuning,
    notes_on_unscored,
    notes_on_versions,
)
from mlbench.store import Row
from tests.rows import make_row


def row(scored: int, skipped: int, status: str = "ok") -> Row:
    counts = {"labels": 53, "labels_scored_auc": scored, "labels_skipped_f1": skipped}
    return make_row(status=status, counts=counts)


def test_ranges_are_over_splits_and_methods_and_failures_do_not_count():
    cells = [("enron", "A", 0, "a0"), ("enron", "A", 1, "a1"), ("enron", "B", 0, "b0")]
    cells += [("emotions", "A", 0, "e0"), ("enron", "B", 1, "missing")]
    rows = {"a0": row(50, 1), "a1": row(47, 0), "b0": row(0, 9, "timeout"), "e0": row(53, 0)}
    assert notes_on_labels(["macro_auc", "micro_f1", "macro_f1"], cells, rows) == [
        "Macro AUC leaves out labels with one class in a test part: enron 3 to 6 of 53.",
        "Macro F1 leaves out labels that are neither in a test part nor predicted there: "
        "enron 0 to 1 of 53.",
    ]


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("macro_recall", "Macro recall leaves out labels that no row of a test part has"),
        ("macro_precision", "Macro precision leaves out labels that are not predicted"),
        ("macro_average_precision", "Macro average precision leaves out labels that no row"),
        ("top_10", "Top-10 accuracy leaves out labels that no row of a test part has"),
        ("balanced_accuracy", "Balanced accuracy leaves out labels with one class"),
    ],
)
def test_each_macro_average_says_what_it_leaves_out(metric, words):
    counts = {
        "labels": 5,
        "labels_scored_auc": 4,
        "labels_skipped_recall": 1,
        "labels_skipped_precision": 1,
        "labels_without_positives": 1,
    }
    rows = {"k": make_row(counts=counts)}
    (note,) = notes_on_labels([metric, f"{metric}@sklearn"], [("e", "A", 0, "k")], rows)
    assert note.startswith(words)
    assert note.endswith(": e 1 of 5.")


def test_nothing_is_said_where_nothing_was_left_out():
    assert notes_on_labels(["macro_auc"], [("e", "A", 0, "k")], {"k": row(53, 0)}) == []


def test_labels_with_a_common_threshold_are_counted_where_the_policy_has_some():
    cells = [("enron", "A", 0, "a0"), ("enron", "A", 1, "a1"), ("enron", "B", 0, "b0")]
    counts = [{"labels_with_common_threshold": 9}, {"labels_with_common_threshold": 12}, {}]
    rows = {
        key: make_row(counts={"labels": 53, **more})
        for (*_, key), more in zip(cells, counts, strict=True)
    }
    assert notes_on_labels(["micro_f1"], cells, rows) == [
        "Labels with a common threshold, since they have fewer than 5 positives in training or "
        "their own threshold has an F1 below 0.3 on held-out scores: enron 9 to 12 of 53."
    ]
    assert notes_on_labels(["micro_f1"], cells[2:], rows) == []


def test_methods_that_rank_rows_by_rounding_are_named():
    cells = [("yeast", "A", 0, "a0"), ("yeast", "A", 1, "a1"), ("yeast", "B", 0, "b0")]
    rows = {
        key: make_row(counts={"labels": 14, "labels_ranked_by_rounding": n})
        for (*_, key), n in zip(cells, (7, 9, 0), strict=True)
    }
    assert notes_on_rounding(["macro_auc"], cells, rows) == [
        "Labels whose scores differ only by rounding, which decides their AUC and average "
        "precision: yeast, A: 7 to 9 of 14."
    ]
    assert notes_on_rounding(["macro_f1"], cells, rows) == []
    assert notes_on_rounding(["macro_auc"], cells[2:], rows) == []


CELLS = [("toy", "SVM", 0, "s"), ("toy", "kNN", 0, "k"), ("toy", "kNN", 1, "missing")]
METRICS = [get_metric("macro_f1"), get_metric("log_loss")]


def unscored(**rows):
    return notes_on_unscored(METRICS, CELLS, rows)


def test_metrics_by_which_no_model_was_tuned_say_whose_they_are():
    tuning = {"scope": "every-split", "scoring": ["macro_f1", "macro_auc"]}
    several = make_row(tuning={}, identity={"tuning": tuning})
    alone = make_row(tuning={}, identity={"tuning": {**tuning, "scoring": "micro_f1"}})
    shown = list(map(get_metric, ["macro_f1@sklearn", "macro_auc", "one_error", "auc_tie_share"]))
    cells = [("toy", "A", 0, "several"), ("toy", "B", 0, "alone")]
    assert notes_on_models(shown, cells, {"several": several, "alone": alone}) == [
        "One-error of A: of the models tuned by Macro F1."
    ]
    assert notes_on_models(shown, cells[:1], {"several": several}) == [
        "One-error: of the models tuned by Macro F1."
    ]
    assert notes_on_models(shown, cells[1:], {"alone": alone}) == []


def test_methods_whose_scores_are_no_probabilities_are_named():
    values = {"macro_f1": 0.5, "log_loss": 0.7}
    rows = {"s": make_row(metrics={**values, "log_loss": None}), "k": make_row(metrics=values)}
    assert unscored(**rows) == [
        "Log loss is undefined where scores are not probabilities (in [0, 1]): SVM."
    ]


def test_older_rows_can_be_scored_where_predictions_were_kept():
    old = make_row(metrics={"macro_f1": 0.5})
    with_predictions = make_row(metrics={"macro_f1": 0.5}, predictions="a" * 64)
    lacking = "Not scored: 2 rows were computed without Log loss"
    assert unscored(s=old, k=with_predictions) == [
        f"{lacking}; `mlbench rescore` computes it for the 1 whose predictions were kept."
    ]
    assert unscored(s=old, k=old) == [
        f"{lacking}, and no predictions were kept for `mlbench rescore`."
    ]
    assert unscored(s=make_row(status="timeout")) == []


def test_what_needs_training_labels_is_not_computed_from_predictions():
    old = {"s": make_row(metrics={}, predictions="a" * 64)}
    assert notes_on_unscored([get_metric("psp_at_1")], CELLS, old) == [
        "Not scored: 1 row was computed without PSP at 1, which needs the training labels; "
        "a run into another folder computes it."
    ]
    counted = {"s": make_row(metrics={"psp_at_1": 0.5}, predictions="a" * 64)}
    (note,) = notes_on_unscored([get_metric("macro_f1@share")], CELLS, counted)
    assert note.endswith("`mlbench rescore` computes it for the 1 whose predictions were kept.")


def test_searches_without_a_score_are_told_from_those_that_left_some_out():
    cells = [("toy", "SVM", 0, "a"), ("toy", "SVM", 1, "b"), ("toy", "BR", 0, "c")]
    lacking = {"a": (6, 6), "b": (1, 6), "c": (0, 0)}
    rows = {
        key: make_row(
            key,
            tuning={"undefined": {"scores": scores, "of": of} if of else None},
            identity={"split": {"kind": "random", "index": "abc".index(key)}},
        )
        for key, (scores, of) in lacking.items()
    }
    metrics = [get_metric("macro_f1")]
    assert notes_on_undefined_tuning(metrics, cells, rows) == [
        "Not tuned, since the tuning metric was undefined for every candidate and the first was "
        "taken: SVM, toy: 1 of 2 searches.",
        "Undefined scores of candidates in tuning folds, left out of their means: "
        "SVM, toy: 1 of 6.",
    ]
    assert notes_on_undefined_tuning(metrics, cells[2:], rows) == []


@pytest.mark.parametrize(
    ("shown", "words"),
    [("macro_f1", []), ("brier_score", ["SVM, toy by Brier score: 1 of 1 searches"])],
)
def test_of_several_metrics_that_decide_the_one_without_a_score_is_named(shown, words):
    row = make_row(
        "a",
        tuning={"undefined": {"scores": 6, "of": 6}},
        identity={"tuning": {"scope": "every-split", "scoring": ["macro_f1", "brier_score"]}},
        warnings=["tuning: brier_score was undefined for every candidate; the first was taken"],
    )
    found = notes_on_undefined_tuning([get_metric(shown)], [("toy", "SVM", 0, "a")], {"a": row})
    assert [note.partition("taken: ")[2].rstrip(".") for note in found] == words


RUNS = [("toy", "BR", 0, "a" * 64), ("toy", "BR", 1, "b" * 64), ("toy", "kNN", 0, "c" * 64)]
SAME = {"code": {"br": "1" * 64}, "environment": {"numpy": "2.0", "python": "3.11"}}


def versions(**changes):
    rows = {digit: make_row(digit, **SAME | changes.get(digit, {})) for digit in "abc"}
    return notes_on_versions(RUNS, {row.key: row for row in rows.values()})


def test_rows_of_one_version_need_no_note():
    assert versions(c={"code": {"br": "2" * 64}}) == []
    assert versions(b={"environment": {"numpy": "2.0", "python": "3.12"}}) == []
    assert versions(b={"status": "error", "code": {"br": "2" * 64}}) == []


def test_other_code_and_other_libraries_are_named():
    hashes = versions(b={"code": {"br": "2" * 64}})
    assert hashes == [
        "Rows of BR were computed by different versions of br: 111111111111, 222222222222."
    ]
    assert versions(b={"code": {"br": "x 1.0"}}, c={"environment": {"numpy": "2.1"}}) == [
        "Rows of BR were computed by different versions of br: 111111111111, x 1.0.",
        "Rows were computed by different versions of numpy: 2.0, 2.1.",
    ]
