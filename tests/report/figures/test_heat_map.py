from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from mlbench.comparisons.settings import MetricColumn
from mlbench.errors import MlbenchError
from mlbench.report.figures.drawing import draw
from mlbench.report.figures.heat_map import heat_map_figure
from mlbench.report.figures.quantity import score_quantity
from tests.report.figures.cases import results

F1 = score_quantity(MetricColumn("macro_f1", "Macro F1"))
LOSS = score_quantity(MetricColumn("hamming_loss", "Hamming loss", greater_is_better=False))
MEANS = {("e", "A"): [0.4, 0.6], ("e", "B"): [0.7, 0.7], ("f", "A"): [0.5, 0.5]}


def shown(metric=F1, means=MEANS, datasets=("e", "f"), methods=("A", "B", "C")):
    return heat_map_figure(results(**{metric.name: means}), metric, "t", datasets, methods)


def test_rows_stand_by_their_mean_ranks_where_a_missing_value_is_last():
    figure = shown()
    # e: B 1, A 2, C 3; f: A 1, B and C share 2 and 3
    assert figure.methods == ("A", "B", "C")
    np.testing.assert_allclose(figure.behind, [[20, 0], [0, np.nan], [np.nan, np.nan]])
    assert figure.lines()[-1] == "f\tC\tno value"
    assert "3 values missing" in figure.note


def test_of_a_loss_the_smallest_is_the_best():
    figure = shown(LOSS)
    assert figure.methods == ("A", "B", "C")
    np.testing.assert_allclose(figure.behind[0], [0, 0])
    np.testing.assert_allclose(figure.behind[1], [20, np.nan])


def test_a_data_set_without_any_value_has_no_column():
    assert shown(datasets=("e", "g")).datasets == ("e",)
    with pytest.raises(MlbenchError, match="no value of 'hamming_loss'"):
        heat_map_figure(results(macro_f1=MEANS), LOSS, "t", ["e"], ["A"])


def test_each_cell_has_its_number_or_a_dash():
    figure = shown()
    axes = Figure().subplots()
    figure.draw([axes])
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["50", "50", "70", "–", "–", "–"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["A", "B", "C"]
    assert axes.yaxis_inverted()


@pytest.mark.parametrize("width", ["column", "page"])
def test_the_scale_has_room_for_its_label_with_two_methods(width):
    figure = draw(shown(methods=("A", "B")), width)
    figure.canvas.draw()
    (label,) = [axes.xaxis.label for axes in figure.axes if "behind the best" in axes.get_xlabel()]
    box = label.get_window_extent()
    assert 0 <= box.x0 < box.x1 <= figure.bbox.x1
    assert box.y0 >= 0
