from __future__ import annotations

import pytest

from mlbench.report.html.figures import drawings, wanted_figures

pytest.importorskip("matplotlib")


@pytest.mark.slow
def test_figures_that_suit_the_results_are_drawn(make_results):
    folder = make_results(("emotions", "flags", "yeast"))
    settings = folder.settings()
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
def test_every_figure_has_a_caption_of_its_own(make_results, read, drawn):
    page = read(make_results(("emotions", "flags", "yeast")))
    captions = [each.all("b")[0].text for each in page.all("figcaption")]
    assert captions[0] == "Difference of SMTL from the others in Macro F1 (percentage points)."
    assert len(set(captions)) == len(captions) == 6
    labels = [svg.get("aria-label") for svg in page.all("svg")]
    assert labels == [caption.removesuffix(".") for caption in captions for _ in range(2)]


def test_methods_are_not_ranked_on_two_data_sets(make_results):
    folder = make_results(("emotions", "flags"))
    settings = folder.settings()
    assert len(list(wanted_figures(folder, settings))) == 2 * len(settings.metrics) + 1


def test_a_figure_without_a_caption_is_called_by_its_kind(make_results, monkeypatch):
    monkeypatch.setattr("mlbench.report.figures.bars.Bars.caption_format", "")
    folder = make_results()
    captions = [drawing.caption for drawing in drawings(folder, folder.settings())]
    assert "Bars" in captions


def test_figures_with_a_mark_for_each_of_very_many_cells_are_left_out(make_results):
    folder = make_results(("emotions",), [f"method {i}" for i in range(201)], n_splits=1)
    settings = folder.settings()
    assert [kind for kind, _ in wanted_figures(folder, settings)] == ["pareto"]


def test_without_scores_there_is_nothing_to_draw(make_results):
    folder = make_results(change=lambda *cell: None)
    assert drawings(folder, folder.settings()) == []


def test_a_page_without_matplotlib_says_so(make_results, read, monkeypatch):
    monkeypatch.setattr("mlbench.report.html.page.can_draw", lambda: False)
    assert "matplotlib is not installed" in read(make_results()).by_id("figures").text
