"""The comparison as a reader sees it, in a paper's terms."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from mlbench.papers.printed_values import printed_values
from mlbench.report.render import RENDERERS
from mlbench.report.reproduction.brief_tables import brief_tables
from mlbench.report.reproduction.matching import compare_values
from mlbench.report.reproduction.measured import MeasuredValues
from mlbench.report.reproduction.records import comparison_record
from mlbench.report.reproduction.tables import reproduction_tables
from tests.report.reproduction.printed import printed_value

KE = [each for each in printed_values("ke") if each.table == "Table IV"]


def comparison(values, targets=KE):
    return compare_values(MeasuredValues("runs/x", values), "ke", targets)


@pytest.fixture
def yeast():
    """MTL-REG(l11), whose printed row is no target, between two others, in two interpretations."""
    macro_f1 = {
        "StructSVM": (0.42, 0.43),
        "StructSVM CV cut": (0.46, 0.47),
        "MTL-REG(l11)": (0.35, 0.36),
        "BR": (0.39, 0.40),
        "BR tree": (0.39, 0.40),
    }
    return comparison({("Yeast", name, "macro_f1"): values for name, values in macro_f1.items()})


def test_verdicts_are_counted_by_interpretation(yeast):
    table = reproduction_tables(yeast)[0]
    numbers = {row.labels[1]: [int(cell.printed) for cell in row.cells] for row in table.rows}
    assert [column.title for column in table.columns] == [
        "reproduced",
        "close",
        "differs",
        "not comparable",
        "not run",
    ]
    assert numbers == {
        "as named": [2, 0, 0, 1, 17],
        "CV cut": [0, 0, 1, 0, 19],
        "tree": [1, 0, 0, 0, 19],
    }


def test_figures_stand_beside_each_other_with_their_remarks(yeast):
    markdown = RENDERERS["markdown"](reproduction_tables(yeast)[-1])
    rows = [line for line in markdown.splitlines() if line.startswith("| ")]
    assert rows[2:] == [
        "| MTL-REG(l11) | 33.720 ± 1.634 | 35.500 ± 0.707 | — | — | not comparable ¹ |",
        "| StructSVM | 42.669 ± 2.48 | 42.500 ± 0.707 | -0.169 | 2.190 | reproduced |",
        "| StructSVM CV cut | 42.669 ± 2.48 | 46.500 ± 0.707 | +3.831 | 2.190 | differs |",
        "| BR | 39.209 ± 0.891 | 39.500 ± 0.707 | +0.291 | 2.905 | reproduced |",
    ]
    assert "¹ Not comparable: AUC of chance beside F1" in markdown
    assert "\nThe text calls the labels localisation sites" in markdown  # of all: without a mark
    assert "Interpretations with the same values as the printed name are omitted" in markdown
    assert "ours over 2 splits; the paper's over 10" in markdown


def test_one_split_and_a_paper_without_spreads_say_whose_spread_is_taken():
    single = comparison({("Emotions", "BR", "macro_f1"): (0.6,)})
    assert "assumed to equal the paper's" in reproduction_tables(single)[-1].notes[0]
    assert reproduction_tables(single)[0].notes[1].startswith("Ours is a single split on Emotions")
    others = {("Emotions", name, "macro_f1"): (0.6, 0.7) for name in ("StructSVM",)}
    some = comparison({("Emotions", "BR", "macro_f1"): (0.6,), **others})
    assert any(
        note.startswith("Ours is a single split of BR on Emotions, so")
        for note in reproduction_tables(some)[0].notes
    )
    silent = [replace(each, std=float("nan")) for each in KE]
    many = comparison({("Emotions", "BR", "macro_f1"): (0.6, 0.7)}, silent)
    assert "assumed to equal ours" in reproduction_tables(many)[-1].notes[0]


def test_the_numbers_of_splits_of_all_rows_are_named():
    values = {("Birds", name, "macro_auc"): (0.6, 0.7) for name in "ABC"}
    printed = [
        printed_value("A", 61.0, n_splits=30),
        printed_value("B", 62.0, n_splits=100, std=math.nan),
        printed_value("C", 0.63, n_splits=None, unit="fraction"),
    ]
    found = compare_values(MeasuredValues("runs/x", values), "lee", printed)
    note = reproduction_tables(found)[-1].notes[0]
    assert (
        "in the unit of what is printed, ours over 2 splits; the paper's over 30 to 100, or" in note
    )
    assert note.endswith("Where the paper prints no spread, it is assumed to equal ours.")


def test_a_difference_just_over_what_is_allowed_has_digits_that_show_it():
    values = {("Birds", "A", "macro_auc"): (0.70, 0.70)}
    printed = printed_value("A", 71.06, std=0.0, decimals=1, text="71.1")
    (row,) = reproduction_tables(
        compare_values(MeasuredValues("runs/x", values), "lee", [printed])
    )[-1].rows
    difference, allowed, verdict = (cell.printed for cell in row.cells[2:])
    assert verdict == "differs"
    assert abs(float(difference)) > float(allowed)


def test_data_sets_in_print_that_did_not_run_are_named(yeast):
    notes = reproduction_tables(yeast)[0].notes
    assert "Printed, but not among these results: Emotions, Flags." in notes


def test_numbers_without_a_table_of_values_are_named():
    targets = [
        printed_value("A", 70.0),
        printed_value("A", 70.0, metric="f1", ours="micro_f1"),
        printed_value("Best", 90.0, dataset="Scene"),
    ]
    measured = {
        ("Birds", "A", "macro_auc"): (0.70, 0.72),
        ("Scene", "mine", "macro_auc"): (0.70, 0.72),
    }
    found = compare_values(MeasuredValues("runs/x", measured), "lee", targets)
    told = [
        "Printed, but not measured here: Micro F1 (Birds).",
        "Printed, but not run: Best (Scene, Macro AUC).",
    ]
    notes = [note for note in reproduction_tables(found)[0].notes if note.startswith("Printed")]
    assert notes == told
    assert list(brief_tables(found)[-1].notes[-2:]) == told


def test_the_variant_that_counts_is_named_where_none_has_the_printed_name():
    ran = {
        ("Yeast", name, "macro_f1"): (0.42, 0.43)
        for name in ("BR tree", "BR logistic", "LP", "LP tree", "StructSVM")
    }
    notes = reproduction_tables(comparison(ran))[0].notes
    (told,) = (note for note in notes if "several variants" in note)
    assert told == "Of a row that ran in several variants, one counts here: BR (BR tree)."


def test_nothing_to_compare_is_no_table():
    assert reproduction_tables(comparison({("Birds", "BR", "macro_f1"): (0.6,)})) == []


def test_every_number_of_the_json_can_be_read_back(yeast):
    plain = json.loads(json.dumps(comparison_record(yeast), allow_nan=False))
    assert [each["interpretation"] for each in plain["tables"]] == ["", "CV cut", "tree"]
    assert len(plain["figures"]) == 20 + 2
    assert plain["orders"] == []
