"""Choices, times and environments are counted over the rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from statistics import mean

import pytest

from mlbench.report.html.overview import (
    choices_table,
    data_table,
    environment_table,
    key_facts,
)
from mlbench.report.tables.times import amount, notes_on_machines, times_table
from tests.rows import make_row


def rows_of(folder, dataset, method):
    rows = [folder.rows.get(key) for d, m, _, key in folder.cells if (d, m) == (dataset, method)]
    return [row for row in rows if row and row.is_ok]


def test_attributes_that_are_left_out_are_named(troubled):
    datasets = troubled.plan.datasets
    assert data_table(troubled).notes == ()
    datasets["flags"] = replace(datasets["flags"], left_out="1 of 8 columns: 'id' (text or dates)")
    assert data_table(troubled).notes == ("flags: left out 1 of 8 columns: 'id' (text or dates).",)


def test_choices_are_counted_and_those_at_an_end_of_the_grid_too(troubled):
    table = choices_table(troubled)
    assert ("flags", "ECC", "C") not in [line.labels for line in table.rows]
    for line in table.rows:
        dataset, method, parameter = line.labels
        assert parameter == "C"
        values = [row.params["C"] for row in rows_of(troubled, dataset, method)]
        words, ends = line.cells
        counted = dict(part.rstrip("×)").split(" (") for part in words.printed.split(", "))
        assert {float(v): int(n) for v, n in counted.items()} == Counter(values)
        assert ends.printed == f"{sum(v in (0.1, 10.0) for v in values)} of {len(values)}"


def test_what_another_metric_chose_is_counted_over_all_splits(make_results):
    grid = [{"C": 1.0}, {"C": 2.0}, {"C": 3.0}]

    def change(dataset, method, split):
        other = {"C@macro_auc": 3.0} if split else {}
        return {"params": {"C": 2.0, **other}, "tuning": {"grid": grid}}

    by_name = {}
    for line in choices_table(make_results(change=change)).rows:
        by_name.setdefault(line.labels[2], line.cells)
    assert [cell.printed for cell in by_name["C"]] == ["2 (4×)", "0 of 4"]
    assert [cell.printed for cell in by_name["C@macro_auc"]] == ["3 (3×), 2 (1×)", "3 of 4"]


def test_a_search_of_two_values_ends_at_one_of_them(make_results):
    grid = [{"C": 1.0}, {"C": 2.0}]
    folder = make_results(change=lambda *cell: {"params": grid[0], "tuning": {"grid": grid}})
    assert {line.cells[1].value for line in choices_table(folder).rows} == {4}


def test_times_are_means_over_the_splits_with_a_result(troubled):
    for line in times_table(troubled).rows:
        rows = rows_of(troubled, *line.labels)
        *seconds, memory = [entry.value for entry in line.cells]
        steps = ("tune", "fit", "predict", "total")
        assert seconds == pytest.approx([mean(r.seconds[s] for r in rows) for s in steps])
        assert memory == max(row.peak_memory_mb for row in rows)


def test_what_is_not_tuned_has_no_time_of_tuning(make_results):
    folder = make_results(change=lambda *cell: {"tuning": None})
    assert {line.cells[0].printed for line in times_table(folder).rows} == {"—"}


BUSY = {"processor": "Xeon", "jobs": "2"}


def note_on_machines(*environments):
    rows = [make_row(environment=each) for each in environments]
    return "".join(notes_on_machines(rows))


def test_times_of_machines_that_are_equally_busy_are_comparable():
    versions = {"numpy": "2.3.5"}, {"numpy": "2.4.0"}
    told = note_on_machines(*({**BUSY, **each} for each in versions))
    assert told == "Measured with 2 cells of a run at once on Xeon."


def test_other_times_are_said_not_to_be():
    alone = {"processor": "Xeon", "jobs": "1"}
    assert note_on_machines(BUSY, alone, BUSY) == (
        "Times of these are not comparable with each other: 2 rows with 2 cells of a run at once "
        "on Xeon; 1 row with 1 cell of a run at once on Xeon."
    )
    for unknown in ({}, {"processor": "Xeon"}, {"jobs": "2"}):
        told = note_on_machines(BUSY, unknown)
        assert told.startswith("Times may not be comparable: not every row tells the processor")
    assert note_on_machines() == ""


def test_every_environment_has_a_column(make_results):
    def change(dataset, method, split):
        return {"environment": {"numpy": "2.0" if split else "2.4", "python": "3.11"}}

    table = environment_table(make_results(n_splits=3, change=change))
    assert sorted(column.title for column in table.columns) == ["12 rows", "6 rows"]
    numpy = next(line for line in table.rows if line.labels == ("numpy",))
    assert sorted(entry.printed for entry in numpy.cells) == ["2.0", "2.4"]


def test_packages_of_methods_are_in_the_environment(make_results):
    def change(dataset, method, split):
        own = {"lightgbm.LGBMClassifier": f"lightgbm 4.{split}"}
        return {
            "environment": {"numpy": "2.4"},
            "code": own if method == "BR" else {"br": "0f" * 32},
        }

    table = environment_table(make_results(n_splits=2, change=change))
    versions = {line.labels[0]: line.cells[0].printed for line in table.rows}
    assert versions == {"numpy": "2.4", "lightgbm": "4.0, 4.1"}


def test_the_summary_counts_cells(troubled):
    facts = {what: words for what, words, _ in key_facts(troubled)}
    assert facts["Cells"] == "19 of 24 cells ok; 3 timeouts, 1 error, 1 missing"
    assert facts["Splits"] == "4"
    assert facts["Computed"] == "2026-01-02 (UTC)"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "—"),
        (0.0, "< 0.001"),
        (0.0123, "0.012"),
        (1.234, "1.23"),
        (12.34, "12.3"),
        (1234.5, "1234"),
    ],
)
def test_amounts_have_the_digits_that_count(value, text):
    assert amount(value).printed == text


def test_cells_without_a_result_have_no_times_to_compare():
    rows = [make_row(environment=BUSY), make_row(environment={}, status="timeout")]
    assert notes_on_machines(rows) == ["Measured with 2 cells of a run at once on Xeon."]
