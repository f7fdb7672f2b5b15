"""The comparison as a reader sees it, in a paper's terms."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mlbench.papers.printed_values import printed_values
from mlbench.report.render import RENDERERS
from mlbench.report.reproduction.matching import compare_values
from mlbench.report.reproduction.measured import MeasuredValues
from mlbench.report.reproduction.records import comparison_record
from mlbench.report.reproduction.tables import reproduction_tables

KE = [printed_value for printed_value in printed_values("ke") if printed_value.table == "Table IV"]


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
    silent = [replace(printed_value, std=float("nan")) for printed_value in KE]
    many = comparison({("Emotions", "BR", "macro_f1"): (0.6, 0.7)}, silent)
    assert "assumed to equal ours" in reproduction_tables(many)[-1].notes[0]


def test_data_sets_in_print_that_did_not_run_are_named(yeast):
    notes = reproduction_tables(yeast)[0].notes
    assert "Printed, but not among these results: Emotions, Flags." in notes


def test_nothing_to_compare_is_no_table():
    assert reproduction_tables(comparison({("Birds", "BR", "macro_f1"): (0.6,)})) == []


def test_every_number_of_the_json_can_be_read_back(yeast):
    plain = json.loads(json.dumps(comparison_record(yeast), allow_nan=False))
    assert [each["interpretation"] for each in plain["tables"]] == ["", "CV cut", "tree"]
    assert len(plain["figures"]) == 20 + 2
    assert plain["orders"] == []
