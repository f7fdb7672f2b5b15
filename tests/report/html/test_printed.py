"""The page shows the tables of `mlbench reproduce`, with verdicts in color."""

from __future__ import annotations

import pytest

from mlbench.report.reproduction.matching import compare_with_paper
from mlbench.report.reproduction.tables import reproduction_tables
from mlbench.report.reproduction.verdict import PrintVerdict

METHODS = ("BR", "ECC", "RAkEL", "mine")


@pytest.fixture
def folder(make_results):
    return make_results(("Emotions", "Yeast"), METHODS, published="ke")


def test_the_tables_are_those_of_the_comparison(folder, read):
    page = read(folder)
    tables = reproduction_tables(compare_with_paper(folder))
    for number, table in enumerate(tables, 1):
        section = page.by_id(f"printed-{number}")
        assert section.all("h3")[0].text == table.title
        assert section.all("table")[0].grid == [
            [*row.labels, *(cell.printed + "".join(cell.marks) for cell in row.cells)]
            for row in table.rows
        ]
        for note in table.notes:
            assert note in section.text


def test_every_verdict_has_its_color(folder, read):
    section = read(folder).by_id("printed")
    looks = {
        cell.text.rstrip("⁰¹²³⁴⁵⁶⁷⁸⁹"): cell.get("class")
        for cell in section.all("td")
        if "words" in cell.get("class")
    }
    assert set(looks) <= set(map(str, PrintVerdict))
    assert "bad" in looks["differs"]
    assert all("good" in looks[each] for each in ("reproduced", "close") if each in looks)


def test_ours_leads_to_its_rows(folder, read):
    tables = reproduction_tables(compare_with_paper(folder))
    page = read(folder)
    for number, table in enumerate(tables, 1):
        rows = page.by_id(f"printed-{number}").all("tbody")[0].all("tr")
        for row, shown in zip(table.rows, rows, strict=True):
            sources = [cell.source for cell in row.cells if cell.source]
            expected = [
                f"#rows-{['Emotions', 'Yeast'].index(s.dataset)}-{METHODS.index(s.method)}"
                for s in sources
            ]
            assert [link.get("href") for link in shown.all("a")] == expected
    assert any(cell.source for table in tables for row in table.rows for cell in row.cells)


def test_an_experiment_without_a_paper_has_no_such_section(make_results, read):
    assert "printed" not in {element.get("id") for element in read(make_results()).walk()}
