"""The table of times."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.report.tables.times import times_table
from mlbench.resources import bundled
from mlbench.results import open_results


@pytest.fixture(scope="module")
def old():
    """Results of a version that kept no CPU time."""
    return open_results(bundled("results") / "strong-baselines")


def titles(results):
    return [column.title for column in times_table(results).columns]


def test_cpu_time_has_a_column_where_rows_have_it(old):
    rows = {key: replace(row, seconds={**row.seconds, "cpu": 2.0}) for key, row in old.rows.items()}
    new = replace(old, rows=rows)
    assert "Whole cell, CPU" not in titles(old)
    assert titles(new) == [*titles(old)[:-1], "Whole cell, CPU", titles(old)[-1]]
    assert {record["seconds_cpu"] for record in times_table(new).records} == {2.0}
