"""Notes below the table of a comparison."""

from __future__ import annotations

import pytest

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.config.comparison import Comparison
from tests.report.experiment_tables import experiment_tables


@pytest.mark.parametrize(
    ("ratio", "note"),
    [
        (4.0, "No jackknife t-test on d: `mlbench rescore` makes it, from the predictions"),
        (0.5, "No jackknife t-test on d, whose test parts are at most 2 times as large"),
    ],
)
def test_why_there_is_no_jackknife_t_test_is_said(ratio, note):
    means = {"A": (0.7, 0.72, 0.75, 0.71), "B": (0.6, 0.65, 0.63, 0.6)}
    lines = [("d", name, i, "f", s) for name, each in means.items() for i, s in enumerate(each)]
    asked = Comparison(method="A", against=("B",), test=("jackknife_t",))
    metric = MetricColumn("f", "F1")
    settings = ReportSettings((metric,), 4, comparisons=(asked,), test_train_ratio={"d": ratio})
    table = experiment_tables(lines, (), settings)[-1]
    assert [column.group for column in table.columns if column.group] == ["corrected t-test"]
    assert any(each.startswith(note) for each in table.notes)
