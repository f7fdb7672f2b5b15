"""Tables say why a metric has no value, and what computes it."""

from mlbench.metrics import get_metric
from mlbench.report.tables.unscored_notes import notes_on_unscored
from tests.rows import make_row

CELLS = [("toy", "SVM", 0, "s"), ("toy", "kNN", 0, "k"), ("toy", "kNN", 1, "missing")]
METRICS = [get_metric("macro_f1"), get_metric("log_loss")]


def notes(**rows):
    return notes_on_unscored(METRICS, CELLS, rows)


def test_methods_whose_scores_are_no_probabilities_are_named():
    values = {"macro_f1": 0.5, "log_loss": 0.7}
    rows = {"s": make_row(metrics={**values, "log_loss": None}), "k": make_row(metrics=values)}
    assert notes(**rows) == [
        "Log loss is undefined where scores are no probabilities (in [0, 1]): SVM."
    ]


def test_older_rows_can_be_scored_where_predictions_were_kept():
    old = make_row(metrics={"macro_f1": 0.5})
    with_predictions = make_row(metrics={"macro_f1": 0.5}, predictions="a" * 64)
    lacking = "Not scored: 2 rows were computed without Log loss"
    assert notes(s=old, k=with_predictions) == [
        f"{lacking}; `mlbench rescore` computes it for the 1 whose predictions were kept."
    ]
    assert notes(s=old, k=old) == [
        f"{lacking}, and no predictions were kept from which `mlbench rescore` takes it."
    ]
    assert notes(s=make_row(status="timeout")) == []


def test_what_needs_training_labels_is_not_computed_from_predictions():
    old = {"s": make_row(metrics={}, predictions="a" * 64)}
    assert notes_on_unscored([get_metric("psp_at_1")], CELLS, old) == [
        "Not scored: 1 row was computed without PSP at 1, which needs the training labels; "
        "a run into another folder computes it."
    ]
