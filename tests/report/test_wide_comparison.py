"""A comparison in wide form: a table per test, a row per method, a column per data set."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from mlbench.report import Comparison, MetricColumn, ReportSettings, experiment_tables
from mlbench.report.numbers import p_value
from mlbench.statistics import holm, paired_t, wilcoxon

F1 = MetricColumn("macro_f1", "Macro F1")
LOSS = MetricColumn("hamming_loss", "Hamming loss", greater_is_better=False)
NO_FAILURES = pd.DataFrame([], columns=["dataset", "method", "split", "status"])

A = [0.71, 0.74, 0.69, 0.75, 0.72, 0.70, 0.73, 0.76]
WORSE = [0.50, 0.55, 0.51, 0.52, 0.49, 0.53, 0.50, 0.54]
BETTER = [0.90, 0.91, 0.88, 0.93, 0.92, 0.89, 0.94, 0.90]
ALIKE = [0.72, 0.73, 0.70, 0.74, 0.71, 0.72, 0.73, 0.75]
SCORES = {"A": A, "worse": WORSE, "better": BETTER, "alike": ALIKE}


def frame(scores, metric, dataset):
    lines = [
        (dataset, method, split, metric.name, value)
        for method, values in scores.items()
        for split, value in enumerate(values)
    ]
    return pd.DataFrame(lines, columns=["dataset", "method", "split", "metric", "value"])


def tables(values, metrics=(F1,), tests=("t", "wilcoxon"), correction="holm"):
    others = ("worse", "better", "alike")
    wide = Comparison("A", others, tests, correction, layout="wide")
    chosen = ReportSettings(metrics=metrics, n_splits=8, comparisons=(wide,))
    made = experiment_tables(values, NO_FAILURES, chosen)
    return [table for table in made if table.name.startswith("compare")]


def printed(table, column=0):
    return {
        row.labels[0]: (row.cells[column].printed, *row.cells[column].marks) for row in table.rows
    }


@pytest.mark.parametrize("correction", ["none", "holm"])
def test_each_test_has_a_table_of_p_values_with_wins_ties_and_losses(correction):
    made = tables(frame(SCORES, F1, "emotions"), correction=correction)
    assert [table.name for table in made] == ["compare-a-t", "compare-a-wilcoxon"]
    for table, test in zip(made, (paired_t, wilcoxon), strict=True):
        p = [test(A, other).p_value for other in (WORSE, BETTER, ALIKE)]
        worse, better, alike = map(p_value, holm(p) if correction == "holm" else p)
        assert printed(table) == {
            "worse": (worse, "•"),
            "better": (better, "◦"),
            "alike": (alike, "="),
            "win/tie/loss": ("1/1/1",),
        }
        assert [row.cells[0].bold for row in table.rows] == [True, True, False, False]
        assert ("Holm" in table.notes[0]) == (correction == "holm")


def test_where_less_is_better_a_win_is_a_smaller_score():
    (table,) = tables(frame(SCORES, LOSS, "emotions"), (LOSS,), ("wilcoxon",))
    marks = {name: cell[1:] for name, cell in printed(table).items()}
    assert (marks["worse"], marks["better"], marks["alike"]) == (("◦",), ("•",), ("=",))


def test_columns_are_data_sets_grouped_by_metric():
    turned = {**SCORES, "worse": BETTER, "better": WORSE}
    values = pd.concat(
        frame(scores, metric, dataset)
        for dataset, scores in (("emotions", SCORES), ("flags", turned))
        for metric in (F1, LOSS)
    )
    (table,) = tables(values, (F1, LOSS), ("wilcoxon",))
    assert [(column.group, column.title) for column in table.columns] == [
        ("Macro F1", "emotions"),
        ("Macro F1", "flags"),
        ("Hamming loss ↓", "emotions"),
        ("Hamming loss ↓", "flags"),
    ]
    marks = [cell.marks for cell in table.rows[0].cells]
    assert marks == [("•",), ("◦",), ("◦",), ("•",)]
    assert len(table.records) == 2 * 2 * 3
    assert {record["test"] for record in table.records} == {"wilcoxon"}


def test_what_could_not_be_tested_is_neither_a_win_nor_a_tie():
    scores = {**SCORES, "worse": [0.5], "better": A}
    table, _ = tables(frame(scores, F1, "emotions"))
    assert printed(table) == {
        "worse": ("—", "‡"),
        "better": ("1.0000", "=", "‡"),
        "alike": ("1.0000", "="),
        "win/tie/loss": ("0/2/0",),
    }
    assert any("emotions, worse: 1 of 8" in note for note in table.notes)


def test_fewer_pairs_than_splits_are_marked(frames, settings):
    comparison = replace(settings.comparisons[0], layout="wide", tests=("wilcoxon",))
    made = experiment_tables(*frames, replace(settings, comparisons=(comparison,)))
    table = made[-1]
    ecc = next(row for row in table.rows if row.labels == ("ECC 50%",))
    emotions = [column.title for column in table.columns].index("emotions")
    assert "†" in ecc.cells[emotions].marks
    assert any("emotions, ECC 50%: 7 of 10" in note for note in table.notes)
