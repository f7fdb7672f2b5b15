"""Every number of a table has a source, and notes that tables share are printed once."""

from __future__ import annotations

from dataclasses import replace

from mlbench.report.tables.table import Source, Table, transposed, with_notes_once
from tests.report.experiment_tables import experiment_tables


def test_a_score_comes_from_a_method_on_a_data_set_in_a_metric(frames, settings):
    scores = experiment_tables(*frames, settings)[0]
    for row in scores.rows:
        for column, cell in zip(scores.columns, row.cells, strict=True):
            metric = {"Macro F1": "macro_f1", "Hamming loss ↓": "hamming_loss"}[column.title]
            assert cell.source == Source(column.group, metric, row.labels[0])


def test_what_is_said_of_a_comparison_comes_from_all_methods(frames, settings):
    _, f1, loss = experiment_tables(*frames, settings)
    for table, metric in ((f1, "macro_f1"), (loss, "hamming_loss")):
        for row in table.rows:
            assert {cell.source for cell in row.cells} == {Source(row.labels[0], metric)}


def test_a_wide_comparison_too_and_its_totals(frames, settings):
    (comparison,) = settings.comparisons
    wide = replace(settings, comparisons=(comparison.model_copy(update={"layout": "wide"}),))
    metric = {column.heading: column.name for column in settings.metrics}
    for table in experiment_tables(*frames, wide)[1:]:
        places = [Source(column.title, metric[column.group]) for column in table.columns]
        assert [[cell.source for cell in row.cells] for row in table.rows] == [places] * len(
            table.rows
        )


def table(name: str, *notes: str) -> Table:
    return Table(name=name, title=name, corner=("Method",), columns=(), rows=(), notes=notes)


def test_a_shared_note_stands_under_the_last_table_of_its_kind():
    tables = [
        table("scores-a", "shared", "own"),
        table("scores-b", "shared"),
        table("compare-a", "shared"),
    ]
    kept = [each.notes for each in with_notes_once(tables)]
    assert kept == [("own",), ("shared",), ("shared",)]


def test_a_note_that_does_not_hold_for_all_stays_where_it_does():
    tables = [
        table("scores-a", "none is better"),
        table("scores-b"),
        table("scores-c", "none is better"),
    ]
    kept = [each.notes for each in with_notes_once(tables)]
    assert kept == [("none is better",), (), ("none is better",)]


def test_groups_of_columns_become_a_column_of_labels(frames, settings):
    scores = experiment_tables(*frames, settings)[0]
    turned = transposed(scores, "Data set", "Metric")
    assert turned.corner == ("Data set", "Metric")
    assert [row.labels for row in turned.rows] == [(c.group, c.title) for c in scores.columns]
    assert [column.title for column in turned.columns] == [row.labels[0] for row in scores.rows]
    assert turned.rows[1].cells == tuple(row.cells[1] for row in scores.rows)
