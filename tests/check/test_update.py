from __future__ import annotations

import pytest

from mlbench.check import compare_with_reference, reference_of, updated
from mlbench.check.update import exported_anew
from mlbench.errors import StoreError


def update(old, folder, reason):
    return updated(old, reference_of(folder), compare_with_reference(old, folder), reason)


def test_the_history_says_why_and_what_moved(make_folder, ten, elsewhere):
    old = reference_of(make_folder({"A": ten, "B": ten}))
    later = make_folder({"A": [score + 0.02 for score in ten], "C": ten}, environment=elsewhere)
    new = update(old, later, "a better solver")
    (entry,) = new.history
    assert (entry.reason, entry.versions) == ("a better solver", elsewhere)
    assert entry.moved[0].startswith("toy/A macro_f1: ")
    assert "toy/B" in entry.moved[1]
    assert entry.moved[2] == "toy/C macro_f1: new"
    assert [line.partition(" since ")[0] for line in entry.changed] == ["Environment changed"]
    assert {number.verdict for number in compare_with_reference(new, later).numbers} == {"same"}
    assert [each.reason for each in update(new, later, "again").history] == [
        "a better solver",
        "again",
    ]


@pytest.mark.parametrize("now", [..., "timeout"])
def test_a_reference_does_not_forget_cells_that_were_lost(make_folder, ten, now):
    old = reference_of(make_folder({"A": ten}))
    with pytest.raises(StoreError, match="not updated while cells are lost: toy/A, split 9"):
        update(old, make_folder({"A": [*ten[:9], now]}), "why not")


def test_the_history_names_added_cells_and_what_drifted_most(make_folder, ten):
    old = reference_of(make_folder({"A": ten[:8], "B": ten[:8]}))
    later = make_folder(
        {"A": [score + 5e-5 for score in ten], "B": ten}, environment={"numpy": "3"}
    )
    (entry,) = update(old, later, "ten splits").history
    assert entry.moved[0].startswith("1 number drifted, most of all toy/A macro_f1: ")
    assert entry.moved[1:] == [
        "toy/A, splits 8, 9: added",
        "toy/B, splits 8, 9: added",
    ]


def test_new_cells_have_to_run_before_they_are_accepted(make_folder, ten):
    old = reference_of(make_folder({"A": ten[:9]}))
    with pytest.raises(StoreError, match="before all cells have run: toy/A, split 9"):
        update(old, make_folder({"A": [*ten[:9], ...]}), "why not")


def test_an_export_over_another_has_an_entry_if_numbers_are_others(make_folder, ten):
    then = reference_of(make_folder({"A": ten}))
    same = exported_anew(then, then, make_folder({"A": ten}))
    assert same.history == []
    other = make_folder({"A": [score + 0.1 for score in ten]}, seed=3)
    (entry,) = exported_anew(then, reference_of(other), other).history
    assert entry.reason == "exported anew"
    assert entry.moved[0].startswith("toy/A macro_f1: ")
