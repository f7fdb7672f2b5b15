"""Parameters that an earlier run chose, in place of a search."""

from __future__ import annotations

import pytest

from mlbench.errors import MlbenchError
from mlbench.plan import ImpossiblePlan
from mlbench.plan.cells import NoChoice, without_parameters
from mlbench.plan.chosen_parameters import (
    NotChosenError,
    candidates_by_text,
    read_chosen_parameters,
)

HEAD = "dataset,method,split,param,value\n"


@pytest.fixture
def chosen(tmp_path):
    """Read a file of these lines."""

    def chosen(*lines):
        path = tmp_path / "params.csv"
        path.write_text(HEAD + "".join(f"{line}\n" for line in lines))
        return read_chosen_parameters(path)

    return chosen


def test_a_cell_takes_the_candidate_with_the_same_values(chosen):
    read = chosen("Scene,BR,0,C,0.1", "Scene,BR,0,loss,", "Scene,BR,1,C,10.0", "Scene,BR,1,loss,f1")
    grid = [{"C": C, "loss": loss} for C in (0.1, 10.0) for loss in (None, "f1")]
    candidates = candidates_by_text(grid)
    assert read.candidate(("Scene", "BR", 0), candidates, "macro_f1") == 0
    assert read.candidate(("Scene", "BR", 1), candidates, "macro_f1") == 3


def test_an_estimator_in_the_grid_is_found_whatever_the_order_of_its_parameters(chosen):
    first = {"use": "svc", "max_iter": 9, "C": 2}
    candidates = candidates_by_text([{"base": {**first, "C": 1}}, {"base": first}])
    read = chosen("""Scene,BR,0,base,"{'C': 2, 'max_iter': 9, 'use': 'svc'}\"""")
    assert read.candidate(("Scene", "BR", 0), candidates, "macro_f1") == 1


def test_candidates_that_a_file_cannot_tell_apart_are_refused():
    assert len(candidates_by_text([{"C": 1}, {"C": 1}])) == 1
    assert len(candidates_by_text([{"C": 1}, {"C": "1"}])) == 2
    with pytest.raises(NotChosenError, match=r"two candidates that a file states as C \{'a': 1\}"):
        candidates_by_text([{"C": {"a": 1}}, {"C": "{'a': 1}"}])


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (("Scene", "BR", 1), "params.csv has no parameters of Scene/BR/1"),
        (("Scene", "BR", 0), "params.csv:2: Scene/BR/0: the grid has no candidate with C 0.1"),
    ],
)
def test_a_cell_without_a_candidate_is_refused(chosen, place, told):
    candidates = candidates_by_text([{"C": 1}, {"C": 0.1, "loss": "f1"}])
    with pytest.raises(NotChosenError) as error:
        chosen("Scene,BR,0,C,0.1").candidate(place, candidates, "macro_f1")
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Scene,BR,0,C", "params.csv:3: 4 fields instead of 5"),
        ("Scene,BR,one,C,1", "params.csv:3: a split is a whole number from 0; got 'one'"),
        ("Scene,BR,00,C,1", "params.csv:3: a split is a whole number from 0; got '00'"),
        (f"Scene,BR,{'9' * 5000},C,1", "params.csv:3: a split is a whole number from 0; got '999"),
        ("Scene,BR,0,C,2", "params.csv:3: Scene/BR/0: C has two values"),
        ('Scene,BR,0,"C,2', "params.csv:3: unexpected end of data"),
    ],
)
def test_a_damaged_line_is_named(chosen, line, told):
    with pytest.raises(MlbenchError) as error:
        chosen("Scene,BR,0,C,1", line)
    assert told in str(error.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"", ":1: the columns must be dataset,method,split,param,value"),
        (b"dataset,method\n", ":1: the columns must be dataset,method,split,param,value"),
        (b"\xff\xfe", "not a text file in UTF-8"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, content, told):
    path = tmp_path / "params.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(MlbenchError) as error:
        read_chosen_parameters(path)
    assert str(error.value).startswith(str(path))
    assert told in str(error.value)


def test_a_file_that_was_cut_short_is_refused(tmp_path):
    path = tmp_path / "params.csv"
    path.write_text("dataset,method,split,param,value\nScene,BR,0,C,1")
    with pytest.raises(MlbenchError, match=r"params\.csv:2: the file was cut short"):
        read_chosen_parameters(path)


LINES = [f"{name},BR,{split},C,0.1" for name in ("emotions", "digits") for split in (0, 1)]


def test_a_plan_with_chosen_parameters_has_no_search(chosen, plan):
    cells = plan(chosen=chosen(*LINES)).cells
    assert {cell.tuning for cell in cells} == {None}
    assert [cell.chosen.point for cell in cells if cell.method == "BR"] == [{"C": 0.1}] * 4
    assert {cell.folds for cell in cells} == {None}
    searching = plan().cells
    for cell, other in zip(cells, searching, strict=True):
        assert (cell.key == other.key) == (cell.method == "ML-kNN")  # which is not tuned


def test_what_was_chosen_is_part_of_the_key(chosen, plan):
    others = [*LINES[:-1], "digits,BR,1,C,1.0"]
    first, second = (plan(chosen=chosen(*lines)).cells for lines in (LINES, others))
    differing = [a.name for a, b in zip(first, second, strict=True) if a.key != b.key]
    assert differing == ["digits/BR/1"]


def test_thresholds_on_held_out_rows_keep_the_folds(chosen, plan):
    protocol = {"threshold": "cv_f1_label", "splits": {"repeats": 2}}
    cells = plan(chosen=chosen(*LINES), protocol=protocol).cells
    assert {cell.folds for cell in cells} == {5}


def test_a_cell_that_lacks_parameters_is_planned_to_fail(chosen, plan):
    cells = plan(chosen=chosen(*LINES[:-1], "digits,BR,1,C,7")).cells
    (failing,) = [cell for cell in cells if isinstance(cell.chosen, NoChoice)]
    assert failing.name == "digits/BR/1"
    assert failing.chosen.reason.endswith("digits/BR/1: the grid has no candidate with C 7")
    assert failing.key not in {cell.key for cell in plan(chosen=chosen(*LINES)).cells}
    cells = plan(chosen=chosen(*LINES[:2])).cells
    assert without_parameters(cells).endswith("has no parameters of digits/BR/0 (and 1 more)")


def test_a_file_without_parameters_of_any_cell_makes_a_plan_impossible(chosen, plan):
    with pytest.raises(ImpossiblePlan) as error:
        plan(chosen=chosen("other,BR,0,C,1"))
    ((key, told),) = error.value.problems
    assert key == ("protocol", "tuning", "params")
    assert told.endswith("has no parameters of emotions/BR/0 (and 3 more)")
