"""The page says what the tables say, needs nothing else, and obeys nobody's name."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace

import pytest

from mlbench.errors import StoreError
from mlbench.report.html import to_html
from mlbench.report.html.page import in_order
from mlbench.report.tables import tables_of
from mlbench.report.tables.leaderboard import leaderboard
from mlbench.report.tables.report_data import report_data
from mlbench.report.tables.table import Column, Table, TableCell, TableRow, with_notes_once
from mlbench.report.tables.verdict import verdicts
from mlbench.report.tables.verdict_text import verdict_text
from tests.rows import GRID


def test_tables_hold_the_entries_marks_and_notes_of_the_terminal(troubled, read):
    page = read(troubled)
    board = leaderboard(report_data(troubled))
    order = [row.labels[-1] for row in board.rows]
    assert page.by_id("leaderboard").all("table")[0].grid == [
        [*row.labels, *(cell.printed for cell in row.cells)] for row in board.rows
    ]
    tables = [in_order(table, order) for table in with_notes_once(tables_of(report_data(troubled)))]
    for number, table in enumerate(tables, 1):
        section = page.by_id(f"table-{number}")
        assert section.all("h2")[0].text == table.title
        expected = [
            [*row.labels, *(cell.printed + "".join(cell.marks) for cell in row.cells)]
            for row in table.rows
        ]
        (shown,) = section.all("table")
        assert shown.grid == expected
        bold = [
            [bool(cell.all("b")) for cell in row.all("td")]
            for row in shown.all("tr")[-len(expected) :]
        ]
        assert bold == [[cell.bold for cell in row.cells] for row in table.rows]
        for note in table.notes:
            assert note in page.text


def test_every_score_leads_to_its_rows_and_every_link_somewhere(troubled, read):
    page = read(troubled)
    ids = [element.get("id") for element in page.walk() if element.get("id")]
    assert len(ids) == len(set(ids))
    for link in page.all("a"):
        target = link.get("href")
        if target.startswith("#"):
            assert target[1:] in ids
        else:
            assert (troubled.path / target).is_file()
    table = page.by_id("table-1").all("table")[0]
    board = leaderboard(report_data(troubled))
    order = [row.labels[-1] for row in board.rows]
    assert sorted(order) == ["BR", "ECC", "SMTL"]
    for row, method in zip(table.all("tbody")[0].all("tr"), order, strict=True):
        for cell, dataset in zip(
            row.all("td"), ("emotions", "emotions", "flags", "flags"), strict=True
        ):
            (link,) = cell.all("a")
            panel = page.by_id(link.get("href")[1:])
            keys = [key for d, m, _, key in troubled.cells if (d, m) == (dataset, method)]
            assert [row[-1] for row in panel.all("table")[0].grid] == keys


def test_a_page_elsewhere_leads_to_the_same_rows(make_results, tmp_path):
    folder = make_results(("emotions",), n_splits=1)
    home = tmp_path / "pages" / "today"
    home.mkdir(parents=True)
    targets = re.findall(r'href="([^"#]*[.]json)"', to_html(folder, home))
    assert len(targets) == 3
    assert all((home / target).resolve().is_file() for target in targets)


def test_nothing_is_asked_of_anyone(troubled, read):
    page = read(troubled)
    for element in page.walk():
        for name in ("src", "href", "srcset", "action", "data", "xlink:href"):
            assert not re.match(r"\s*(\w+:)?//", element.get(name))
    assert "@import" not in page.text
    assert not re.search(r"url\((?!#)", "".join(style.text for style in page.all("style")))


@pytest.mark.slow
@pytest.mark.parametrize("results", ["troubled", "hostile"])
def test_the_only_script_is_ours_and_the_page_allows_no_other(results, read, request):
    page = read(request.getfixturevalue(results))
    (script,) = page.all("script")
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    (policy,) = [meta.get("content") for meta in page.all("meta") if meta.get("http-equiv")]
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none'")


def test_names_that_look_alike_once_escaped_are_refused(make_results, read):
    folder = make_results(datasets=("a\u202eb", r"a\u202eb"), n_splits=1)
    with pytest.raises(StoreError, match="are the same once their control characters"):
        read(folder)


@pytest.mark.slow
def test_names_are_text_and_nothing_else(hostile, read, drawn):
    page = read(hostile)
    tags = {element.tag for element in page.walk()}
    assert not tags & {"img", "iframe", "object", "embed", "form", "input", "base"}
    for element in page.walk():
        assert not [name for name in element.attributes if name.startswith("on")]
        assert not element.get("href").startswith("javascript:")
    for name in hostile.plan.methods:
        assert name in [heading.text for heading in page.all("th")]
        assert name in [summary.text for summary in page.all("summary")]
    assert page.all("h1")[0].text == page.all("title")[0].text == hostile.plan.experiment.title


@pytest.mark.slow
def test_characters_that_hide_others_reach_no_file(make_results, drawn):
    folder = make_results(methods=("a\u202eb", "nul\x00", "$x_$"), n_splits=2)
    content = to_html(folder, folder.path).encode()
    assert "\u202e".encode() not in content
    assert b"\x00" not in content


def test_other_metrics_may_be_shown(make_results, read):
    page = read(make_results(), "micro_f1")
    assert page.by_id("table-1").all("h2")[0].text == "Micro F1"


def test_before_anything_is_run_there_is_a_page_that_says_so(make_results, read):
    page = read(make_results(change=lambda *cell: None))
    assert "0 of 24 cells ok; 24 missing" in page.by_id("summary").text
    assert "— (4 missing)" in page.by_id("table-1").text


def test_the_notes_of_the_verdict_are_no_sentences_of_it(make_results, read):
    folder = make_results()
    expected = verdict_text(report_data(folder), verdicts(report_data(folder)))
    verdict = read(folder).by_id("verdict")
    found = tuple(item.text for item in verdict.all("li"))
    said = [each for each in expected.sentences if each not in expected.ranks]
    assert found == (*said, *expected.ranks, *expected.details)
    assert tuple(paragraph.text for paragraph in verdict.all("p")) == expected.notes
    unjudged, decided, *_ = expected.notes
    assert unjudged.startswith("Not judged in full, since rows lack a number that this takes: ")
    assert decided.startswith("Decided by the corrected t-test at 0.05.")


def test_what_happened_is_on_the_page(troubled, read):
    page = read(troubled)
    summary, problems = page.by_id("summary").text, page.by_id("failures")
    assert "19 of 24 cells ok" in summary
    assert "1 error" in summary
    assert "3 timeouts" in summary
    assert [pre.text for pre in problems.all("pre")] == [
        'Traceback:\n  File "m.py", line 3, in fit\nValueError: <b>no</b>'
    ]
    assert "hm" in page.by_id("warnings").text


def scores(corner, labels, columns):
    rows = (TableRow((a,), tuple(TableCell(a + b) for b in columns)) for a in labels)
    return Table("scores", "title", (corner,), tuple(map(Column, columns)), tuple(rows))


def test_methods_stand_in_the_order_asked_for_whether_in_rows_or_columns():
    rows = in_order(scores("Method", "ab", "xy"), ["b", "a"])
    assert [[row.labels[0], row.cells[0].printed] for row in rows.rows] == [
        ["b", "bx"],
        ["a", "ax"],
    ]
    columns = in_order(scores("Data set", "xy", "ab"), ["b", "a"])
    assert [column.title for column in columns.columns] == ["b", "a"]
    assert [cell.printed for cell in columns.rows[0].cells] == ["xb", "xa"]


def test_tables_of_anything_else_keep_their_order():
    table = replace(scores("Method", "ab", "xy"), name="ranks")
    assert in_order(table, ["b", "a"]) == table


def tuned_in_vain(dataset, method, split):
    """Return scores in which SMTL leads, and searches in which all candidates are equal."""
    score = {"SMTL": 0.9, "BR": 0.7, "ECC": 0.6}[method] + 0.001 * split
    identity = {
        "dataset": {"name": dataset, "fingerprint": "f" * 64},
        "tuning": {"grid": GRID, "scope": "every-split", "scoring": "macro_f1"},
    }
    return {"metrics": {"macro_f1": score, "macro_auc": score}, "identity": identity}


def test_threats_follow_the_verdict_which_links_to_them(make_results, read):
    page = read(make_results(change=tuned_in_vain))
    threats = [item for item in page.by_id("threats").all("li") if item.get("id")]
    assert threats[0].get("id") == "threat-1"
    assert threats[0].text.startswith("(1) weakens, undefined-tuning: ")
    links = [
        (link.text, link.get("href"))
        for item in page.by_id("verdict").all("li")
        for link in item.all("a")
    ]
    assert ("1", "#threat-1") in links
    assert {href for _, href in links} <= {f"#{threat.get('id')}" for threat in threats}


def test_notes_are_folded_and_accepted_threats_are_not(make_results, read):
    rule = {"check": "undefined-tuning", "because": "the scores are made up"}
    folder = make_results(change=tuned_in_vain, audit={"accept": [rule]})
    threats = read(folder).by_id("threats")
    (notes,) = threats.all("details")
    assert notes.all("summary")[0].text == "1 note"
    assert [item.text[:19] for item in notes.all("li")] == ["note, few-datasets:"]
    folded = [item.text for item in notes.all("li")]
    accepted = [item.text for item in threats.all("li") if item.text not in folded]
    assert accepted
    for text in accepted:
        assert ", undefined-tuning: " in text
        assert text.endswith("Accepted: the scores are made up")


def test_methods_that_the_leaderboard_leaves_out_come_last(make_results, read):
    def change(dataset, method, split):
        return None if method == "BR" and split == 1 else {}

    page = read(make_results(change=change))
    rows = page.by_id("table-1").all("table")[0].grid
    assert [row[0] for row in rows][-1] == "BR"
    assert len(rows) == 3
