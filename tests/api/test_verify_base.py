"""What is said of cells of a base that were run here."""

from __future__ import annotations

from mlbench.api.verify_base import compared
from tests.rows import make_row


def row(score, numpy="2.4", **changes):
    return make_row(metrics={"macro_f1": score}, environment={"numpy": numpy}, **changes)


def test_a_difference_has_its_metric_its_cause_and_what_follows():
    cells = [("toy/BR/0", row(0.5), row(0.5)), ("toy/BR/1", row(0.5), row(0.5053, "2.5"))]
    assert [*compared(cells)] == [
        "base: 1 of 2 cells the same bits here: BR 1 of 2",
        "different here: toy/BR/1 by 0.53 points of Macro F1",
        "  possibly other versions: numpy 2.5 here (2.4 there); the base's rows stay as published, "
        "and your methods are compared with these",
    ]


def test_the_same_versions_are_no_cause():
    (_, _, cause) = compared([("toy/BR/0", row(0.5), row(0.6))])
    assert cause.startswith("  the same versions, so the processor or the rows themselves differ;")


def test_a_cell_without_a_result_is_named():
    assert [*compared([("toy/BR/0", row(0.5), None)])] == [
        "base: 0 of 1 cell the same bits here: BR 0 of 1",
        "no result here: toy/BR/0 (not run)",
    ]


def test_a_score_that_alone_differs_is_told_with_versions_that_other_cells_do_not_mind():
    both = {"macro_f1": 0.6, "macro_auc": 0.7}
    there = row(0.5), make_row(metrics=both, environment={"numpy": "2.4"}, method="LP")
    here = (
        row(0.5, "2.5"),
        make_row(metrics=both | {"macro_f1": 0.5}, environment={"numpy": "2.5"}, method="LP"),
    )
    same, different, cause = compared([*zip(("toy/BR/0", "toy/LP/0"), there, here, strict=True)])
    assert same == "base: 1 of 2 cells the same bits here: BR 1 of 1 and LP 0 of 1"
    assert different.endswith("by 10 points of Macro F1, with 1 of its metrics the same")
    assert "numpy 2.5 here (2.4 there), with which other cells are the same;" in cause
