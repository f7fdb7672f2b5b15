from __future__ import annotations

from mlbench.report.tables.version_notes import version_notes
from tests.rows import make_row

CELLS = [("toy", "BR", 0, "a" * 64), ("toy", "BR", 1, "b" * 64), ("toy", "kNN", 0, "c" * 64)]
SAME = {"code": {"br": "1" * 64}, "environment": {"numpy": "2.0", "python": "3.11"}}


def notes(**changes):
    rows = {digit: make_row(digit, **SAME | changes.get(digit, {})) for digit in "abc"}
    return version_notes(CELLS, {row.key: row for row in rows.values()})


def test_rows_of_one_version_need_no_note():
    assert notes(c={"code": {"br": "2" * 64}}) == []
    assert notes(b={"environment": {"numpy": "2.0", "python": "3.12"}}) == []
    assert notes(b={"status": "error", "code": {"br": "2" * 64}}) == []


def test_other_code_and_other_libraries_are_told():
    hashes = notes(b={"code": {"br": "2" * 64}})
    assert hashes == [
        "Rows of BR were computed by different versions of br: 111111111111, 222222222222."
    ]
    assert notes(b={"code": {"br": "x 1.0"}}, c={"environment": {"numpy": "2.1"}}) == [
        "Rows of BR were computed by different versions of br: 111111111111, x 1.0.",
        "Rows were computed by different versions of numpy: 2.0, 2.1.",
    ]
