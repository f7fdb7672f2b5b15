from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.errors import StoreError
from mlbench.results.cells_file import parse_cells
from mlbench.results.scores import MISSING

HEAD = "dataset,method,split,status,message,warnings,finished,unconverged,stopped,labels\n"


def only(line):
    (outcome,) = parse_cells(Path("cells.csv"), HEAD + line + "\n").values()
    return outcome


def test_a_cell_that_is_ok():
    outcome = only('toy,BR,0,ok,,"[""slow""]",2026-01-02,"[1, 30]",,6')
    assert (outcome.status, outcome.message, outcome.finished) == ("ok", "", "2026-01-02")
    assert outcome.warnings == ["slow"]
    assert outcome.counts == {"labels": 6}
    assert outcome.tuning.not_converged.fits == 1
    assert outcome.tuning.stopped is None
    assert outcome.search is None


def test_a_cell_that_failed():
    outcome = only("toy,BR,0,timeout,over 60 s,,,,,")
    assert (outcome.status, outcome.message, outcome.counts) == ("timeout", "over 60 s", {})
    assert outcome.tuning is None


def test_a_cell_that_has_not_run():
    assert only(f"toy,BR,0,{MISSING},,,,,,").status == MISSING


def test_how_a_search_ended_may_be_unknown():
    assert only("toy,BR,0,ok,,,,null,,").tuning is None
    assert only("toy,BR,0,ok,,,,,,").tuning is not None


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("toy,BR,0,ok", "cells.csv:2: 4 fields instead of 10"),
        ("toy,BR,x,ok,,,,,,", "cells.csv:2: the split must be a number from 0, not 'x'"),
        ("toy,BR,0,ok,,,,,,-1", "cells.csv:2: labels must be a number from 0, not '-1'"),
    ],
)
def test_a_damaged_line_is_named(line, told):
    with pytest.raises(StoreError, match=told):
        only(line)
