"""What `mlbench status` says of failures."""

from __future__ import annotations

from mlbench.cli.status import MAX_PLACES, grouped
from mlbench.results.plan import PlannedCell


def cells(*places):
    return [PlannedCell(*place, f"{i:064x}") for i, place in enumerate(places)]


def test_a_message_of_one_method_names_its_splits():
    one, *others = cells(("flags", "BR", 0), ("flags", "LP", 1), ("flags", "LP", 2))
    told = [(one, "error: no"), *((each, "timeout: 5 s") for each in others)]
    assert list(grouped(told)) == [
        "flags/BR/0: error: no",
        "flags/LP/(2 splits, first 1): timeout: 5 s",
    ]


def test_a_message_that_methods_share_stands_once_with_the_number_of_cells():
    shared = cells(("flags", "BR", 0), ("flags", "BR", 1), ("yeast", "LP", 0))
    assert list(grouped((each, "error: no") for each in shared)) == [
        "3 cells: error: no",
        "  flags/BR (2), yeast/LP (1)",
    ]


def test_only_the_first_places_are_named():
    shared = cells(*(("flags", f"m{i}", 0) for i in range(MAX_PLACES + 2)))
    (_, named) = grouped((each, "error: no") for each in shared)
    assert named.endswith(f"flags/m{MAX_PLACES - 1} (1) and 2 more")
