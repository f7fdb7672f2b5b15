"""Counts of true and false positives and negatives, as means over splits."""

from __future__ import annotations

import pytest

from mlbench.dataset_facts import DatasetFacts
from mlbench.report.tables.label_counts import label_count_tables
from tests.rows import make_row

CELLS = [("toy", "BR", 0, "a"), ("toy", "BR", 1, "b"), ("toy", "kNN", 0, "c")]


def row(tp, fp, fn):
    scores = {"names": ["sad", "calm"], "train_positives": None, "tp": tp, "fp": fp, "fn": fn}
    more = {"auc": [0.5, 0.5], "average_precision": [0.5, 0.5]}
    return make_row(by_label=scores | more, counts={"test_samples": 10})


ROWS = {
    "a": row([3, 0], [1, 0], [2, 4]),
    "b": row([2, 1], [1, 1], [2, 3]),
    "c": row([0, 0], [0, 0], [5, 1]),
}


def facts(n_tasks=0, fewest_known=None):
    return DatasetFacts("f", 30, 4, 2, n_tasks, False, fewest_known=fewest_known)


def test_counts_add_up_to_the_test_part():
    (table,) = label_count_tables(CELLS, ROWS, {"toy": facts()})
    assert [column.group for column in table.columns] == ["BR"] * 4 + ["kNN"] * 4
    printed = [[cell.printed for cell in row.cells] for row in table.rows]
    assert printed == [
        ["2.5", "1.0", "2.0", "4.5", "0.0", "0.0", "5.0", "5.0"],
        ["0.5", "0.5", "3.5", "5.5", "0.0", "0.0", "1.0", "9.0"],
    ]
    assert table.records[0]["tn"] == pytest.approx((4 + 5) / 2)


def test_counts_of_one_split_are_whole():
    (table,) = label_count_tables(CELLS[:1], ROWS, {"toy": facts()})
    assert [cell.printed for cell in table.rows[0].cells] == ["3", "1", "2", "4"]


@pytest.mark.parametrize("more", [{"n_tasks": 2}, {"fewest_known": 7}])
def test_negatives_are_not_known_where_labels_have_rows_of_their_own(more):
    (table,) = label_count_tables(CELLS, ROWS, {"toy": facts(**more)})
    assert [row.cells[3].printed for row in table.rows] == ["—", "—"]
    assert "TN is not known" in table.notes[1]
