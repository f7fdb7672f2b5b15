from __future__ import annotations

import math

import pytest
from matplotlib.figure import Figure

from mlbench.errors import MlbenchError
from mlbench.report.figures.gap import gap_figure
from tests.rows import make_row

HISTORY = {"iteration": [1, 2, 3], "objective": [9.0, 5.0, 4.0], "bound": [-90.0, 3.0, 2.0]}
ROWS = {
    "a": make_row(fit=None),
    "b": make_row(fit={"gap": 0.25, "history": HISTORY}),
    "c": make_row(fit={"history": {**HISTORY, "objective": [8.0, 8.0, 8.0]}}),
    "d": make_row(fit={"gap": 0.1}),
}
CELLS = [("e", "A", 0, "a"), ("e", "A", 1, "b"), ("e", "A", 2, "c"), ("e", "B", 1, "d")]


def test_the_first_split_with_a_history_is_drawn():
    figure = gap_figure(CELLS, ROWS, "t", "e", ["A", "B"])
    assert (figure.split, [each.method for each in figure.panels]) == (1, ["A"])
    assert figure.panels[0].gap == (4.0 - 3.0) / 4.0
    assert figure.lines() == [
        "A\titeration=1\tobjective 9\tbound -90",
        "A\titeration=2\tobjective 5\tbound 3",
        "A\titeration=3\tobjective 4\tbound 2",
        "A\trelative gap 0.25",
    ]
    assert "1 split (number 1)" in figure.note


def test_a_bound_far_below_does_not_press_the_rest_together():
    axes = Figure().subplots()
    figure = gap_figure(CELLS, ROWS, "t", "e", ["A"])
    figure.draw([axes])
    low, high = axes.get_ylim()
    assert -90 < low < 2
    assert 9 < high < 12


@pytest.mark.parametrize(("dataset", "methods"), [("f", ["A"]), ("e", ["B"])])
def test_no_history_is_said_with_what_keeps_one(dataset, methods):
    with pytest.raises(MlbenchError, match=r"no fit on .* has a history.*solver: fw"):
        gap_figure(CELLS, ROWS, "t", dataset, methods)


@pytest.mark.parametrize(
    "history",
    [
        3,
        {},
        {**HISTORY, "bound": None},
        {**HISTORY, "bound": [1.0]},
        {**HISTORY, "iteration": ["a", "b", "c"]},
        {"iteration": [], "objective": [], "bound": []},
    ],
)
def test_a_history_of_another_form_is_none(history):
    rows = {**ROWS, "b": make_row(fit={"history": history})}
    assert gap_figure(CELLS, rows, "t", "e", ["A"]).split == 2


def test_the_bound_that_is_drawn_is_the_best_so_far_and_is_not_cut():
    axes = Figure().subplots()
    gap_figure(CELLS, ROWS, "t", "e", ["A"]).draw([axes])
    bound = axes.lines[1].get_ydata()
    assert math.isnan(bound[0])
    assert list(bound[1:]) == [3.0, 3.0]
    assert min(bound[1:]) > axes.get_ylim()[0]
