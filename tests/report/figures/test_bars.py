from __future__ import annotations

from itertools import pairwise

import pytest
from matplotlib.figure import Figure

from mlbench.comparisons.settings import MetricColumn
from mlbench.report.figures.bars import bars_figure
from mlbench.report.figures.quantity import score_quantity, time_quantity
from tests.report.figures.cases import results

F1 = score_quantity(MetricColumn("macro_f1", "Macro F1"))
FOUND = results(macro_f1={("e", "A"): [0.4, 0.6], ("e", "B"): [0.3, 0.5], ("f", "A"): [0.5, 0.5]})


def drawn(figure):
    axes = Figure().subplots()
    figure.draw([axes])
    return axes


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
    found = results(macro_f1={("e", "A"): [0.4, 0.6], ("f", "A"): [0.9, 0.7], ("e", "B"): [0.1]})
    axes = drawn(bars_figure(found, F1, "t", ["e", "f"], ["A", "B"]))
    boxes = sorted((bar.get_x(), bar.get_width(), bar.get_y()) for bar in axes.patches)
    assert {y for *_, y in boxes} == {0.0}
    assert axes.get_ylim()[0] == 0.0
    for (x, width, _), (after, *_) in pairwise(boxes):
        assert x + width <= after + 1e-9


def test_times_and_scores_that_are_alike_are_dots():
    close = results(macro_f1={("e", "A"): [0.99, 0.98], ("e", "B"): [0.97, 0.96]})
    axes = drawn(bars_figure(close, F1, "t", ["e"], ["A", "B"]))
    assert not axes.patches
    assert axes.get_xlim()[0] > 50
    times = results(seconds_fit={("e", "A"): [1.0, 2.0], ("e", "B"): [100.0, 200.0]})
    axes = drawn(bars_figure(times, time_quantity("fit"), "t", ["e"], ["A", "B"]))
    assert not axes.patches
    assert axes.get_xscale() == "log"


def test_very_many_values_are_dots_in_the_order_of_the_methods():
    datasets, methods = [f"d{i}" for i in range(6)], [f"m{i}" for i in range(8)]
    values = {(d, m): [0.1 * (i + 1)] * 2 for d in datasets for i, m in enumerate(methods)}
    figure = bars_figure(results(macro_f1=values), F1, "t", datasets, methods)
    assert figure.dotted
    axes = drawn(figure)
    dots = [container.lines[0] for container in axes.containers]
    heights = [line.get_ydata()[0] for line in dots]
    assert heights == sorted(heights)
    assert [line.get_xdata()[0] for line in dots] == pytest.approx([10, 20, 30, 40, 50, 60, 70, 80])
    assert axes.yaxis_inverted()
    assert [label.get_text() for label in axes.get_yticklabels()] == datasets
