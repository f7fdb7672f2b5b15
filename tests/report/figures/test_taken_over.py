"""Methods that ran here, beside those that were taken over."""

from __future__ import annotations

import pytest

from mlbench.comparisons.settings import MetricColumn
from mlbench.report.figures.critical_difference import critical_difference_figure
from mlbench.report.figures.drawing import WIDTHS, _draw_figure
from mlbench.report.figures.quantity import score_quantity
from mlbench.report.figures.taken_over import with_marks
from mlbench.report.tables.origin import Marks
from tests.report.figures.cases import results

SCORES = {(f"d{i}", method): [0.1 * i, 0.2] for i in range(3) for method in ("mine", "theirs")}


def test_the_names_of_ones_own_methods_are_bold():
    text = pytest.importorskip("matplotlib.text")
    f1 = score_quantity(MetricColumn("macro_f1", "Macro F1"))
    found = results(n_splits=2, macro_f1=SCORES)
    plain = critical_difference_figure(found, f1, "t", ["d0", "d1", "d2"], ["mine", "theirs"])
    marked = with_marks(plain, Marks({"mine": None, "theirs": "arena"}, ("° Taken over.",)))
    figure = _draw_figure(marked, WIDTHS["column"])
    weights = {each.get_text(): each.get_fontweight() for each in figure.findobj(text.Text)}
    assert (weights["mine"], weights["theirs°"]) == ("bold", "normal")
