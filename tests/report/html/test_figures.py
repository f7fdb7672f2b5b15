from __future__ import annotations

import re

import pytest

from mlbench.comparisons.settings import report_settings
from mlbench.report.html.figures import drawings, inlined, wanted_figures

pytest.importorskip("matplotlib")

DRAWING = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg"
     width="40pt" height="30pt" viewBox="0 0 40 30">
 <metadata>made by somebody</metadata>
 <style>*{fill: red}</style>
 <script>window.hacked = 1</script>
 <defs><path id="m" d="M 0 0"/><clipPath id="c"><rect width="1" height="1"/></clipPath></defs>
 <!-- > a name <script>window.hacked = 2</script> -->
 <g id="axes" clip-path="url(#c)">
  <use xlink:href="#m" style="stroke: #000000; fill: #ffffff"/>
  <a xlink:href="javascript:hack()"><path d="M 1 1"/></a>
  <path d="M 2 2" style="stroke: #0072b2"/>
 </g>
</svg>"""


@pytest.mark.slow
def test_figures_that_suit_the_results_are_drawn(make_results):
    folder = make_results(("emotions", "flags", "yeast"))
    settings = report_settings(folder)
    number = 2 * len(settings.metrics) + 2
    assert len(list(wanted_figures(folder, settings))) == number
    found = drawings(folder, settings)
    assert len(found) == number
    for i, each in enumerate(found):
        for name, drawing in (("figure", each.wide), ("narrow", each.narrow)):
            assert drawing.startswith("<svg")
            assert f'id="{name}-{i}-' in drawing
            assert f'aria-label="{each.caption}"' in drawing


@pytest.mark.slow
def test_every_figure_has_another_caption(make_results, read, drawn):
    page = read(make_results(("emotions", "flags", "yeast")))
    captions = [each.all("b")[0].text for each in page.all("figcaption")]
    assert captions[0] == "Difference of SMTL from the others in Macro F1 (percentage points)."
    assert len(set(captions)) == len(captions) == 6
    labels = [svg.get("aria-label") for svg in page.all("svg")]
    assert labels == [caption.removesuffix(".") for caption in captions for _ in range(2)]


def test_methods_are_not_ranked_on_two_data_sets(make_results):
    folder = make_results(("emotions", "flags"))
    settings = report_settings(folder)
    assert len(list(wanted_figures(folder, settings))) == 2 * len(settings.metrics) + 1


def test_a_figure_without_a_caption_is_called_by_its_kind(make_results, monkeypatch):
    monkeypatch.setattr("mlbench.report.figures.bars.Bars.caption_format", "")
    folder = make_results()
    captions = [drawing.caption for drawing in drawings(folder, report_settings(folder))]
    assert "Bars" in captions


def test_figures_with_a_mark_for_each_of_very_many_cells_are_left_out(make_results):
    folder = make_results(("emotions",), [f"method {i}" for i in range(201)], n_splits=1)
    settings = report_settings(folder)
    assert [kind for kind, _ in wanted_figures(folder, settings)] == ["pareto"]


def test_without_scores_there_is_nothing_to_draw(make_results):
    folder = make_results(change=lambda *cell: None)
    assert drawings(folder, report_settings(folder)) == []


def test_a_page_without_matplotlib_says_so(make_results, read, monkeypatch):
    monkeypatch.setattr("mlbench.report.html.figures.can_draw", lambda: False)
    assert "matplotlib is not installed" in read(make_results()).by_id("figures").text


def test_what_is_not_drawn_is_left_out():
    text = str(inlined(DRAWING, "one", "a drawing"))
    for word in ("<!", "<?", "script", "metadata", "hack", "somebody", "fill: red", "style>"):
        assert word not in text
    assert "M 2 2" in text


def test_ids_are_of_this_drawing_alone_and_its_references_follow():
    text = str(inlined(DRAWING, "one", "a drawing"))
    ids = set(re.findall(r' id="([^"]*)"', text))
    assert ids == {"one-m", "one-c", "one-axes"}
    assert set(re.findall(r'href="#([^"]*)"', text)) == {"one-m"}
    assert set(re.findall(r"url\(#([^)]*)\)", text)) == {"one-c"}


def test_a_drawing_is_an_image_with_a_label():
    start = str(inlined(DRAWING, "one", "a <drawing>")).partition("<defs")[0]
    assert 'role="img"' in start
    assert 'aria-label="a &lt;drawing&gt;"' in start


def test_black_and_white_are_ink_and_paper_and_colors_stay():
    text = str(inlined(DRAWING, "one", "a drawing"))
    assert "stroke: currentColor; fill: var(--paper)" in text
    assert "#0072b2" in text


def test_a_drawing_is_as_wide_as_its_place():
    text = str(inlined(DRAWING, "one", "a drawing"))
    assert 'viewBox="0 0 40 30"' in text
    assert 'width="40pt"' not in text
