from __future__ import annotations

import math

import pytest

from mlbench.report.html.evidence import Evidence
from mlbench.report.html.printed import printed_sheets
from mlbench.report.published import Verdict, compare_with_paper

METHODS = ("BR", "ECC", "RAkEL", "mine")


@pytest.fixture
def folder(make_results):
    return make_results(("Emotions", "Yeast"), METHODS, published="ke")


def test_verdicts_are_those_of_the_comparison_in_words_and_colour(folder):
    sheets = printed_sheets(Evidence(folder, folder.settings(), folder.path))
    comparison = compare_with_paper(folder)
    assert [sheet.title for sheet in sheets] == comparison.tables
    shown = [line for sheet in sheets for line in sheet.lines]
    expected = [
        line
        for table in comparison.tables
        for line in comparison.lines
        if line.printed.table == table
    ]
    verdicts = set()
    for sheet in sheets:
        column = [each.title for each in sheet.columns].index("Verdict")
        verdicts |= {(line.entries[column].text, line.entries[column].look) for line in sheet.lines}
    looks = dict(verdicts)
    assert len(looks) == len(verdicts)
    assert set(looks) == {line.verdict.value for line in expected} <= set(map(str, Verdict))
    assert "bad" in looks["differs"]
    for line, wanted in zip(shown, expected, strict=True):
        assert line.entries[0].text == wanted.printed.text
        ours = line.entries[1].value
        assert (ours is None and math.isnan(wanted.mean)) or ours == wanted.mean


def test_ours_leads_to_its_rows(folder, read):
    page = read(folder)
    section = page.by_id("printed")
    for row in section.all("tbody")[0].all("tr"):
        dataset, _, method = (heading.text for heading in row.all("th"))
        links = {link.get("href") for link in row.all("a")}
        if method in METHODS:
            place = (["Emotions", "Yeast"].index(dataset), METHODS.index(method))
            assert links == {"#rows-{}-{}".format(*place)}
        else:
            assert not links


def test_an_experiment_without_a_paper_has_no_such_section(make_results, read):
    assert "printed" not in {element.get("id") for element in read(make_results()).walk()}
