"""A comparison in wide form: a table per test, a row per method, a column per data set."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.config.comparison import Comparison
from mlbench.number_text import p_value
from mlbench.report.render import to_latex
from mlbench.statistics import holm, paired_t, two_sample_t, wilcoxon
from tests.report.experiment_tables import experiment_tables

F1 = MetricColumn("macro_f1", "Macro F1")
LOSS = MetricColumn("hamming_loss", "Hamming loss", greater_is_better=False)

A = [0.71, 0.74, 0.69, 0.75, 0.72, 0.70, 0.73, 0.76]
WORSE = [0.50, 0.55, 0.51, 0.52, 0.49, 0.53, 0.50, 0.54]
BETTER = [0.90, 0.91, 0.88, 0.93, 0.92, 0.89, 0.94, 0.90]
ALIKE = [0.72, 0.73, 0.70, 0.74, 0.71, 0.72, 0.73, 0.75]
SCORES = {"A": A, "worse": WORSE, "better": BETTER, "alike": ALIKE}


def frame(scores, metric, dataset):
    return [
        (dataset, method, split, metric.name, value)
        for method, values in scores.items()
        for split, value in enumerate(values)
    ]


def tables(values, metrics=(F1,), tests=("t", "wilcoxon"), correction="holm"):
    others = ("worse", "better", "alike")
    wide = Comparison(
        method="A", against=others, test=tests, correction=correction, layout="wide", effect=()
    )
    chosen = ReportSettings(metrics=metrics, n_splits=8, comparisons=(wide,))
    made = experiment_tables(values, (), chosen)
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
        worse, better, alike = (p_value(each) for each in p)
        totals = {"win/tie/loss": ("1/1/1",)}
        if correction == "holm":
            pairs = zip((worse, better, alike), map(p_value, holm(p)), strict=True)
            worse, better, alike = (f"{plain} / {corrected}" for plain, corrected in pairs)
            totals = {f"win/tie/loss, {kind}": ("1/1/1",) for kind in ("plain", "Holm")}
        assert printed(table) == {
            "worse": (worse, "•"),
            "better": (better, "◦"),
            "alike": (alike, "="),
            **totals,
        }
        bold = [row.cells[0].bold for row in table.rows]
        assert bold == [True, True, False] + [False] * len(totals)
        assert ("Holm" in table.notes[0]) == (correction == "holm")


def test_where_less_is_better_a_win_is_a_smaller_score():
    (table,) = tables(frame(SCORES, LOSS, "emotions"), (LOSS,), ("wilcoxon",))
    marks = {name: cell[1:] for name, cell in printed(table).items()}
    assert (marks["worse"], marks["better"], marks["alike"]) == (("◦",), ("•",), ("=",))


def test_columns_are_data_sets_grouped_by_metric():
    turned = {**SCORES, "worse": BETTER, "better": WORSE}
    values = [
        value
        for dataset, scores in (("emotions", SCORES), ("flags", turned))
        for metric in (F1, LOSS)
        for value in frame(scores, metric, dataset)
    ]
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
        "worse": ("—", "†", "‡"),
        "better": ("1.0000 / 1.0000", "=", "‡"),
        "alike": ("1.0000 / 1.0000", "="),
        "win/tie/loss, plain": ("0/2/0",),
        "win/tie/loss, Holm": ("0/2/0",),
    }
    assert any("emotions, worse: 1 of 8" in note for note in table.notes)


def test_fewer_pairs_than_splits_are_marked(frames, settings):
    comparison = settings.comparisons[0].model_copy(update={"layout": "wide", "test": ["wilcoxon"]})
    made = experiment_tables(*frames, replace(settings, comparisons=(comparison,)))
    table = made[-1]
    ecc = next(row for row in table.rows if row.labels == ("ECC 50%",))
    emotions = [column.title for column in table.columns].index("emotions")
    assert "†" in ecc.cells[emotions].marks
    assert any("emotions, ECC 50%: 7 of 10" in note for note in table.notes)


def test_what_holm_takes_back_is_still_counted_among_the_plain_ones():
    """Six splits of one sign: exact p = 0.0312, corrected for two methods 0.0625."""
    a = [0.70, 0.71, 0.72, 0.73, 0.74, 0.75]
    up = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06]
    scores = {"A": a, "B": [x - y for x, y in zip(a, up, strict=True)]}
    scores["C"] = [x + y for x, y in zip(a, up, strict=True)]
    wide = Comparison(method="A", against=("B", "C"), test=("wilcoxon",), layout="wide", effect=())
    chosen = ReportSettings(metrics=(F1,), n_splits=6, comparisons=(wide,))
    table = experiment_tables(frame(scores, F1, "emotions"), (), chosen)[-1]
    assert printed(table) == {
        "B": ("0.0312 / 0.0625", "="),
        "C": ("0.0312 / 0.0625", "="),
        "win/tie/loss, plain": ("1/0/1",),
        "win/tie/loss, Holm": ("0/2/0",),
    }


def test_both_forms_of_wilcoxon_and_both_forms_of_t_stand_side_by_side():
    asked = ("t", "two_sample_t", "wilcoxon_normal", "wilcoxon")
    made = tables(frame(SCORES, F1, "emotions"), tests=asked, correction="none")
    of = {table.name.removeprefix("compare-a-"): table for table in made}
    assert list(of) == list(asked)
    tests = {
        "t": paired_t(A, WORSE),
        "two_sample_t": two_sample_t(A, WORSE),
        "wilcoxon_normal": wilcoxon(A, WORSE, method="approx"),
        "wilcoxon": wilcoxon(A, WORSE, method="exact"),
    }
    for name, table in of.items():
        assert printed(table)["worse"][0] == p_value(tests[name].p_value)
    assert "normal approximation" in " ".join(of["wilcoxon_normal"].notes)
    assert "exact distribution" in " ".join(of["wilcoxon"].notes)
    for name in ("t", "two_sample_t"):
        assert "decide by the corrected t-test" in " ".join(of[name].notes)


def test_comparisons_that_follow_each_other_share_a_table_of_pairs():
    """As Ke et al. print them: each method against those that it is to beat."""
    values = frame(SCORES, F1, "emotions")
    pairs = (
        Comparison(
            method="A", against=("worse", "better"), test=("wilcoxon",), layout="wide", effect=()
        ),
        Comparison(
            method="alike", against=("worse",), test=("wilcoxon",), layout="wide", effect=("a12",)
        ),
    )
    chosen = ReportSettings(metrics=(F1,), n_splits=8, comparisons=pairs)
    _, table, effect = experiment_tables(values, (), chosen)
    assert (table.name, table.title) == ("compare-pairs-wilcoxon", "Wilcoxon: pairs of methods")
    assert table.corner == ("Method", "Against")
    floor = wilcoxon(A, WORSE).p_value
    both = f"{p_value(floor)} / {p_value(2 * floor)}"
    assert [(row.labels, row.cells[0].printed, row.cells[0].marks) for row in table.rows] == [
        (("A", "worse"), both, ("•",)),
        (("A", "better"), both, ("◦",)),
        (("alike", "worse"), p_value(floor), ("•",)),
        (("win/tie/loss, plain", ""), "2/0/1", ()),
        (("win/tie/loss, Holm", ""), "2/0/1", ()),
    ]
    assert "Holm for 1 or 2 methods" in table.notes[0]
    assert effect.rows[0].labels == ("worse",)
    assert effect.title == "A12: alike against the others"


def test_a_data_set_whose_sizes_are_not_known_is_named():
    values = frame(SCORES, F1, "emotions") + frame(SCORES, F1, "flags")
    wide = Comparison(
        method="A", against=("worse",), test=("corrected_t", "wilcoxon"), layout="wide", effect=()
    )
    chosen = ReportSettings((F1,), 8, comparisons=(wide,), test_train_ratio={"emotions": 0.5})
    table = experiment_tables(values, (), chosen)[-2]
    assert table.name == "compare-a-corrected_t"
    assert (table.rows[0].cells[1].printed, table.rows[0].cells[1].marks) == ("—", ("‡",))
    assert "‡ No corrected t-test on flags: the sizes of the splits are not known." in table.notes


def test_the_name_of_a_method_is_written_as_it_is():
    values = [
        ("d", method, split, "macro_f1", score + split / 100)
        for method, score in (("kNN", 0.5), ("b", 0.4))
        for split in range(3)
    ]
    asked = Comparison(
        method="kNN",
        against=("b",),
        layout="wide",
        effect=("cohen_d",),
        test=("corrected_t", "wilcoxon"),
    )
    table = experiment_tables(values, (), ReportSettings((F1,), 3, comparisons=(asked,)))[-1]
    assert table.notes[0] == "kNN minus the other: positive favors it."


def test_in_latex_all_three_marks_stand_above_the_line():
    table, _ = tables(frame(SCORES, F1, "emotions"), correction="none")
    printed_marks = [
        line.removesuffix(r"} \\").rpartition("$^")[2] for line in to_latex(table).split("\n")
    ]
    assert {r"\bullet$", r"\circ$", "=$"} <= set(printed_marks)
