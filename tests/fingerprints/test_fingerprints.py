"""The numbers are those of the file, or the revision of what yields them was raised.

``make fingerprints`` writes the file.
"""

from __future__ import annotations

import inspect

import pytest

from tests.fingerprints import record
from tests.fingerprints.cases import BASE_OF_PATHS, FIXED, GRIDS, SETTINGS
from tests.fingerprints.imports import METHODS, make_method
from tests.fingerprints.methods import IN_FULL, OF_LABEL_SPACE
from tests.fingerprints.subjects import NAMES, subject

RECORDED = record.load()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_numbers_are_those_of_the_file(name):
    complaint = record.complaint(subject(name), RECORDED.get(name))
    if complaint is not None:
        pytest.fail(complaint, pytrace=False)


def test_the_file_is_as_it_is_written_and_holds_nothing_else():
    assert sorted(RECORDED) == sorted(NAMES), f"run `{record.COMMAND}`"
    assert record.FILE.read_text() == record.dump(RECORDED), "the file is not to be edited by hand"


def test_nothing_is_planned_for_methods_that_there_are_not():
    assert SETTINGS.keys() == METHODS.keys()
    assert FIXED.keys() | GRIDS.keys() | BASE_OF_PATHS.keys() | OF_LABEL_SPACE <= METHODS.keys()


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_cases_on_all_forms_of_data_that_it_takes(name):
    model = make_method(name)
    forms = set()
    if not getattr(model, "needs_tasks", False):
        forms |= {"dense", "wide", "one class"}
        forms |= {"sparse", "narrow sparse"} if getattr(model, "accepts_sparse", True) else set()
    if "tasks" in inspect.signature(model.fit).parameters:
        forms |= {"tasks", "one class in a task"}
    cases = RECORDED[name]["cases"]
    for form in forms:
        assert _count(cases, form) >= 3, f"too few cases of {name}, {form}"
        if form in IN_FULL and hasattr(model, "fit_path"):
            assert _count(cases, f"path {form}") >= 3, f"too few points of a path of {name}, {form}"


def _count(cases, form):
    return sum(case.startswith(f"{form}:") for case in cases)
