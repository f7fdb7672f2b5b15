"""Choosing tables by their names."""

from __future__ import annotations

import pytest

from mlbench.errors import MlbenchError
from mlbench.report.selection import Selection
from mlbench.report.tables.table import Table

TABLES = [
    Table(name, name, (), (), ()) for name in ("scores-macro_f1", "scores-micro_f1", "wins-lspc")
]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ([], ["scores-macro_f1", "scores-micro_f1", "wins-lspc"]),
        (["scores-micro_f1"], ["scores-micro_f1"]),
        (["scores"], ["scores-macro_f1", "scores-micro_f1"]),
        (["wins-lspc", "scores-macro_f1"], ["scores-macro_f1", "wins-lspc"]),
    ],
)
def test_a_name_or_its_beginning_chooses(wanted, found):
    assert [table.name for table in Selection(tables=tuple(wanted)).of(TABLES)] == found


def test_the_table_of_a_metric_may_be_that_of_all():
    one = [Table("scores", "scores", (), (), ()), TABLES[-1]]
    with pytest.raises(MlbenchError, match="here one table, 'scores', has all metrics"):
        Selection(tables=("scores-macro_f1",)).of(one)


def test_a_wrong_name_lists_all():
    with pytest.raises(MlbenchError) as caught:
        Selection(tables=("score",)).of(TABLES)
    told = str(caught.value)
    assert told.startswith("there is no table 'score' (did you mean 'scores'?); known: scores-mac")
    assert "wins-lspc" in told


@pytest.mark.parametrize("name", ["verdict", "threats"])
def test_why_a_usual_table_is_not_there(name):
    with pytest.raises(MlbenchError, match="nothing is compared: that takes two methods"):
        Selection(tables=(name,)).of([Table("scores", "", (), (), ())])
