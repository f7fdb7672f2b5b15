"""The hardest rows and the counts of labels on the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.report.html import errors
from mlbench.report.tables.hardest_rows import hardest_tables
from mlbench.report.tables.label_counts import label_count_tables
from tests.kept_runs import kept_run

NAMES = ("sad", "calm", "<b>loud</b>")
TRUTH = [[1, 0, 0], [0, 1, 1], [0, 0, 1]]
SPLIT = {"rows": [4, 7, 9], "data_rows": [40, 70, 90], "truth": TRUTH}
# Sad is wrong in rows 40 and 70, calm in none, loud in row 90.
LABELS = [[0, 0, 0], [1, 1, 1], [0, 0, 0]]


@pytest.fixture
def results(tmp_path):
    return kept_run(tmp_path, {"A": [SPLIT | {"scores": LABELS, "labels": LABELS}]}, NAMES)


def test_the_page_has_the_tables_of_the_terminal_folded(results, read):
    section = read(results).by_id("errors")
    hardest, counts = (panel.all("table")[0] for panel in section.all("details"))
    (table,) = hardest_tables(results, 20, ["toy"], ["A"])
    assert hardest.grid == [[*r.labels, *(cell.printed for cell in r.cells)] for r in table.rows]
    facts = {"toy": results.plan.datasets["toy"]}
    (table,) = label_count_tables(results.cells, results.whole_rows, facts)
    shown = [[*r.labels, *(cell.printed for cell in r.cells)] for r in table.rows]
    assert [row[:-1] for row in counts.grid] == shown
    assert all(note in section.text for note in table.notes)


def test_each_label_links_to_the_hardest_rows_that_it_is_wrong_in(results, read):
    page = read(results)
    counts = page.by_id("counts-1").all("tbody")[0].all("tr")
    links = [[link.text for link in row.all("a")] for row in counts]
    assert links == [["40", "70"], [], ["90"]]
    for row in counts:
        for link in row.all("a"):
            target = link.get("href").removeprefix("#")
            assert target == f"hardest-1-{link.text}"
            (line,) = [
                r
                for r in page.by_id("errors-1").all("tr")
                if r.all("td") and r.all("td")[0].get("id") == target
            ]
            assert line.all("th")[0].text == link.text
    assert [row.all("td")[-1].text for row in counts] == ["40, 70", "—", "90"]


def test_without_predictions_there_are_counts_alone(results):
    rows = {key: replace(row, predictions=None) for key, row in results.rows.items()}
    results = replace(results, rows=rows)
    (table,) = errors.error_tables(results)
    assert [column.title for column in table.columns] == ["TP", "FP", "FN", "TN"]


def test_predictions_that_cannot_be_read_are_told(results, read):
    (path,) = results.path.rglob("*.npz")
    path.unlink()
    told, counts = errors.error_tables(results)
    assert path.name in told.notes[0]
    assert [column.title for column in counts.columns] == ["TP", "FP", "FN", "TN"]
    assert told.notes[0] in read(results).by_id("errors").text


@pytest.mark.parametrize(
    ("limit", "left"), [("MAX_ENTRIES", "counts-1"), ("MAX_LABELS", "errors-1")]
)
def test_what_is_too_large_for_a_page_is_left_out(results, monkeypatch, limit, left):
    monkeypatch.setattr(errors, limit, 1)
    assert [table.name for table in errors.error_tables(results)] == [left]


def test_a_run_without_scores_of_labels_has_no_such_section(troubled, read):
    assert not [each for each in read(troubled).walk() if each.get("id") == "errors"]
