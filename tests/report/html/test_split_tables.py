"""The splits behind a number are those of its rows."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, stdev

import pytest

from mlbench.comparisons.settings import report_settings
from mlbench.report.html import to_html
from mlbench.report.html.split_tables import SplitTables, chosen
from mlbench.report.tables import tables_of
from mlbench.report.tables.report_data import report_data
from mlbench.report.tables.table import Source
from mlbench.store.packing import pack_rows


@pytest.fixture
def splits_of():
    def make(folder):
        return SplitTables(folder, report_settings(folder), folder.path)

    return make


def table_at(splits, source):
    name = splits.anchor(source)
    (found,) = [each for each in splits.tables(source.dataset) if each.name == name]
    return found


def test_the_splits_average_to_the_number_that_leads_to_them(make_results, splits_of):
    folder = make_results()
    splits = splits_of(folder)
    for row in tables_of(report_data(folder))[0].rows:
        for cell in row.cells:
            table = table_at(splits, cell.source)
            column = [each.title for each in table.columns].index(
                {"macro_f1": "Macro F1", "macro_auc": "Macro AUC"}[cell.source.metric]
            )
            values = [line.cells[column].value for line in table.rows]
            assert (mean(values), stdev(values)) == pytest.approx((cell.mean, cell.std))
            shown = [float(line.cells[column].printed) for line in table.rows]
            assert shown == pytest.approx([100 * value for value in values], abs=5e-5)


def test_packed_rows_have_no_files(make_results, splits_of):
    folder = make_results()
    assert splits_of(folder).has_files
    pack_rows(folder.path)
    assert not splits_of(folder).has_files
    assert "The rows have no files of their own" in to_html(folder, folder.path)


def test_a_method_is_listed_split_by_split_with_all_that_its_rows_hold(troubled, splits_of):
    splits = splits_of(troubled)
    table = table_at(splits, Source("emotions", "macro_f1", "BR"))
    titles = [column.title for column in table.columns]
    rows = troubled.rows
    keys = [key for d, m, _, key in troubled.cells if (d, m) == ("emotions", "BR")]
    for line, key in zip(table.rows, keys, strict=True):
        cells = dict(zip(titles, line.cells, strict=True))
        row = rows[key]
        assert cells["Status"].printed == row.status
        assert cells["Chosen"].printed == (chosen(row.params) or "—")
        assert cells["Tuning"].value == row.seconds.get("tune")
        assert cells["Whole cell"].value == row.seconds.get("total")
        assert cells["Row file, by key"].printed == key
        assert cells["Row file, by key"].href == f"rows/{key[:2]}/{key}.json"


def test_methods_stand_side_by_side_split_by_split(troubled, splits_of):
    splits = splits_of(troubled)
    table = table_at(splits, Source("flags", "macro_auc"))
    assert [column.title for column in table.columns[:3]] == ["SMTL", "BR", "ECC"]
    assert [line.cells[2].printed for line in table.rows] == ["timeout"] * 3 + ["missing"]
    undefined = [line.cells[0].value for line in table.rows]
    rows = troubled.rows
    keys = [key for d, m, _, key in troubled.cells if (d, m) == ("flags", "SMTL")]
    assert undefined == [rows[key].metrics["macro_auc"] for key in keys]


def test_an_undefined_score_is_called_so(make_results, splits_of):
    folder = make_results(n_splits=2, change=lambda d, m, s: {"metrics": {"macro_f1": None}})
    table = table_at(splits_of(folder), Source("flags", "macro_f1"))
    assert {entry.printed for line in table.rows for entry in line.cells[:3]} == {"undefined"}


def test_a_cell_that_is_missing_has_a_key_but_no_file_to_lead_to(troubled, splits_of):
    table = table_at(splits_of(troubled), Source("flags", "macro_f1", "ECC"))
    assert [bool(line.cells[-1].href) for line in table.rows] == [True, True, True, False]


def test_paths_are_written_as_addresses(make_results, tmp_path):
    folder = make_results(n_splits=1)
    splits = SplitTables(folder, report_settings(folder), tmp_path / "a page#1?")
    table = table_at(splits, Source("flags", "macro_f1", "BR"))
    assert table.rows[0].cells[-1].href.startswith("../results/rows/")
    assert Path(table.rows[0].cells[-1].href).name == f"{table.rows[0].cells[-1].printed}.json"


def test_the_differences_that_are_tested_follow_the_scores(make_results, splits_of):
    folder = make_results()
    table = table_at(splits_of(folder), Source("emotions", "macro_f1"))
    assert [(column.group, column.title) for column in table.columns] == [
        *(("", name) for name in ("SMTL", "BR", "ECC")),
        *(("SMTL minus", name) for name in ("BR", "ECC")),
    ]
    for row in table.rows:
        own, br, ecc, *differences = (cell.value for cell in row.cells)
        assert differences == [own - br, own - ecc]
    tested = {row.labels: row.cells[0].printed for row in tables_of(report_data(folder))[1].rows}
    shown = mean(row.cells[3].value for row in table.rows)
    assert tested["emotions", "BR"] == f"{100 * shown:+.2f}"


def test_without_one_of_two_scores_there_is_no_difference(troubled, splits_of):
    table = table_at(splits_of(troubled), Source("emotions", "macro_f1"))
    assert [row.cells[3].printed == "—" for row in table.rows] == [False, True, False, False]


def test_chosen_parameters_are_written_as_in_python():
    layers = {"use": "tuple", "items": [8, 2]}
    assert chosen({"C": 0.1, "layers": layers}) == "C = 0.1, layers = (8, 2)"
