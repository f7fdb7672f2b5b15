"""Two results folders side by side, from series that are made here."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from mlbench.comparisons.settings import MetricColumn
from mlbench.report.common_splits import CommonSplits, PairedSeries
from mlbench.report.render import to_latex, to_text
from mlbench.report.tables.two_results import TwoResults, two_results_tables
from mlbench.statistics import corrected_t, holm, mean_difference, wilcoxon

F1 = MetricColumn("macro_f1", "Macro F1")
LOSS = MetricColumn("hamming_loss", "Hamming loss", greater_is_better=False)
OLD = {0: 0.60, 1: 0.62, 2: 0.61, 3: 0.65}
NEW = {0: 0.64, 1: 0.65, 2: 0.66, 3: 0.67}
RATIO = 2 / 3


def tables(*series, test="corrected_t", only_a=(), only_b=()):
    metrics = [m for m in (F1, LOSS) if m.name in {each.metric for each in series}]
    common = CommonSplits(series, only_a, only_b)
    ratios = {"emotions": RATIO, "flags": RATIO}
    return two_results_tables(TwoResults("old", "new", common, metrics, ratios, test))


def printed(table, row=0):
    return [cell.printed for cell in table.rows[row].cells]


def test_a_row_has_both_means_their_difference_its_interval_and_a_test():
    (table,) = tables(PairedSeries("emotions", "BR", "macro_f1", OLD, NEW))
    assert table.title == "Macro F1: old (A) and new (B)"
    assert table.rows[0].labels == ("emotions", "BR")
    a, b = list(OLD.values()), list(NEW.values())
    p = corrected_t(b, a, 1.0, RATIO).p_value
    effect = mean_difference(b, a, 1.0, RATIO)
    interval = f"{100 * effect.low:+.2f} to {100 * effect.high:+.2f}"
    assert printed(table) == [
        *("62.00 ± 2.16", "65.50 ± 1.29", "+3.50", interval, "4", f"{p:.4f}", f"{p:.4f}"),
    ]


def test_the_level_decides_on_intervals_and_marks():
    series = PairedSeries("emotions", "BR", "macro_f1", OLD, NEW)
    asked = TwoResults("old", "new", CommonSplits((series,), (), ()), [F1], {"emotions": RATIO})
    (usual,), (strict,) = (two_results_tables(replace(asked, alpha=a)) for a in (0.05, 1e-6))
    assert strict.columns[3].title == "99.9999 % interval"
    assert strict.records[0]["low"] < usual.records[0]["low"]
    assert "significant at 1e-06 after" in to_text(strict)
    assert [table.rows[0].cells[-1].bold for table in (usual, strict)] == [False, False]
    (lenient,) = two_results_tables(replace(asked, alpha=0.5))
    assert lenient.rows[0].cells[-1].bold


def test_holm_corrects_for_all_tests_of_all_tables():
    lost = {split: 1 - score for split, score in OLD.items()}
    series = (
        PairedSeries("emotions", "BR", "macro_f1", OLD, NEW),
        PairedSeries("flags", "BR", "macro_f1", NEW, OLD),
        PairedSeries("emotions", "BR", "hamming_loss", lost, OLD),
    )
    made = tables(*series)
    records = [record for table in made for record in table.records]
    assert [r["p_adjusted"] for r in records] == holm([r["p_value"] for r in records]).tolist()
    assert "corrected for 3 tests" in to_text(made[-1])
    assert "negative favors B" in to_text(made[-1])


def test_only_common_splits_count_and_the_table_says_which_are_missing():
    longer = {**OLD, 4: 0.1, 5: 0.1}
    (table,) = tables(PairedSeries("emotions", "BR", "macro_f1", longer, NEW))
    assert printed(table)[0] == "62.00 ± 2.16"
    assert "† emotions/BR: 4 common splits; 6 in A, 4 in B." in table.notes
    assert table.rows[0].cells[4].marks == ("†",)


def test_series_that_lack_the_same_splits_share_a_note():
    (table,) = tables(
        *(
            PairedSeries("emotions", name, "macro_f1", OLD, {0: 0.6, 1: 0.7})
            for name in ("BR", "LP")
        )
    )
    assert "† emotions/BR, emotions/LP: 2 common splits; 4 in A, 2 in B." in table.notes


def test_splits_that_are_not_the_same_are_not_paired():
    why = "other data (the fingerprints differ)"
    (table,) = tables(
        PairedSeries("emotions", "BR", "macro_f1", OLD, NEW),
        PairedSeries("flags", "BR", "macro_f1", OLD, NEW, differing=why),
    )
    assert printed(table, 1) == ["62.00 ± 2.16", "65.50 ± 1.29", "+3.50", "—", "0", "—", "—"]
    (note,) = [note for note in table.notes if note.startswith("¶")]
    assert note.endswith(f"{why}: flags/BR.")
    record = table.records[1]
    assert math.isnan(record["p_value"])
    assert record["note"] == why
    assert record["n_common"] == 0
    assert "corrected for 1 test." in to_text(table)
    assert r"$^\P$" in to_latex(table)


def test_the_same_cells_are_not_tested_unless_their_scores_differ():
    (table,) = tables(
        PairedSeries("emotions", "BR", "macro_f1", OLD, OLD, same_cells=True),
        PairedSeries("flags", "BR", "macro_f1", OLD, NEW, same_cells=True),
    )
    assert printed(table)[2:] == ["0.00", "—", "4", "—", "—"]
    assert "§ The same cells with the same scores, so not tested: emotions/BR." in table.notes
    assert [record["note"] for record in table.records] == ["same cells", ""]
    assert "corrected for 1 test." in to_text(table)


def test_where_nothing_was_tested_nothing_is_said_of_tests():
    (table,) = tables(PairedSeries("emotions", "BR", "macro_f1", OLD, OLD, same_cells=True))
    assert table.bold_means == ""
    assert "corrected for" not in to_text(table)


def test_another_test_can_be_asked_for():
    (table,) = tables(PairedSeries("emotions", "BR", "macro_f1", OLD, NEW), test="wilcoxon")
    expected = wilcoxon(list(NEW.values()), list(OLD.values())).p_value
    assert table.records[0]["p_value"] == expected
    assert any(note.startswith("Wilcoxon signed-rank") for note in table.notes)
    (table,) = tables(PairedSeries("emotions", "BR", "macro_f1", OLD, NEW), test="t")
    assert "The t-test ignores that splits share samples." in table.notes


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (OLD, OLD, "‡ all differences zero: emotions/BR."),
        ({0: 0.5}, {0: 0.6}, "‡ fewer than 2 pairs: emotions/BR."),
        ({}, NEW, "No score in A: emotions/BR."),
    ],
)
def test_what_cannot_be_tested_is_explained(a, b, words):
    (table,) = tables(PairedSeries("emotions", "BR", "macro_f1", a, b))
    assert words in table.notes


def test_cells_of_one_folder_alone_are_named_up_to_five():
    many = tuple(("emotions", f"M{i}") for i in range(7))
    (table,) = tables(PairedSeries("emotions", "BR", "macro_f1", OLD, NEW), only_b=many)
    listed = ", ".join(f"emotions/M{i}" for i in range(5))
    assert table.notes[-1] == f"Only in B: {listed} and 2 more."


def test_where_one_folder_has_no_score_there_is_a_note_and_no_row():
    (table,) = tables(
        PairedSeries("flags", "BR", "macro_f1", OLD, NEW),
        PairedSeries("flags", "LP", "macro_f1", OLD, {}),
        PairedSeries("emotions", "LP", "macro_f1", {}, NEW),
    )
    assert [row.labels for row in table.rows] == [("flags", "BR")]
    assert {"No score in B: flags/LP.", "No score in A: emotions/LP."} < {*table.notes}
    assert [record["n_b"] for record in table.records] == [4, 0, 4]
