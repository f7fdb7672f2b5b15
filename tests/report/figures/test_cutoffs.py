from __future__ import annotations

import pytest

from mlbench.comparisons.settings import report_settings
from mlbench.errors import MlbenchError
from mlbench.report.figures.cutoffs import families
from mlbench.report.figures.drawing import draw
from mlbench.report.figures.request import FigureRequest
from mlbench.results.results import Results
from tests.plans import make_plan
from tests.rows import make_row

METRICS = ["macro_f1", "precision_at_5", "precision_at_1", "top_10@all", "top_20@all", "top_10"]


def request(tmp_path, metrics=METRICS, metric=None, **experiment):
    """A request on one data set and two methods, of which B is half as good."""
    cells = [("e", "A", 0, "a" * 64), ("e", "B", 0, "b" * 64)]
    plan = make_plan({"e": {"use": "e"}}, ("A", "B"), 1, cells, metrics=metrics, **experiment)
    rows = {
        cell.key: make_row(
            key=cell.key,
            method=cell.method,
            metrics={
                name: i / (10 if cell.method == "A" else 20) for i, name in enumerate(metrics)
            },
        )
        for cell in plan.cells
    }
    return FigureRequest(Results(tmp_path, plan, rows), metric)


def test_metrics_that_differ_in_their_cutoff_alone_are_a_family():
    assert families(METRICS) == {
        "precision_at_N": {1: "precision_at_1", 5: "precision_at_5"},
        "top_N@all": {10: "top_10@all", 20: "top_20@all"},
    }


def test_a_line_for_each_method_goes_over_the_cutoffs(tmp_path):
    figure = request(tmp_path).plot("cutoffs")
    ((dataset, curves),) = figure.panels
    assert dataset == "e"
    assert [(curve.name, curve.x) for curve in curves] == [("A", (1, 5)), ("B", (1, 5))]
    assert [[point.mean for point in curve.y] for curve in curves] == [[20, 10], [10, 5]]
    assert figure.caption == "Precision at N (%) by N"


def test_the_metric_chooses_the_family(tmp_path):
    figure = request(tmp_path, metric="top_20@all").plot("cutoffs")
    assert [point.mean for point in figure.panels[0][1][0].y] == [30, 40]


def test_points_of_the_roc_curve_are_drawn_as_one(tmp_path):
    figure = request(tmp_path, [*METRICS[:1], "tpr_at_fpr_1", "tpr_at_fpr_50"]).plot("cutoffs")
    assert figure.caption == "True positive rate (%) by false positive rate (%)"
    (axes,) = draw(figure).axes
    assert axes.get_xscale() == "linear"


def test_metrics_that_the_tables_leave_out_are_draw(tmp_path):
    asked = request(tmp_path, report={"metrics": ["macro_f1"]})
    assert [metric.name for metric in report_settings(asked.folder).metrics] == ["macro_f1"]
    assert asked.plot("cutoffs").panels[0][1][0].x == (1, 5)


@pytest.mark.parametrize(
    ("metrics", "metric", "words"),
    [
        (["macro_f1", "top_10"], None, "no metric at two or more cut-offs"),
        (
            METRICS,
            "macro_f1",
            "macro_f1 has no other cut-off; metrics with several: precision_at_N, top_N@all",
        ),
    ],
)
def test_without_cutoffs_there_is_one_clear_error(tmp_path, metrics, metric, words):
    with pytest.raises(MlbenchError, match=words):
        request(tmp_path, metrics, metric).plot("cutoffs")
