from __future__ import annotations

import math
from dataclasses import replace

import pytest

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.config.comparison import Comparison
from mlbench.report.tables.scores import goodness_of
from tests.report.experiment_tables import experiment_tables

F1 = MetricColumn("macro_f1", "Macro F1")
LOSS = MetricColumn("hamming_loss", "Hamming loss", greater_is_better=False)


def rows(scores, dataset="emotions", metric="macro_f1"):
    """Values of {method: scores by split}; None where the split has no value."""
    return [
        (dataset, method, split, metric, value)
        for method, values in scores.items()
        for split, value in enumerate(values)
        if value is not None
    ]


def table(scores, *failed, metric=F1, n_splits=2, **settings):
    values = rows(scores, metric=metric.name)
    chosen = ReportSettings(metrics=(metric,), n_splits=n_splits, **settings)
    return experiment_tables(values, failed, chosen)[0]


def cells(made):
    return {row.labels[0]: row.cells[0] for row in made.rows}


def test_mean_and_sample_deviation():
    cell = cells(table({"A": [0.5, 0.7]}))["A"]
    assert (cell.mean, cell.n, cell.n_failed) == (pytest.approx(0.6), 2, 0)
    assert cell.std == pytest.approx(math.sqrt(0.02))
    assert cell.printed == "0.6000 ± 0.1414"


def test_percent_and_decimals():
    assert cells(table({"A": [0.5, 0.7]}, percent=True))["A"].printed == "60.00 ± 14.14"
    assert cells(table({"A": [0.5, 0.7]}, percent=True, decimals=3))["A"].printed == (
        "60.000 ± 14.142"
    )
    depth = MetricColumn("coverage", "Coverage", greater_is_better=False, is_fraction=False)
    assert cells(table({"A": [5.0, 7.0]}, metric=depth, percent=True))["A"].printed == (
        "6.000 ± 1.414"
    )


def test_bold_is_explained_where_a_cell_is_bold():
    assert table({"A": [0.5, 0.7], "B": [0.5, 0.6]}).bold_means == "best by printed digits"
    assert table({"A": [0.5, 0.7], "B": [0.5]}).bold_means == ""


def test_a_metric_that_only_describes_has_no_best_value():
    ratio = MetricColumn("cut_ratio", "Cut ratio", is_fraction=False, is_quality=False)
    made = table({"A": [0.5, 0.7], "B": [1.5, 1.6]}, metric=ratio)
    assert (made.bold_means, cells(made)["B"].goodness) == ("", None)


def test_one_split_has_no_deviation():
    made = table({"A": [0.5]}, n_splits=1)
    assert cells(made)["A"].printed == "0.5000"
    assert made.notes[0] == "Score, of 1 split."


def test_a_run_on_its_way_says_how_many_splits_are_done():
    made = table({"A": [0.5, 0.7], "B": [0.5]}, n_splits=4)
    assert made.notes[0] == "Mean ± standard deviation (ddof = 1), over 2 of 4 splits so far."
    assert "over 2 splits." in table({"A": [0.5, 0.7], "B": [0.5]}).notes[0]
    nothing = ReportSettings((F1,), 4, methods=("A",), datasets=("emotions",))
    (made,) = experiment_tables(rows({"A": []}), (), nothing)
    assert made.notes[0] == "Mean, over 0 of 4 splits so far."


def test_best_by_printed_digits():
    made = table({"A": [0.6, 0.6], "B": [0.600004, 0.600004], "C": [0.59, 0.59]})
    assert {name: cell.bold for name, cell in cells(made).items()} == {
        "A": True,
        "B": True,
        "C": False,
    }


def test_smaller_may_be_better():
    made = table({"A": [0.1, 0.1], "B": [0.2, 0.2]}, metric=LOSS)
    assert cells(made)["A"].bold
    assert not cells(made)["B"].bold
    assert made.columns[0].title == "Hamming loss ↓"


def test_a_mean_over_fewer_splits_is_marked_and_explained_and_none_is_best():
    made = table({"A": [0.5, 0.5], "B": [0.9, None]}, ("emotions", "B", 1, "timeout"))
    b = cells(made)["B"]
    assert (b.n, b.failures, b.marks) == (1, (("timeout", 1),), ("†",))
    assert not b.bold
    assert not cells(made)["A"].bold
    assert any("B, emotions: 1 of 2 (1 timeout)" in note for note in made.notes)


def test_means_over_as_many_other_splits_are_not_compared():
    made = table({"A": [0.5, None], "B": [None, 0.9]})
    assert not any(cell.bold for cell in cells(made).values())


def test_a_method_without_any_score_shows_why():
    made = table(
        {"A": [0.5, 0.5, 0.5]},
        ("emotions", "B", 0, "timeout"),
        ("emotions", "B", 1, "timeout"),
        n_splits=3,
    )
    assert cells(made)["B"].printed == "— (2 timeouts, 1 missing)"
    assert cells(made)["B"].n_failed == 2
    assert cells(made)["A"].bold
    assert not cells(made)["B"].bold


def test_scores_of_a_failed_cell_are_not_looked_at():
    made = table({"A": [0.5, 0.9]}, ("emotions", "A", 1, "invalid"))
    assert cells(made)["A"].mean == 0.5
    assert cells(made)["A"].failures == (("invalid", 1),)


def test_an_undefined_score_is_counted_apart():
    made = table({"A": [0.5, math.nan]})
    assert cells(made)["A"].failures == (("undefined", 1),)
    assert any("A, emotions, Macro F1: 1 of 2 (1 undefined)" in note for note in made.notes)


def test_a_run_that_is_not_finished_says_missing():
    made = table({"A": [0.5, 0.6], "B": [0.4, 0.4]}, n_splits=10)
    assert cells(made)["A"].failures == (("missing", 8),)
    assert cells(made)["A"].n_failed == 0
    assert cells(made)["A"].bold


def compared(a, b, metric=F1, against=("B",), tests=("corrected_t",)):
    return table(
        {"A": a, "B": b},
        metric=metric,
        n_splits=5,
        comparisons=(Comparison(method="A", against=against, test=tests),),
        test_train_ratio={"emotions": 0.5},
    )


LOW, HIGH = [0.1, 0.12, 0.11, 0.13, 0.1], [0.9, 0.91, 0.93, 0.9, 0.92]


@pytest.mark.parametrize(
    ("a", "b", "metric", "mark"),
    [(HIGH, LOW, F1, "•"), (LOW, HIGH, F1, "◦"), (LOW, HIGH, LOSS, "•"), (HIGH, LOW, LOSS, "◦")],
)
def test_significance_marks_follow_the_direction(a, b, metric, mark):
    made = compared(a, b, metric)
    assert cells(made)["B"].marks == (mark,)
    assert cells(made)["A"].marks == ()
    assert any("A is significantly better / worse (corrected t-test" in n for n in made.notes)


def test_in_a_metric_that_judges_nothing_no_method_is_better():
    made = compared(HIGH, LOW, replace(F1, is_quality=False))
    assert cells(made)["B"].marks == ()
    assert not any("significantly" in note or "not tested" in note for note in made.notes)


def test_no_significant_difference_is_said():
    made = compared([0.5, 0.6, 0.4, 0.5, 0.6], [0.6, 0.5, 0.5, 0.4, 0.6])
    assert cells(made)["B"].marks == ()
    assert any("No method is significantly worse or better than A" in n for n in made.notes)


def test_one_shared_split_is_not_called_no_difference():
    for b in ([0.6], [float("nan")]):
        made = compared([0.5, 0.6, 0.4, 0.5, 0.6], b)
        told = (
            "A is not tested against B: there are fewer than two splits on which both have a score."
        )
        assert told in made.notes
        assert not any("significantly" in note for note in made.notes)


def test_one_method_has_nothing_to_be_compared_with():
    chosen = ReportSettings(
        (F1,),
        2,
        methods=("A",),
        datasets=("emotions",),
        comparisons=(Comparison(method="A", against=(), test=("corrected_t",)),),
        test_train_ratio={"emotions": 0.5},
    )
    (scores,) = experiment_tables(rows({"A": [0.5, 0.6]}), (), chosen)
    assert "A is not tested: there is no other method." in scores.notes


@pytest.mark.parametrize("ratio", [{}, {"emotions": 0.5}])
def test_without_rows_the_reason_is_not_the_size_of_the_splits(ratio):
    chosen = ReportSettings(
        (F1,),
        5,
        methods=("A", "B"),
        datasets=("emotions",),
        comparisons=(Comparison(method="A", against=("B",), test=("corrected_t",)),),
        test_train_ratio=ratio,
    )
    made = experiment_tables(rows({"A": []}), (), chosen)[0]
    assert any("there are fewer than two splits" in note for note in made.notes)
    assert not any("sizes of the splits" in note for note in made.notes)


def test_holm_is_over_the_methods_that_have_results():
    made = table(
        {"A": HIGH, "B": LOW, "C": LOW, "D": [float("nan")] * 5},
        n_splits=5,
        comparisons=(Comparison(method="A", against=("B", "C", "D"), test=("corrected_t",)),),
        test_train_ratio={"emotions": 0.5},
    )
    assert any("Holm over 2 methods" in note for note in made.notes)


def test_holm_is_not_named_for_a_single_method():
    made = compared(HIGH, LOW)
    assert not any("Holm" in note for note in made.notes)


@pytest.mark.parametrize(
    ("values", "greater_is_better", "found"),
    [
        ((0.0, 0.5, 1.0), True, [0.0, 0.5, 1.0]),
        ((0.0, 0.5, 1.0), False, [1.0, 0.5, 0.0]),
        ((0.3, None, 0.7), True, [0.0, None, 1.0]),
        ((0.3, float("nan"), float("inf"), 0.7), True, [0.0, None, None, 1.0]),
        ((0.5, 0.5), True, [None, None]),
        ((None,), True, [None]),
    ],
)
def test_goodness_is_1_for_the_best_and_0_for_the_worst(values, greater_is_better, found):
    assert goodness_of(values, greater_is_better) == found
