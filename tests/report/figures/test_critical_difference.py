from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import rankdata, studentized_range

from mlbench.comparisons.settings import MetricColumn
from mlbench.errors import MlbenchError
from mlbench.report.figures.critical_difference import critical_difference_figure
from mlbench.report.figures.drawing import WIDTHS, _draw_figure
from mlbench.report.figures.quantity import score_quantity
from tests.report.figures.cases import results

F1 = score_quantity(MetricColumn("macro_f1", "Macro F1"))
DATASETS, METHODS = [f"d{i}" for i in range(8)], ["A", "B", "C", "D"]
TABLE = np.array([[0.9 - 0.1 * m + 0.01 * ((3 * d + m) % 5) for m in range(4)] for d in range(8)])
FOUND = results(
    n_splits=2,
    macro_f1={
        (dataset, method): [TABLE[d, m] - 0.01, TABLE[d, m] + 0.01]
        for d, dataset in enumerate(DATASETS)
        for m, method in enumerate(METHODS)
    },
)


def test_mean_ranks_are_scipys_and_the_difference_is_nemenyis():
    figure = critical_difference_figure(FOUND, F1, "t", DATASETS, METHODS)
    assert figure.test.mean_ranks == pytest.approx(rankdata(-TABLE, axis=1).mean(axis=0))
    difference = studentized_range.ppf(0.95, 4, np.inf) / np.sqrt(2) * np.sqrt(4 * 5 / (6 * 8))
    assert figure.test.critical_difference == pytest.approx(difference)
    assert figure.lines()[:2] == ["A\tmean rank 1", "B\tmean rank 2"]
    assert figure.note.startswith("Mean ranks by Macro F1 (means over 2 splits) on 8 data sets;")


def test_the_level_is_stated():
    figure = critical_difference_figure(FOUND, F1, "t", DATASETS, METHODS, alpha=0.01)
    difference = studentized_range.ppf(0.99, 4, np.inf) / np.sqrt(2) * np.sqrt(4 * 5 / (6 * 8))
    assert figure.test.critical_difference == pytest.approx(difference)
    assert "(Nemenyi, 0.01)" in figure.note


def test_bars_join_exactly_the_methods_that_do_not_differ():
    from matplotlib.figure import Figure

    figure = critical_difference_figure(FOUND, F1, "t", DATASETS, METHODS)
    axes = Figure(figsize=(3.3, 2)).subplots()
    figure.draw([axes])
    thick = [line.get_xdata() for line in axes.lines if line.get_linewidth() > 2]
    ranks = figure.test.mean_ranks
    joined = [tuple(i for i in figure.order if low < ranks[i] < high) for low, high in thick]
    assert joined == list(figure.test.cliques)
    assert joined


def test_two_data_sets_are_ranked_but_not_tested():
    figure = critical_difference_figure(FOUND, F1, "t", DATASETS[:2], METHODS)
    assert "No test: fewer than 3 data sets" in figure.note
    assert figure.lines()[0].startswith("A\tmean rank")
    assert figure.lines()[-1] == "no test\tfewer than 3 data sets with every score"


def test_a_method_without_scores_is_left_out_and_named():
    figure = critical_difference_figure(FOUND, F1, "t", DATASETS, [*METHODS, "E"])
    without = critical_difference_figure(FOUND, F1, "t", DATASETS, METHODS)
    assert figure.lines() == without.lines()
    assert "Left out: E." in figure.note


def test_no_common_data_set_is_said():
    with pytest.raises(MlbenchError, match="no data set on which every method"):
        critical_difference_figure(FOUND, F1, "t", DATASETS, ["E", "F"])
    apart = results(n_splits=1, macro_f1={("d0", "A"): [0.1], ("d1", "B"): [0.2]})
    with pytest.raises(MlbenchError, match="no data set on which every method"):
        critical_difference_figure(apart, F1, "t", DATASETS[:2], METHODS[:2])


@pytest.mark.parametrize("width", WIDTHS.values())
def test_long_names_leave_room_for_the_axis(width):
    methods = ["Ensemble of 50 classifier chains, threshold cut", "ML-kNN", "C", "D"]
    values = {
        (d, n): FOUND.scores(d, m, "macro_f1")
        for d in DATASETS
        for m, n in zip(METHODS, methods, strict=True)
    }
    found = results(
        n_splits=2, macro_f1={place: [*each.values()] for place, each in values.items()}
    )
    figure = _draw_figure(critical_difference_figure(found, F1, "t", DATASETS, methods), width)
    figure.canvas.draw()
    (axes,) = figure.axes
    axis = axes.lines[0].get_window_extent()
    assert axis.width > 0.2 * figure.bbox.width
    for text in axes.texts:
        box = text.get_window_extent()
        assert figure.bbox.x0 - 1 <= box.x0
        assert box.x1 <= figure.bbox.x1 + 1
    name = next(text for text in axes.texts if text.get_text().startswith("Ensemble"))
    assert "…" not in name.get_text()
    shown = {text.get_text().strip() for text in axes.texts}
    assert shown >= {"1.00", "2.00", "3.00", "4.00"}
    ticks = [t.get_window_extent() for t in axes.texts if t.get_text() in ("1", "2", "3", "4")]
    assert all(a.x1 < b.x0 for a, b in pairwise(ticks))
