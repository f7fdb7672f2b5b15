from __future__ import annotations

import pytest

from mlbench.errors import StoreError
from tests.results.conftest import HERE


def test_cells_that_were_there_and_are_not_are_lost(check, ten):
    then = {"A": ten, "B": ten, "C": ten}
    now = {"A": [..., *ten[1:9], "timeout"], "B": ten[:8]}
    found = check(then, now)
    assert [str(each) for each in found.lost] == [
        "toy/A, split 0: missing",
        "toy/A, split 9: failed (timeout)",
        "toy/B, splits 8, 9: no longer part of the experiment",
        "toy/C, splits 0, 1, 2, 3, 4, 5, 6, 7, 8, 9: no longer part of the experiment",
    ]
    assert [each.planned for each in found.lost] == [True, True, False, False]
    assert [(each.verdict, each.pairs) for each in found.numbers] == [
        ("same", 8),
        ("same", 8),
        ("missing", 0),
    ]


def test_a_folder_without_any_rows_has_lost_all(check, ten):
    found = check({"A": ten}, {"A": [...] * 10})
    assert [str(each) for each in found.lost] == [
        "toy/A, splits 0, 1, 2, 3, 4, 5, 6, 7, 8, 9: missing"
    ]
    assert found.numbers[0].verdict == "missing"


def test_cells_that_failed_in_the_reference_are_not_asked_for(check, ten):
    found = check({"A": ["error", *ten[1:]]}, {"A": ["error", *ten[1:]]})
    assert (found.lost, found.numbers[0].verdict) == ((), "same")
    assert check({"A": ["error"]}, {"A": [0.5]}).numbers[0].verdict == "new"


def test_methods_that_the_reference_does_not_have_are_new(check, ten):
    found = check({"A": ten}, {"A": ten, "B": ten})
    assert [(each.method, each.verdict) for each in found.numbers] == [("A", "same"), ("B", "new")]


def test_it_says_what_changed_in_the_environment_and_in_the_identity(check, ten, elsewhere):
    found = check({"A": ten}, {"A": ten}, environment=elsewhere, code="2")
    (change,) = found.changes
    assert change.environment == (("numpy", "2.4.6", "2.5.0"),)
    assert change.identity == ()
    assert [name for name, *_ in change.code] == ["A"]


def test_code_of_another_revision_is_no_code_that_changed(check, ten):
    (change,) = check({"A": ten}, {"A": ten}, code="2", revision=2).changes
    assert [name for name, *_ in change.identity] == ["method.revision"]
    assert change.code == ()


def test_code_that_one_side_alone_has_did_not_change(check, ten):
    assert check({"A": ten}, {"A": ten}, code={"base of A": "2"}).changes == ()


def test_how_busy_the_machine_was_is_no_other_environment(check, ten, elsewhere):
    busy = {**HERE, "processor": "Xeon", "jobs": "2"}
    found = check({"A": ten}, {"A": [0.5, *ten[1:]]}, environment=busy)
    assert found.changes == ()
    assert found.numbers[0].why == "same key, same environment, other bits on split 0"


def test_another_experiment_is_refused(check, ten):
    with pytest.raises(StoreError, match="the reference is of 'trial'"):
        check({"A": ten}, {"A": ten}, name="other")
