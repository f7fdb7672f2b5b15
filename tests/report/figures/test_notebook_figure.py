from __future__ import annotations

from mlbench.report.figures.bars import bars_figure
from mlbench.report.figures.quantity import score_quantity
from mlbench.report.figures.style import drawn
from mlbench.report.settings import MetricColumn
from tests.report.figures.cases import results

F1 = score_quantity(MetricColumn("macro_f1", "Macro F1"))


def test_a_notebook_gets_a_png_of_twice_the_size_on_the_screen():
    figure = drawn(bars_figure(results(macro_f1={("e", "A"): [0.4, 0.6]}), F1, "t", ["e"], ["A"]))
    picture, shown = figure._repr_png_()
    width, height = (int.from_bytes(picture[place : place + 4], "big") for place in (16, 20))
    assert picture.startswith(b"\x89PNG")
    assert shown["width"] == int(6.9 * figure.dpi)
    assert abs(width - 2 * shown["width"]) <= 1
    assert abs(height - 2 * shown["height"]) <= 2
