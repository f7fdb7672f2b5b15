"""The splits behind a number are those of its rows."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, stdev

import pytest

from mlbench.report import Source
from mlbench.report.html.evidence import Evidence, amount, chosen


@pytest.fixture
def evidence_of():
    def make(folder):
        return Evidence(folder, folder.settings(), folder.path)

    return make


def sheet_at(evidence, source):
    anchor = evidence.link(source).removeprefix("#")
    (found,) = [each for each in evidence.sheets(source.dataset) if each.anchor == anchor]
    return found


def test_the_splits_average_to_the_number_that_leads_to_them(make_results, evidence_of):
    folder = make_results()
    evidence = evidence_of(folder)
    for row in folder.tables()[0].rows:
        for cell in row.cells:
            sheet = sheet_at(evidence, cell.source)
            column = [each.title for each in sheet.columns].index(
                {"macro_f1": "Macro F1", "macro_auc": "Macro AUC"}[cell.source.metric]
            )
            values = [line.entries[column].value for line in sheet.lines]
            assert (mean(values), stdev(values)) == pytest.approx((cell.mean, cell.std))
            shown = [float(line.entries[column].text) for line in sheet.lines]
            assert shown == pytest.approx([100 * value for value in values], abs=5e-5)


def test_a_method_is_listed_split_by_split_with_all_that_its_rows_hold(troubled, evidence_of):
    evidence = evidence_of(troubled)
    sheet = sheet_at(evidence, Source("emotions", "macro_f1", "BR"))
    titles = [column.title for column in sheet.columns]
    rows = troubled.scan.rows
    keys = [key for d, m, _, key in troubled.cells if (d, m) == ("emotions", "BR")]
    for line, key in zip(sheet.lines, keys, strict=True):
        entries = dict(zip(titles, line.entries, strict=True))
        row = rows[key]
        assert entries["Status"].text == row.status
        assert entries["Chosen"].text == (chosen(row.params) or "—")
        assert entries["Tuning"].value == row.seconds.get("tune")
        assert entries["Whole cell"].value == row.seconds.get("total")
        assert entries["Row file, by key"].text == key
        assert entries["Row file, by key"].href == f"rows/{key[:2]}/{key}.json"


def test_methods_stand_side_by_side_split_by_split(troubled, evidence_of):
    evidence = evidence_of(troubled)
    sheet = sheet_at(evidence, Source("flags", "macro_auc"))
    assert [column.title for column in sheet.columns] == ["SMTL", "BR", "ECC"]
    assert [line.entries[2].text for line in sheet.lines] == ["timeout"] * 3 + ["missing"]
    undefined = [line.entries[0].value for line in sheet.lines]
    rows = troubled.scan.rows
    keys = [key for d, m, _, key in troubled.cells if (d, m) == ("flags", "SMTL")]
    assert undefined == [rows[key].metrics["macro_auc"] for key in keys]


def test_an_undefined_score_is_called_so(make_results, evidence_of):
    folder = make_results(n_splits=2, change=lambda d, m, s: {"metrics": {"macro_f1": None}})
    sheet = sheet_at(evidence_of(folder), Source("flags", "macro_f1"))
    assert {entry.text for line in sheet.lines for entry in line.entries} == {"undefined"}


def test_a_cell_that_is_missing_has_a_key_but_no_file_to_lead_to(troubled, evidence_of):
    sheet = sheet_at(evidence_of(troubled), Source("flags", "macro_f1", "ECC"))
    assert [bool(line.entries[-1].href) for line in sheet.lines] == [True, True, True, False]


def test_paths_are_written_as_addresses(make_results, tmp_path):
    folder = make_results(n_splits=1)
    evidence = Evidence(folder, folder.settings(), tmp_path / "a page#1?")
    sheet = sheet_at(evidence, Source("flags", "macro_f1", "BR"))
    assert sheet.lines[0].entries[-1].href.startswith("../results/rows/")
    assert Path(sheet.lines[0].entries[-1].href).name == f"{sheet.lines[0].entries[-1].text}.json"


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
    assert amount(value).text == text
