from __future__ import annotations

import pytest

from mlbench.report.figures.style import method_style, wrap_name


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("ML-kNN", ["ML-kNN"]),
        ("", [""]),
        ("Ensemble of classifier chains", ["Ensemble of", "classifier chains"]),
        ("yahoo-arts[labels=5,rows=400]", ["yahoo-arts", "[labels=5,", "rows=400]"]),
        ("x" * 20, ["x" * 18, "xx"]),
        ("z" * 18 + "°", ["z" * 18 + "°"]),
        ("y" * 60, ["y" * 18, "y" * 18, "y" * 17 + "…"]),
    ],
)
def test_a_long_name_takes_several_lines(name, lines):
    assert wrap_name(name) == lines


def test_methods_differ_without_colour():
    styles = [method_style(i) for i in range(42)]
    lines = {(each.marker, each.filled, str(each.dash)) for each in styles[:28]}
    points = {(each.marker, each.filled) for each in styles[:14]}
    bars = {(each.hatch, each.filled) for each in styles[:14]}
    assert (len(lines), len(points), len(bars)) == (28, 14, 14)


def test_points_of_many_methods_differ_in_colour_or_form():
    styles = [method_style(i) for i in range(42)]
    assert len({(each.color, each.marker, each.filled) for each in styles}) == 42
