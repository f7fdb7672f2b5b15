from __future__ import annotations

from collections import Counter
from dataclasses import replace

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.results.scores import row_values
from tests.report.experiment_tables import experiment_tables
from tests.rows import make_row

F1 = MetricColumn("macro_f1", "Macro F1")
LOSS = MetricColumn("hamming_loss", "Hamming loss", greater_is_better=False)


def rows(scores, metric="macro_f1"):
    """Values of {method: scores by split} on one data set."""
    return [
        ("emotions", method, split, metric, value)
        for method, values in scores.items()
        for split, value in enumerate(values)
    ]


def cells(made):
    return {row.labels[0]: row.cells[0] for row in made.rows}


def test_fits_that_did_not_converge_are_marked_and_counted():
    values = [
        *rows({"A": [0.5, 0.7, 0.6], "B": [0.4, 0.4, 0.4], "C": [0.1, 0.1, 0.1]}),
        *rows({"A": [0.0, 1.0, 0.0], "B": [1.0, 1.0, 1.0]}, metric="report_converged"),
        *rows({"A": [0.021, 0.9, 0.01], "B": [0.8, 0.8, 0.8]}, metric="report_gap"),
    ]
    made = experiment_tables(values, (), ReportSettings(metrics=(F1,), n_splits=3))[0]
    assert {name: cell.marks for name, cell in cells(made).items()} == {
        "A": ("‡",),
        "B": (),
        "C": (),
    }
    assert made.notes[-1] == (
        "‡ Final fits that reached a limit before they converged, out of the fits that report "
        "convergence. "
        "A, emotions: 2 of 3, largest gap 0.021."
    )


def test_final_fits_of_all_metrics_that_decided_are_counted():
    values = [
        *rows({"A": [0.5, 0.7]}),
        *rows({"A": [1.0, 0.0]}, metric="report_converged"),
        *rows({"A": [0.1, 0.2]}, metric="report_gap"),
        *rows({"A": [0.0]}, metric="report_converged@macro_auc"),
        *rows({"A": [0.3]}, metric="report_gap@macro_auc"),
    ]
    made = experiment_tables(values, (), ReportSettings(metrics=(F1,), n_splits=2))[0]
    assert made.notes[-1].endswith("A, emotions: 2 of 3, largest gap 0.3.")


def test_the_gap_of_a_fit_may_be_unknown():
    values = rows({"A": [0.5]}) + rows({"A": [0.0]}, metric="report_converged")
    made = experiment_tables(values, (), ReportSettings(metrics=(F1,), n_splits=1))[0]
    assert made.notes[-1].endswith("A, emotions: 1 of 1.")


def test_a_fit_that_says_nothing_is_one_of_those_that_converged():
    values = rows({"A": [0.5, 0.6]}) + rows({"A": [0.0]}, metric="report_converged")
    ok = [("emotions", "A", split, "ok") for split in (0, 1)]
    made = experiment_tables(values, ok, ReportSettings(metrics=(F1,), n_splits=2))[0]
    assert made.notes[-1].endswith("A, emotions: 1 of 2.")


def searched(**counts):
    """Values of three splits of two methods, and what their searches say."""
    scores = rows({"A": [0.5, 0.7, 0.6], "B": [0.4, 0.4, 0.4]})
    losses = rows({"A": [0.1, 0.2, 0.1], "B": [0.4, 0.4, 0.4]}, metric="hamming_loss")
    told = [rows(each, metric=f"search_{name}") for name, each in counts.items()]
    settings = ReportSettings(metrics=(F1, LOSS), n_splits=3)
    return experiment_tables(sum(told, scores + losses), (), settings)[0]


def test_fits_of_searches_are_counted_over_all_splits():
    made = searched(
        fits={"A": [30, 30, 30], "B": [30, 30, 30]},
        unfinished={"A": [0, 2, 5], "B": [0, 0, 0]},
        gap={"A": [0.0, 0.004, 0.021]},
    )
    assert {name: cell.marks for name, cell in cells(made).items()} == {"A": ("§",), "B": ()}
    assert made.notes[-1] == (
        "§ Fits in tuning that reached a limit before they converged, out of the fits that report "
        "convergence. "
        "A, emotions: 7 of 90, largest gap 0.021."
    )
    assert sum("§" in note for note in made.notes) == 1


def test_searches_that_converged_or_do_not_say_are_not_spoken_of():
    silent = searched()
    assert searched(fits={"A": [30]}, unfinished={"A": [0]}) == silent
    assert not any("tuning" in note for note in silent.notes)


def test_final_fits_and_searches_have_marks_of_their_own():
    values = [
        *rows({"A": [0.5]}),
        *rows({"A": [0.0]}, metric="report_converged"),
        *rows({"A": [9]}, metric="search_fits"),
        *rows({"A": [1]}, metric="search_unfinished"),
    ]
    made = experiment_tables(values, (), ReportSettings(metrics=(F1,), n_splits=1))[0]
    assert cells(made)["A"].marks == ("‡", "§")
    assert [note[0] for note in made.notes[-2:]] == ["‡", "§"]
    assert made.notes[-1].endswith("A, emotions: 1 of 9.")


def row(split, scope, unfinished):
    unconverged = {"fits": unfinished, "of": 10, "largest_gap": None}
    return make_row(
        identity={"split": {"index": split}, "tuning": {"scope": scope}},
        metrics={"macro_f1": 0.5},
        seconds={},
        tuning={"not_converged": None if unfinished is None else unconverged},
    )


def total(values, metric):
    counts = Counter()
    for _, method, _, name, value in values:
        if name == metric:
            counts[method] += value
    return counts


def test_a_search_that_splits_share_counts_once():
    plan = [("emotions", method, split, f"{method}{split}") for method in "AB" for split in (0, 1)]
    shared = {f"A{split}": row(split, "first-split", 3) for split in (0, 1)}
    own = {f"B{split}": row(split, "every-split", 3) for split in (0, 1)}
    values = list(row_values(plan, {**shared, **own}, ["macro_f1"]))
    assert total(values, "search_unfinished") == {"A": 3, "B": 6}
    assert total(values, "search_fits") == {"A": 10, "B": 20}
    assert total(values, "search_gap") == {}


def test_rows_without_a_search_or_without_reports_say_nothing():
    plan = [("emotions", "A", 0, "fixed"), ("emotions", "A", 1, "silent")]
    fixed = replace(row(0, "every-split", 0), tuning=None)
    rows = {"fixed": fixed, "silent": row(1, "every-split", None)}
    values = row_values(plan, rows, ["macro_f1"])
    assert {metric for *_, metric, _ in values} == {"macro_f1"}


def test_metrics_that_are_no_fractions_are_not_called_percent():
    values = [*rows({"A": [0.5, 0.7]}), *rows({"A": [1.4, 2.0]}, metric="coverage")]
    columns = (F1, MetricColumn("coverage", "Coverage", greater_is_better=False, is_fraction=False))
    made = experiment_tables(values, (), ReportSettings(metrics=columns, n_splits=2, percent=True))[
        0
    ]
    assert any("in percent (but Coverage), over 2 splits." in note for note in made.notes)
