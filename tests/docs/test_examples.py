"""The scripts of the gallery run, and each draws the kind of figure that its name says."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from mlbench.options import FIGURE_KINDS

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("plot_*.py"))


def kind(path):
    return path.stem.removeprefix("plot_").replace("_", "-")


def test_they_are_named_for_kinds_of_figures():
    assert {kind(path) for path in EXAMPLES} <= set(FIGURE_KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=kind)
def test_an_example_draws_its_figure(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(path))
    assert set(names["results"].counts) == {"ok"}
    assert names["figure"].axes
    assert [threat for threat in names["results"].threats() if threat.is_open] == []
    assert f'results.figure("{kind(path)}"' in path.read_text()
