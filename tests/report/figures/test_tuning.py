from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from mlbench.comparisons.settings import MetricColumn
from mlbench.errors import MlbenchError
from mlbench.report.figures.quantity import score_quantity
from mlbench.report.figures.tuning import scale_of, searches_of, tuning_figure
from mlbench.store import TuningRecord
from tests.rows import make_row


def quantity(name):
    better = name != "hamming_loss"
    return score_quantity(MetricColumn(name, name, better), percent=False)


def search(grid, scores, best, metric="macro_f1"):
    return TuningRecord(metric=metric, split=0, grid=grid, scores=scores, best=best)


CURVE = [{"C": 1}, {"C": 0.1}, {"C": 10}]


def test_a_curve_goes_through_the_values_in_order_with_the_mean_over_folds():
    found = [
        search(CURVE, [[0.6, 0.8], [0.5, None], [None, None]], best=0),
        search(CURVE, [[0.5, 0.7], [0.7, 0.7], [0.1, 0.3]], best=1),
    ]
    (panel,) = tuning_figure({"SVM": found}, quantity, "t", "e").panels
    assert (panel.parameters, panel.values) == (("C",), ((0.1, 1.0, 10.0),))
    assert np.array(panel.scores) == pytest.approx(
        np.array([[0.5, 0.7, np.nan], [0.7, 0.6, 0.2]]), nan_ok=True
    )
    assert panel.mean == pytest.approx([0.6, 0.65, np.nan], nan_ok=True), "one did not come there"
    assert panel.chosen == ((1,), (0,))


def test_what_is_drawn_is_printed():
    scores = [[0.6, 0.8], [0.5, 0.5], [None, None]]
    figure = tuning_figure({"SVM": [search(CURVE, scores, 0)]}, quantity, "t", "e")
    assert figure.lines() == [
        "e\tSVM\tC=0.1\t0.5",
        "e\tSVM\tC=1\t0.7\tchosen 1 of 1",
        "e\tSVM\tC=10\tno score",
    ]
    assert figure.note == "e; mean over the folds of 1 search. Dot or cross: chosen."
    further = [[0.6, 0.8], [0.5, 0.5], [0.1, 0.3]]
    searches = [search(CURVE, scores, 0), search(CURVE, further, 0)]
    both = tuning_figure({"SVM": searches}, quantity, "t", "e")
    assert both.lines()[2] == "e\tSVM\tC=10\treached by 1 of 2"


def test_values_that_are_no_numbers_are_written_as_in_python():
    weights = {"use": "dict", "items": [[0, 1], [1, 2]]}
    layers = {"use": "tuple", "items": [8, 2]}
    grid = [{"x": value} for value in (weights, layers, [8], None, "a")]
    figure = tuning_figure({"M": [search(grid, [[0.5]] * 5, 0)]}, quantity, "t", "e")
    shown = [line.split("\t")[2] for line in figure.lines()]
    assert shown == ["x={0: 1, 1: 2}", "x=(8, 2)", "x=[8]", "x=null", "x=a"]


@pytest.mark.parametrize(("metric", "best_of"), [("macro_f1", max), ("hamming_loss", min)])
def test_the_two_longest_parameters_make_a_map_of_the_best_over_the_others(metric, best_of):
    rng = np.random.default_rng(0)
    axes = {"width": [1, 2], "lam": [0.1, 1, 10], "gamma": [0, 1, 2, 3]}
    grid = [dict(zip(axes, point, strict=True)) for point in product(*axes.values())]
    scores = rng.random((24, 3))
    chosen = int(scores.mean(axis=1).argmax())
    found = search(grid, scores.tolist(), chosen, metric)
    (panel,) = tuning_figure({"M": [found]}, quantity, "t", "e").panels
    assert (panel.parameters, panel.others) == (("lam", "gamma"), ("width",))
    for i, lam in enumerate(axes["lam"]):
        for j, gamma in enumerate(axes["gamma"]):
            same = [p["lam"] == lam and p["gamma"] == gamma for p in grid]
            assert panel.mean[i, j] == pytest.approx(best_of(scores[same].mean(axis=1)))
    at = panel.chosen[0]
    assert (axes["lam"][at[0]], axes["gamma"][at[1]]) == (
        grid[chosen]["lam"],
        grid[chosen]["gamma"],
    )


def test_values_that_are_no_numbers_stand_in_the_order_of_the_grid():
    grid = [{"depth": depth} for depth in (8, 2, None)]
    (panel,) = tuning_figure(
        {"Tree": [search(grid, [[0.1], [0.2], [0.3]], 2)]}, quantity, "t", "e"
    ).panels
    assert panel.values == ((8.0, 2.0, "null"),)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ((0.001, 0.01, 0.1, 1), "log"),
        ((5, 10, 20), "log"),
        ((1, 2, 3, 4), "linear"),
        ((0.1, 0.2, 0.3, 0.5), "log"),
        ((0, 0.1, 0.2, 0.3, 0.4), "linear"),
        ((0, 0.01, 0.1, 1), "even"),
        ((-1, 1, 10, 100), "linear"),
        ((2, "null"), "even"),
        ((3, 7), "linear"),
    ],
)
def test_axes_follow_the_grid(values, scale):
    assert scale_of(values) == scale


def test_a_search_that_cells_share_is_shown_once():
    def row(threshold, split):
        identity = {
            "tuning": {"scope": "first-split"},
            "threshold": threshold,
            "split": {"index": split},
        }
        return make_row(identity=identity, tuning={"grid": CURVE})

    rows = {"a": row("default", 0), "b": row("default", 1), "c": row("train_f1_label", 0)}
    cells = [("e", "SVM", 0, "a"), ("e", "SVM", 1, "b"), ("e", "SVM cut", 0, "c")]
    found = searches_of(cells, rows, "e", ["SVM", "SVM cut"])
    assert {method: len(each) for method, each in found.items()} == {"SVM": 1}
    assert list(searches_of(cells, rows, "e", ["SVM cut"])) == ["SVM cut"]


@pytest.mark.parametrize("found", [{}, {"A": [search([{"C": 1}], [[0.5]], 0)]}])
def test_nothing_tuned_is_said(found):
    with pytest.raises(MlbenchError, match="no method has been tuned on 'e' yet"):
        tuning_figure(found, quantity, "t", "e")
