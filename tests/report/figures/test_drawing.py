from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from matplotlib import rc_context

from mlbench.comparisons.settings import MetricColumn
from mlbench.config.comparison import Comparison
from mlbench.errors import MlbenchError
from mlbench.report.figures import Plot
from mlbench.report.figures.axis import Axis
from mlbench.report.figures.bars import bars_figure
from mlbench.report.figures.calibration import Calibration, Reliability
from mlbench.report.figures.critical_difference import critical_difference_figure
from mlbench.report.figures.differences import differences_figure
from mlbench.report.figures.drawing import _SETTINGS, WIDTHS, _draw_figure, draw, save, svg
from mlbench.report.figures.gap import Gap, History
from mlbench.report.figures.lines import lines_figure
from mlbench.report.figures.pareto import pareto_figure
from mlbench.report.figures.quantity import score_quantity, time_quantity
from mlbench.report.figures.style import make_logarithmic
from mlbench.report.figures.threshold import Cuts, ThresholdCurves
from mlbench.report.figures.tuning import tuning_figure
from mlbench.store import TuningRecord
from tests.report.figures.cases import results

DATASETS = ("emotions", "yahoo-reduced-arts[labels=5,rows=400]", "flags", "scene", "yeast")
METHODS = ("SMTL(l21+AUC) CV cut", "ML-kNN", "BR $C_1$ & <co>", "forest", "LSPC", "MTL-CLS(l21)")
TITLE = "An experiment of which much is to be said, so that its title takes more than one line"


def plots():
    """One of each kind, with names that are long and odd."""
    f1 = score_quantity(MetricColumn("macro_f1", "Macro F1"))
    of_rows = MetricColumn("macro_f1", "Macro average precision")
    of_rows = score_quantity(of_rows, ratios=dict.fromkeys(DATASETS, 0.5))
    asked = Comparison(method=METHODS[0]).resolved(METHODS)
    places = [(d, m) for d in range(5) for m in range(6)]
    names = {(d, m): (DATASETS[d], METHODS[m]) for d, m in places}
    found = results(
        n_splits=2,
        macro_f1={names[d, m]: [0.5 + d / 20 + (m - d) ** 2 / 99, 0.6] for d, m in places},
        seconds_fit={names[d, m]: [10.0 ** (m - 2), 2 * 10.0 ** (m - 2)] for d, m in places},
    )
    wide = results(n_splits=2, macro_f1={names[d, m]: [0.1 * d, 0.1 * m] for d, m in places})
    axis = Axis("tasks", "data sets", {"": {name: 2.0**i for i, name in enumerate(DATASETS)}})
    grid = [{"C": 10.0**i, "width": w} for i in range(-3, 4) for w in (1, 2, 4)]
    maps = TuningRecord("macro_f1", 0, grid, 20, [[i / 30] for i in range(21)])
    curve = replace(maps, grid=[{"C": 10.0**i} for i in range(-10, 11)])
    course = History("fw", (1, 10, 200), (9.0, 5.0, 4.0), (-9.0, 3.0, 3.9))
    where = (TITLE, DATASETS, METHODS)
    shares = (0.1, 0.5, 0.9), (0.2, 0.4, 0.9), (7, 7, 7)
    bins = tuple(Reliability(name, i, *shares) for i, name in enumerate(METHODS))
    over = Cuts(METHODS[0], (0.1, 0.4, 0.9), ((0.1, 0.7, 0.2), (0.3, 0.8, 0.1)), ((0.4, 0.7),), 0.7)
    return {
        "lines": lines_figure(found, f1, axis, *where),
        "times": lines_figure(found, time_quantity("fit"), axis, *where),
        "bars": bars_figure(wide, f1, *where),
        "dots": bars_figure(found, time_quantity("fit"), *where),
        "differences": differences_figure(wide, of_rows, *where, asked),
        "pareto": pareto_figure(found, f1, time_quantity("fit"), *where),
        "tuning": tuning_figure({"A": [maps], METHODS[0]: [curve]}, lambda _: f1, TITLE, "flags"),
        "critical-difference": critical_difference_figure(found, f1, *where),
        "calibration": Calibration(TITLE, "labels are", 3, 2, (("emotions", bins),), ("SVM",), ""),
        "threshold": ThresholdCurves(TITLE, "flags", "Macro F1", (over, over)),
        "gap": Gap(TITLE, "flags", 0, (course, course)),
    }


PLOTS = plots()
each_kind = pytest.mark.parametrize("kind", PLOTS)


@cache
def drawn(kind, width):
    with rc_context(_SETTINGS):
        figure = _draw_figure(PLOTS[kind], WIDTHS[width])
        figure.canvas.draw()
    return figure


@pytest.mark.slow
@each_kind
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_off_and_no_legend_covers_data(kind, width):
    figure = drawn(kind, width)
    page = figure.bbox
    assert figure.get_figwidth() == WIDTHS[width]
    for text in [*figure.texts, *(label for axes in figure.axes for label in axes.texts)]:
        box = text.get_window_extent()
        assert page.x0 - 1 <= box.x0, text
        assert box.x1 <= page.x1 + 1, text
        assert box.y1 <= page.y1 + 1, text
    for axes in figure.axes:
        box = axes.get_tightbbox()
        assert page.x0 - 1 <= box.x0
        assert box.x1 <= page.x1 + 1
        assert box.y0 >= page.y0 - 1
        for text in figure.texts:
            assert not text.get_window_extent().overlaps(axes.bbox)
        for legend in figure.legends:
            assert not legend.get_window_extent().overlaps(axes.get_tightbbox())


@pytest.mark.slow
@each_kind
def test_labels_of_ticks_do_not_run_into_each_other(kind):
    for axes in drawn(kind, "column").axes:
        boxes = [label.get_window_extent() for label in axes.get_xticklabels() if label.get_text()]
        low, high = axes.bbox.x0 - 1, axes.bbox.x1 + 1
        level = [b for b in boxes if low <= (b.x0 + b.x1) / 2 <= high and kind != "bars"]
        for a, b in pairwise(level):
            assert a.x1 <= b.x0


@pytest.mark.slow
@each_kind
def test_panels_have_their_axes_named(kind):
    if kind != "critical-difference":
        for axes in drawn(kind, "page").axes:
            assert axes.get_ylabel() or kind in ("dots", "differences")
            assert axes.get_xlabel() or kind in ("bars", "tuning")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "suffix"), [*((kind, ".svg") for kind in PLOTS), ("bars", ".png"), ("bars", ".pdf")]
)
def test_the_same_figure_is_the_same_file(kind, suffix, tmp_path):
    for name in ("one", "two"):
        save(PLOTS[kind], tmp_path / f"{name}{suffix}")
    one, two = (tmp_path / f"{name}{suffix}" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.slow
@each_kind
def test_an_element_for_a_page_is_well_formed_and_named(kind):
    root = ElementTree.fromstring(svg(PLOTS[kind]))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label") == PLOTS[kind].heading
    assert PLOTS[kind].heading.startswith(f"{TITLE}: ")


@pytest.mark.slow
def test_without_its_heading_a_figure_is_lower_and_says_the_rest():
    headed, bare = (
        ElementTree.fromstring(svg(PLOTS["bars"], headed=headed)) for headed in (True, False)
    )
    heights = [float(root.get("height").removesuffix("pt")) for root in (headed, bare)]
    assert heights[0] > heights[1] + 10


@each_kind
def test_splits_are_counted_under_the_title(kind):
    note = PLOTS[kind].note
    assert (
        "2 splits" in note or "2 common splits" in note or "1 split" in note or "1 search" in note
    )


@pytest.mark.slow
def test_characters_that_the_font_lacks_are_named_in_one_warning(tmp_path):
    plot = replace(PLOTS["gap"], title="\u6570\u636e")
    with pytest.warns(UserWarning, match="the font has no") as warned:
        save(plot, tmp_path / "gap.png")
    (warning,) = warned
    assert "no \u636e \u6570; names in the figure have boxes" in str(warning.message)


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(MlbenchError, match=r"end in \.svg, \.png, \.pdf"):
        save(PLOTS["bars"], tmp_path / "figure.jpg")


@dataclass(frozen=True)
class Plain(Plot):
    """A plot of one point."""

    note = "One."

    def lines(self):
        return ["1"]

    def draw(self, panels):
        panels[0].plot([1.0, 40.0], [2.0, 3.0])
        make_logarithmic(panels[0], "x")


def test_logarithmic_ticks_are_plain_numbers():
    with rc_context(_SETTINGS):
        figure = _draw_figure(Plain("t"), 3.3)
        figure.canvas.draw()
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert {"1", "10", "30"} <= set(labels)
    assert figure.legends == []


@pytest.mark.slow
def test_settings_that_matplotlib_has_read_elsewhere_change_nothing(tmp_path):
    save(PLOTS["bars"], tmp_path / "ours.svg")
    with rc_context({"text.usetex": True, "axes.facecolor": "red", "savefig.transparent": True}):
        save(PLOTS["bars"], tmp_path / "theirs.svg")
    assert (tmp_path / "ours.svg").read_bytes() == (tmp_path / "theirs.svg").read_bytes()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "mlbench.report.figures.drawing")
    with pytest.raises(MlbenchError, match=r"pip install 'mlbench-multilabel\[plot\]'"):
        import_module("mlbench.report.figures.drawing")


def test_a_notebook_gets_a_png_of_twice_the_size_on_the_screen():
    figure = draw(Plain("t"))
    picture, shown = figure._repr_png_()
    width, height = (int.from_bytes(picture[place : place + 4], "big") for place in (16, 20))
    assert picture.startswith(b"\x89PNG")
    assert shown["width"] == int(6.9 * figure.dpi)
    assert abs(width - 2 * shown["width"]) <= 1
    assert abs(height - 2 * shown["height"]) <= 2


def test_a_picture_cut_to_its_content_keeps_the_heading():
    figure = draw(Plain("t"))
    figure.draw_without_rendering()
    tight = figure.get_tightbbox()
    lines = [text.get_window_extent() for text in figure.texts]
    assert lines
    assert tight.y1 * figure.dpi >= max(line.y1 for line in lines)
    assert tight.x0 * figure.dpi <= min(line.x0 for line in lines)
