from __future__ import annotations

from itertools import pairwise

from matplotlib.figure import Figure

from mlbench.report import MetricColumn
from mlbench.report.figures.bars import bars_figure
from mlbench.report.figures.quantity import score_quantity
from tests.report.figures.cases import results

F1 = score_quantity(MetricColumn("macro_f1", "Macro F1"))
FOUND = results(macro_f1={("e", "A"): [0.4, 0.6], ("e", "B"): [0.3, 0.5], ("f", "A"): [0.5, 0.5]})


def test_a_group_for_each_data_set_and_a_bar_for_each_method():
    figure = bars_figure(FOUND, F1, "t", ["e", "f"], ["A", "B"])
    means = [[each and each.mean for each in row] for row in figure.heights]
    assert means == [[50.0, 50.0], [40.0, None]]
    assert figure.lines()[1:] == [
        "f\tA\t50\t50 to 50\t2 splits",
        "e\tB\t40\t-87.062 to 167.06\t2 splits",
        "f\tB\tno value",
    ]


def test_bars_begin_at_zero_and_do_not_overlap():
    axes = Figure().subplots()
    bars_figure(FOUND, F1, "t", ["e", "f"], ["A", "B"]).draw([axes])
    boxes = sorted((bar.get_x(), bar.get_width(), bar.get_y()) for bar in axes.patches)
    assert {y for *_, y in boxes} == {0.0}
    assert axes.get_ylim()[0] == 0.0
    for (x, width, _), (after, *_) in pairwise(boxes):
        assert x + width <= after + 1e-9
