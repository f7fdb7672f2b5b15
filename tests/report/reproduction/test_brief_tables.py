"""A comparison in brief: a row for each method, the printed mean and ours in each metric."""

from __future__ import annotations

import pytest

from mlbench.report.render import RENDERERS
from mlbench.report.reproduction.brief_tables import brief_tables
from mlbench.report.reproduction.matching import compare_values
from mlbench.report.reproduction.measured import MeasuredValues
from tests.report.reproduction.printed import printed_value


def compared(values, *printed):
    return compare_values(MeasuredValues("runs/x", values), "lee", printed)


@pytest.fixture
def birds():
    """Two metrics, of which one has no number for LP, and a variant of BR."""
    return compared(
        {
            ("Birds", "BR", "macro_auc"): (0.705, 0.715),
            ("Birds", "BR", "macro_f1"): (0.40, 0.42),
            ("Birds", "BR tree", "macro_auc"): (0.90, 0.92),
            ("Birds", "BR tree", "macro_f1"): (0.60, 0.62),
            ("Birds", "LP", "macro_auc"): (0.80, 0.82),
        },
        printed_value("BR", 71.2, notes=("the same as LP",)),
        printed_value("LP", 71.2),
        printed_value("ECC", 71.2),
        printed_value("BR", 0.412, metric="f1", ours="macro_f1", unit="fraction", std=0.01),
    )


def test_metrics_of_a_data_set_stand_in_one_table(birds):
    (table,) = brief_tables(birds)
    assert RENDERERS["markdown"](table).splitlines() == [
        "**Table 1, Birds**",
        "",
        "| Method | Macro AUC<br>paper | Macro AUC<br>ours "
        "| Macro F1<br>paper | Macro F1<br>ours |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| BR | 71.2 ¹ | **71.0** | 0.412 | **0.410** |",
        "| BR tree | 71.2 ¹ | 91.0 | 0.412 | 0.610 |",
        "| LP | 71.2 | 81.0 | — | — |",
        "",
        "Bold: reproduced.  ",
        "Mean, in the unit of what is printed, ours over 2 splits; the paper's over 3.  ",
        "¹ The same as LP.  ",
        "Printed, not run: ECC.",
    ]


def test_nothing_is_bold_where_nothing_is_reproduced():
    (table,) = brief_tables(
        compared({("Birds", "BR", "macro_auc"): (0.9, 0.91)}, printed_value("BR", 61.0))
    )
    assert table.bold_means == ""


def test_times_have_three_digits():
    times = {"metric": "seconds", "ours": "seconds_fit", "unit": "seconds", "std": float("nan")}
    (table,) = brief_tables(
        compared({("Birds", "BR", "seconds_fit"): (0.0123456,)}, printed_value("BR", 31.5, **times))
    )
    assert [cell.printed for cell in table.rows[0].cells] == ["31.5", "0.0123"]


def test_a_variant_with_the_same_values_is_omitted():
    same = {("Birds", name, "macro_auc"): (0.7, 0.72) for name in ("BR", "BR tree")}
    (table,) = brief_tables(compared(same, printed_value("BR", 71.2)))
    assert [row.labels for row in table.rows] == [("BR",)]
    assert any("omitted" in note for note in table.notes)
