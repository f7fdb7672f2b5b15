"""The rows that most methods get wrong, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.errors import MlbenchError
from mlbench.report.tables.hardest_rows import MAX_NAMES, HardRow, hardest_tables
from tests.kept_runs import kept_run

NAMES = ("sad", "calm", "loud")
TRUTH = {0: [1, 0, 0], 1: [0, 1, 1], 2: [0, 0, 1], 3: [1, 1, 0]}


def predicted(rows, labels, **more):
    truth = [TRUTH[row] for row in rows]
    return {"rows": rows, "scores": labels, "labels": labels, "truth": truth} | more


METHODS = {
    # Row 0 is wrong once of twice, row 1 always, row 2 in its only prediction, row 3 never.
    "A": [
        predicted([0, 1, 3], [[1, 1, 0], [1, 0, 0], [1, 1, 0]]),
        predicted([0, 1, 2], [[1, 0, 0], [1, 1, 0], [0, 1, 1]]),
    ],
    # Row 1 is wrong once of twice, row 2 always.
    "B": [
        predicted([0, 1, 3], [[1, 0, 0], [0, 1, 1], [1, 1, 0]]),
        predicted([0, 1, 2], [[1, 0, 0], [1, 1, 1], [0, 0, 0]]),
    ],
}


def test_rows_are_ordered_by_methods_then_by_wrong_labels(tmp_path):
    (table,) = hardest_tables(kept_run(tmp_path, METHODS, NAMES), 5, ["toy"], ["A", "B"])
    shown = [(row.labels[0], *(cell.printed for cell in row.cells)) for row in table.rows]
    # Row 1: A has 3 and 2 wrong labels, B 0 and 1. Row 2: A and B have 1 each.
    assert shown == [("2", "2 of 2", "1.00", "2"), ("1", "1 of 2", "1.50", "4")]
    assert table.rows[1].labels[1:] == ("calm, loud", "+sad")
    assert table.records[1]["wrong_labels"] == 6 / 4
    assert "2 of 4 rows in test parts are wrong for at least one of 2 methods" in table.notes[-1]


def test_only_what_is_asked_for(tmp_path):
    results = kept_run(tmp_path, METHODS, NAMES)
    (table,) = hardest_tables(results, 1, ["toy"], ["A"])
    assert [row.labels[0] for row in table.rows] == ["1"]
    assert table.rows[0].cells[0].printed == "1 of 1"
    with pytest.raises(MlbenchError, match="--hardest 0: give how many rows to show"):
        hardest_tables(results, 0, ["toy"], ["A"])


def test_rows_have_the_numbers_of_the_files_and_unknown_labels_do_not_count(tmp_path):
    split = predicted([0, 1], [[0, 0, 1], [1, 0, 0]], data_rows=[70, 90])
    split["truth"] = [[-1, 0, 1], [0, 1, -1]]
    (table,) = hardest_tables(kept_run(tmp_path, {"A": [split]}, NAMES), 5, ["toy"], ["A"])
    assert [row.labels for row in table.rows] == [("90", "calm", "+sad, −calm")]


def test_truth_is_asked_of_the_data_where_none_was_kept(tmp_path):
    lacking = {"A": [{name: each for name, each in METHODS["A"][0].items() if name != "truth"}]}
    with pytest.raises(MlbenchError, match="toy/A/0: an older version kept predictions without"):
        hardest_tables(kept_run(tmp_path, lacking, NAMES), 5, ["toy"], ["A"])


def test_the_predictions_for_f1_decide(tmp_path):
    right, wrong = [[1, 0, 0]], [[0, 1, 0]]
    runs = {"A": [predicted([0], wrong, labels_f1=right)], "B": [predicted([0], right)]}
    (table,) = hardest_tables(kept_run(tmp_path, runs, NAMES), 5, ["toy"], ["A", "B"])
    assert not table.rows


@pytest.mark.parametrize(
    ("tuned_by", "is_wrong"),
    [(("macro_auc", "macro_f1"), False), ((), True), (("macro_auc", "log_loss"), True)],
)
def test_the_model_that_macro_f1_is_of_decides(tmp_path, tuned_by, is_wrong):
    arrays = predicted([0], [[0, 1, 0]]) | {"labels@macro_f1": [[1, 0, 0]]}
    run = kept_run(tmp_path, {"A": [arrays]}, NAMES, tuned_by=tuned_by)
    (table,) = hardest_tables(run, 5, ["toy"], ["A"])
    assert bool(table.rows) == is_wrong
    whose = "macro_auc" if is_wrong else "macro_f1"
    told = (
        "the predictions for F1. "
        f"Where several metrics tuned models, they are of those tuned by {whose}."
    )
    assert table.notes[1].endswith(told if tuned_by else "the predictions for F1.")


def test_as_many_labels_are_named_as_fit():
    names = [f"l{i}" for i in range(MAX_NAMES + 2)]
    row = HardRow(3, names, {}, 1, 2, 0.5, 1)
    assert row.as_table_row().labels[1].endswith("l2 and 2 more")
    fewer = replace(row, labels=names[:-1])
    assert fewer.as_table_row().labels[1] == ", ".join(names[:-1])
