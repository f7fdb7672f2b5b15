"""The sentences and the table of a leaderboard."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.number_text import ScoreFormat
from mlbench.report.tables.report_data import report_data
from mlbench.report.tables.standings import (
    leads,
    marked_name,
    note_on_origins,
    origin_of,
    standings_table,
    told_apart,
)
from mlbench.results import open_results
from mlbench.results.origin import Extent, Origin
from tests.comparisons.test_standings import THREE, standings
from tests.runs import write_run

BASELINES = Path(__file__).parents[3] / "results/strong-baselines"
ORDERED = {"A": [0.9] * 2, "B": [0.8] * 2, "C": [0.7] * 2, "D": [0.1] * 2}
SIX = dict.fromkeys("abcdef", ORDERED)
NOTHING_ON_E = [("e", method, split) for method in "XYZ" for split in (0, 1)]
PERCENT = ScoreFormat(100, 2)


@pytest.mark.parametrize(
    ("scores", "sets", "sentence"),
    [
        (THREE, 3, "Y leads in F1: mean rank 1.50 over 3 data sets and 3 methods."),
        (THREE, 5, "Y leads in F1: mean rank 1.50 over 3 of 5 data sets and 3 methods."),
        ({"a": THREE["a"]}, 3, "Y has the best mean in F1 on a, of 3 methods."),
        (
            {"a": {"X": [0.2] * 2, "Y": [0.2] * 2, "Z": [0.1] * 2}, "c": {}},
            2,
            "X and Y share the best mean in F1 on a, of 3 methods.",
        ),
    ],
)
def test_one_sentence_says_who_leads(scores, sets, sentence):
    assert leads(standings(scores), sets, 3) == sentence


def test_some_are_not_told_apart():
    assert told_apart(standings(SIX)) == "Not told apart from it: B (Nemenyi, 0.05)."


def test_all_others_are_told_apart():
    scores = {str(i): {"A": [0.9] * 2, "B": [0.2] * 2, "C": [0.2] * 2} for i in range(12)}
    assert told_apart(standings(scores)) == "All others are told apart from it (Nemenyi, 0.05)."


def test_none_are_told_apart_where_the_test_does_not_reject():
    # F = (n - 1) chi2 / (n (k - 1) - chi2), from the ranks 1.5, 2, 2.5 with one tie
    sentence = told_apart(standings(THREE))
    assert sentence.startswith("No methods are told apart (Iman-Davenport: p = 0.")


def test_too_few_are_not_tested():
    assert told_apart(standings({"a": THREE["a"]})).startswith("Not tested:")


@pytest.fixture
def trial(tmp_path):
    """A run of a cell for each method."""
    return open_results(write_run(tmp_path, {("a", method): [0.5] for method in "ABCDXYZ"}))


def test_the_table_gives_the_numbers_of_the_test(trial):
    table = standings_table(standings(SIX), PERCENT, trial)
    assert table.notes[0] == (
        "Not told apart from it: B (Nemenyi, 0.05; critical difference 1.91; Iman-Davenport: "
        "F(3, 15) = infinite, p = 1.26e-07)."
    )
    assert [(*row.labels, *(cell.printed for cell in row.cells)) for row in table.rows[:2]] == [
        ("1", "A", "1.00", "100 %", "6", "0", "—"),
        ("2", "B", "2.00", "67 %", "0", "0", "—"),
    ]
    assert [record["told_apart"] for record in table.records] == [False, False, True, True]


def test_a_single_data_set_shows_its_scores(trial):
    table = standings_table(standings({"a": THREE["a"]}), PERCENT, trial)
    assert [(row.labels[1], row.cells[0].printed) for row in table.rows] == [
        ("Y", "60.00"),
        ("X", "40.00"),
        ("Z", "10.00"),
    ]


def test_failures_are_named(trial):
    failed = {"X": [0.2, 0.2], "Y": [0.1, 0.1], "Z": [0.1]}
    found = standings({**THREE, "d": failed, "e": {}}, failed=[("d", "Z", 1), *NOTHING_ON_E])
    notes = standings_table(found, PERCENT, trial).notes
    assert any(note.startswith("Not finished: Z on d (1 timeout). ") for note in notes)
    assert "Left out, since not finished: e." in notes


def test_what_has_not_run_comes_first(trial):
    found = standings({**THREE, "d": {"X": [0.2, 0.2], "Y": [0.1, 0.1]}})
    first, *notes = standings_table(found, PERCENT, trial).notes
    assert first.startswith(
        "With cells that have not run: Z. Left out: d. --without METHOD leaves s"
    )
    assert not any("Not finished" in note for note in notes)


def test_a_method_that_has_run_on_no_data_set_is_named(trial):
    found = replace(standings(THREE), not_run=("X", "W"))
    first, *_ = standings_table(found, PERCENT, trial).notes
    assert first.startswith(
        "With cells that have not run: X and W. Not ranked, with no data set to its end: W. "
    )


def test_where_no_method_has_run_all_the_experiment_is_to_run_on(trial):
    found = replace(standings(THREE), not_run=("X", "Y", "Z"), left_out=("d",))
    key = trial.cells[0].key
    begun = replace(trial, rows={k: row for k, row in trial.rows.items() if k != key})
    first, second, *_ = standings_table(found, PERCENT, begun).notes
    assert re.fullmatch(r"Unfinished: 1 of \d+ cells has not run\.", first)
    assert second == (
        "With cells that have not run: X, Y and Z. Left out: d. Run the experiment to its end to "
        "rank over all data sets."
    )


def test_data_that_rank_several_times_are_named(trial):
    (facts,) = trial.plan.datasets.values()
    alike = trial.plan.model_copy(update={"datasets": {"a": facts, "b": facts}})
    notes = standings_table(standings(THREE), PERCENT, replace(trial, plan=alike)).notes
    assert "The same data by several names, which ranks count as often: a and b." in notes
    assert not any(
        "several names" in each for each in standings_table(standings(THREE), PERCENT, trial).notes
    )


def test_the_origin_has_the_day_and_the_version(trial):
    assert origin_of(open_results(BASELINES)) == "strong-baselines, 2026-11-24, mlbench 0.1.0"
    assert origin_of(trial) == "trial, 2026-01-02"


def test_times_say_whether_they_compare(trial):
    notes = standings_table(standings(THREE), PERCENT, trial).notes
    assert "Times may not be comparable" in notes[-2]


def test_methods_of_published_results_have_a_mark(trial):
    origin = Origin(
        name="arena",
        written="2026-11-25T10:00:00+00:00",
        sha256="a" * 64,
        is_base=True,
        methods=("X",),
        counts={"ok": 1},
        versions={},
    )
    based = replace(trial, plan=trial.plan.model_copy(update={"taken_over": (origin,)}))
    assert marked_name(based, "X") == "X°"
    assert marked_name(trial, "X") == "X"
    assert note_on_origins(based, ["X"]) == ["° Taken over, not run here: arena, 2026-11-25."]
    assert note_on_origins(trial, ["X"]) == []


@pytest.mark.parametrize(
    ("extent", "words"),
    [
        ((19, 19, 13, 13), ""),
        ((4, 19, 13, 13), "Of arena, 4 of 19 methods and 13 data sets were taken over."),
        ((19, 19, 3, 13), "Of arena, 19 methods and 3 of 13 data sets were taken over."),
    ],
)
def test_a_part_of_published_results_is_told(trial, extent, words):
    names = ("methods", "of_methods", "datasets", "of_datasets")
    origin = Origin(
        name="arena",
        written="2026-11-25T10:00:00+00:00",
        sha256="a" * 64,
        is_base=True,
        methods=("X",),
        counts={"ok": 1},
        versions={},
        extent=Extent(**dict(zip(names, extent, strict=True))),
    )
    based = replace(trial, plan=trial.plan.model_copy(update={"taken_over": (origin,)}))
    assert note_on_origins(based, ["X"])[1:] == ([words] if words else [])
    assert report_data(based).departures == ((words,) if words else ())
