"""Bayesian tests over data sets, as tables."""

from __future__ import annotations

import pytest

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.config.comparison import Comparison
from mlbench.statistics import bayesian_sign, bayesian_signed_rank
from tests.report.experiment_tables import experiment_tables

F1 = MetricColumn("f", "F1")
LOSS = MetricColumn("f", "Loss", greater_is_better=False)
OWN = (0.70, 0.71, 0.72, 0.73, 0.74, 0.75, 0.76)
FAR = tuple(x - 0.3 - i / 100 for i, x in enumerate(OWN))
NEAR = (0.705, 0.69, 0.73, 0.70, 0.745, 0.75, 0.75)


def tables(methods, metric=F1, tests=("bayesian_signed_rank", "bayesian_sign"), rope=0.01):
    lines = [
        (f"d{i}", method, 0, "f", mean) for method, means in methods.items() for i, mean in means
    ]
    asked = Comparison(
        method="A", against=tuple(methods)[1:], over_datasets=tests, rope=rope, alpha=0.1
    )
    return experiment_tables(lines, (), ReportSettings((metric,), 1, comparisons=(asked,)))


def scores(means):
    return list(enumerate(means))


def test_each_test_has_a_table_of_its_probabilities():
    *_, ranks, signs = tables({"A": scores(OWN), "far": scores(FAR), "near": scores(NEAR)})
    assert ranks.title == "A against the others over data sets: Bayesian signed-rank test"
    for table, test in ((ranks, bayesian_signed_rank), (signs, bayesian_sign)):
        for record, other in zip(table.records, (FAR, NEAR), strict=True):
            found = test(OWN, other, 0.01)
            assert record["p_better"] == found.higher
            assert record["p_same"] == found.same
            probabilities = (found.higher, found.same, found.lower)
            row = next(row for row in table.rows if row.labels == (record["against"],))
            assert [cell.printed for cell in row.cells] == [f"{p:.3f}" for p in probabilities]
            assert [cell.bold for cell in row.cells] == [p > 0.9 for p in probabilities]


def test_where_less_is_better_the_sides_change():
    (up,), (down,) = (
        tables({"A": scores(OWN), "far": scores(FAR)}, metric, ["bayesian_sign"])[-1].records
        for metric in (F1, LOSS)
    )
    assert (down["p_better"], down["p_worse"]) == (up["p_worse"], up["p_better"])


@pytest.mark.filterwarnings("error")
def test_data_sets_without_both_scores_are_left_out_and_one_alone_is_too_few():
    table = tables({"A": scores(OWN), "far": scores(FAR)[:1]}, tests=["bayesian_sign"])[-1]
    assert [cell.printed for cell in table.rows[0].cells] == ["—"] * 3
    assert any("fewer than 2 pairs" in note for note in table.notes)
    assert any("Left out, because no split has a score of both: d1" in n for n in table.notes)
