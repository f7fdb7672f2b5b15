from __future__ import annotations

import pytest

from mlbench.report.html.figures import drawings, wanted_figures

pytest.importorskip("matplotlib")


def test_figures_that_suit_the_results_are_drawn(make_results):
    folder = make_results(("emotions", "flags", "yeast"))
    settings = folder.settings()
    number = 2 * len(settings.metrics) + 2
    assert len(list(wanted_figures(folder, settings))) == number
    found = drawings(folder, settings)
    assert all(each.startswith("<svg") for each in found)
    assert [f'id="figure-{i}-' in each for i, each in enumerate(found)] == [True] * number


def test_methods_are_not_ranked_on_two_data_sets(make_results):
    folder = make_results(("emotions", "flags"))
    settings = folder.settings()
    assert len(list(wanted_figures(folder, settings))) == 2 * len(settings.metrics) + 1


def test_without_scores_there_is_nothing_to_draw(make_results):
    folder = make_results(change=lambda *cell: None)
    assert drawings(folder, folder.settings()) == []


def test_a_page_without_matplotlib_says_so(make_results, read, monkeypatch):
    monkeypatch.setattr("mlbench.report.html.page.can_draw", lambda: False)
    assert "matplotlib is not installed" in read(make_results()).by_id("figures").text
