from __future__ import annotations

import pytest

from mlbench.check import compare_with_reference, reference_of, updated
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
