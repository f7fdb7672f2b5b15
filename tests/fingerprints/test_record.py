"""What counts as a move, what is said of it, and what is not written."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.fingerprints import record
from tests.fingerprints.subjects import Subject


def made(revision=1, **cases):
    numbers = {name: {"scores": np.array(scores)} for name, scores in cases.items()}
    return Subject("m", revision, "`revision` of M", lambda: numbers)


def entry_of(subject):
    return record.renewed(subject, None)


OLD = entry_of(made(a=[1.0, -200.0], b=[0.5]))


def test_numbers_have_six_digits_of_the_largest_beside_them():
    found = {"scores": np.array([[1 / 3, -0.0], [100 / 3, np.inf]]), "share": 2 / 3, "rows": "1 2"}
    written = {"scores": [0.3333, 0, 33.3333, "inf"], "share": 0.666667, "rows": "1 2"}
    assert record.rounded({"a": found}) == {"a": written}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([1, 2], [1, 2.00001]),
        ([0, 100], [0.0009, 100]),
        ([0.33334, 1], [0.333335 - 1e-9, 1]),
        (["inf", 1], [np.inf, 1]),
        ([0, 0], [0, 0]),
        ([], []),
    ],
)
def test_rounding_is_no_move(old, new):
    assert record.moved({"x": old}, {"x": np.array(new, dtype=float)}) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([1, 2], [1, 2.0001]),
        ([1e-9, 2e-9], [1e-9, 2.001e-9]),
        ([0, 0], [0, 1e-9]),
        (["inf", 1], [-np.inf, 1]),
        ([0, 1], [np.nan, 1]),
        ([1, 2], [1]),
        (None, [1]),
    ],
)
def test_more_than_rounding_is_a_move(old, new):
    assert record.moved({"x": old}, {"x": np.array(new, dtype=float)}) != []


def test_what_is_no_number_is_the_same_or_moved():
    old = {"labels": "0101", "held out": True, "auc": "nan", "f1": 0}
    assert record.moved(old, {"labels": "0101", "held out": True, "auc": np.nan, "f1": 0.0}) == []
    new = {"labels": "0111", "held out": False, "auc": 0.0, "share": "1"}
    assert record.moved(old, new) == ["auc", "f1", "held out", "labels", "share"]


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        (made(a=[1.1, -200], b=[0.5]), "numbers of m moved: raise its revision, or undo the"),
        (made(a=[1.1, -200], b=[0.5], revision=2), "revision 2, .* revision 1: run `make fing"),
        (made(a=[1.0, -200], b=[0.5], revision=2), "none of them moved"),
        (made(a=[1.0, -200], b=[0.5], revision=0), "only rises"),
        (made(a=[1.0, -200], b=[0.5], c=[1]), "lacks cases of m: run .*\n  c"),
        (made(a=[1.0, -200]), "has cases of m that there are not: run .*\n  b"),
    ],
)
def test_the_complaint_says_what_to_do(subject, words):
    assert re.search(words, record.complaint(subject, OLD), re.DOTALL)


def test_there_is_no_complaint_where_there_is_no_reason():
    assert record.complaint(made(a=[1.0001, -200], b=[0.5]), OLD) is None
    assert record.complaint(made(a=[1.0]), None) == "the file has no numbers of m: run " + (
        f"`{record.COMMAND}`"
    )


def test_a_long_list_is_cut():
    cases = {f"case {number:02}": [number] for number in range(9)}
    moved = made(**{name: [number[0] + 1] for name, number in cases.items()})
    said = record.complaint(moved, entry_of(made(**cases)))
    assert said.count("\n") == 6
    assert said.endswith("and 4 more")


def test_numbers_that_moved_are_not_written_under_the_old_revision():
    refusal = record.renewed(made(a=[1.1, -200], b=[0.5]), OLD)
    assert "Raise it (`revision` of M), or undo the change" in refusal
    raised = record.renewed(made(a=[1.1, -200], b=[0.5], revision=2), OLD)
    assert raised == {
        "revision": 2,
        "cases": {"a": {"scores": [1.1, -200]}, "b": {"scores": [0.5]}},
    }


def test_what_did_not_move_keeps_its_text_and_new_cases_are_taken():
    again = record.renewed(made(a=[1.0009, -200.0003], c=[3]), OLD)
    assert again == {"revision": 1, "cases": {"a": OLD["cases"]["a"], "c": {"scores": [3]}}}
