"""Methods by their mean ranks."""

from __future__ import annotations

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.report.tables.leaderboard import leaderboard
from mlbench.report.tables.report_data import ReportData
from mlbench.results.scores import Scores

F1 = MetricColumn("f1", "F1")
LOSS = MetricColumn("loss", "Loss", greater_is_better=False)


def board(scores, metrics=(F1,), n_splits=2, failed=()):
    """The leaderboard of {metric: {data set: {method: scores by split}}}; `failed` has cells."""
    values = [
        (dataset, method, split, metric, value)
        for metric, by_dataset in scores.items()
        for dataset, by_method in by_dataset.items()
        for method, each in by_method.items()
        for split, value in enumerate(each)
    ]
    statuses = [(*cell, "timeout") for cell in failed]
    found = Scores(values, statuses, n_splits)
    return leaderboard(ReportData(found, ReportSettings(metrics, n_splits)))


def lines(table):
    return [(*row.labels, *(cell.printed for cell in row.cells)) for row in table.rows]


def test_methods_stand_by_their_mean_rank_in_the_first_metric():
    a, b = {"X": [0.3, 0.5], "Y": [0.6, 0.6], "Z": [0.1, 0.1]}, {"X": [0.8] * 2, "Y": [0.7] * 2}
    f1 = {"a": a, "b": {**b, "Z": [0.7] * 2}, "c": {"X": [0.1] * 2, "Y": [0.3] * 2, "Z": [0.2] * 2}}
    loss = {name: {m: [1 - v for v in each] for m, each in by.items()} for name, by in f1.items()}
    table = board({"f1": f1, "loss": loss}, (F1, LOSS))
    # ranks of X, Y, Z: a 2 1 3, b 1 2.5 2.5, c 3 1 2
    assert lines(table) == [
        ("1", "Y", "1.50", "2", "1.50", "2"),
        ("2", "X", "2.00", "1", "2.00", "1"),
        ("3", "Z", "2.50", "0", "2.50", "0"),
    ]
    assert [cell.goodness for cell in table.rows[0].cells] == [1.0, None, 1.0, None]
    assert [(column.group, column.title) for column in table.columns[:2]] == [
        ("F1", "Mean rank"),
        ("F1", "Best on"),
    ]
    assert "over 3 data sets" in table.notes[0]


def test_methods_of_equal_rank_share_their_place():
    table = board({"f1": {"a": {"X": [0.4] * 2, "Y": [0.4] * 2, "Z": [0.3] * 2}}})
    assert [row.labels for row in table.rows] == [("1", "X"), ("1", "Y"), ("3", "Z")]


def test_on_one_data_set_means_are_shown_in_the_order_of_the_metric():
    table = board({"loss": {"a": {"X": [0.4, 0.6], "Y": [0.2, 0.2]}}}, (LOSS,))
    assert lines(table) == [("1", "Y", "0.2000"), ("2", "X", "0.5000")]


def test_a_method_that_failed_on_a_split_has_no_mean_and_shares_the_last_place():
    scores = {"f1": {"a": {"X": [0.4, 0.6], "Y": [0.9], "Z": [0.1, 0.1]}}}
    table = board(scores, failed=[("a", "Y", 1)])
    assert lines(table) == [("1", "X", "0.5000"), ("2", "Z", "0.1000"), ("3", "Y", "—")]


def test_data_sets_that_a_method_has_not_run_are_left_out_and_named():
    both = {"X": [0.4] * 2, "Y": [0.5] * 2}
    table = board({"f1": {"a": {"Half": [0.9] * 2, **both}, "b": both}})
    assert [row.labels for row in table.rows] == [("1", "Half"), ("2", "Y"), ("3", "X")]
    assert table.notes[-1] == "With cells that have not run: Half. Left out: b."


def test_a_method_that_failed_on_some_data_set_has_the_last_rank_there_and_is_named():
    both = {"X": [0.4] * 2, "Y": [0.5] * 2}
    scores = {"f1": {"a": {"Half": [0.9] * 2, **both}, "b": both}}
    table = board(scores, failed=[("b", "Half", 0), ("b", "Half", 1)])
    # ranks of X, Y, Half: a 3 2 1, b 2 1 3
    assert lines(table) == [
        ("1", "Y", "1.50", "1"),
        ("2", "Half", "2.00", "1"),
        ("3", "X", "2.50", "0"),
    ]
    assert table.notes[-1].startswith(
        "Not finished on some data set, where they share the last ranks: Half. The verdict ranks"
    )


def test_one_method_is_not_ranked():
    assert board({"f1": {"a": {"X": [0.4] * 2}}}) is None
