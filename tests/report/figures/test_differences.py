"""The forest plot of paired differences."""

from __future__ import annotations

import math

import pytest
from matplotlib.figure import Figure

from mlbench.comparisons.settings import MetricColumn
from mlbench.config.comparison import Comparison
from mlbench.errors import MlbenchError
from mlbench.report.figures.differences import differences_figure
from mlbench.report.figures.quantity import score_quantity
from mlbench.statistics import mean_difference
from tests.report.figures.cases import results

FOUND = results(
    4,
    f={
        ("e", "A"): [0.50, 0.52, 0.54, 0.55],
        ("e", "B"): [0.40, 0.41, 0.45, 0.44],
        ("e", "C"): [0.50, 0.51, 0.56, 0.54],
        ("g", "A"): [0.3, 0.3, 0.3, 0.4],
        ("g", "B"): [0.3, 0.3],
    },
)
F1 = score_quantity(MetricColumn("f", "F1"), ratios={"e": 2 / 3})


METHODS = ["A", "B", "C"]


def figure(quantity=F1, method="A", shown=METHODS, **entry):
    asked = Comparison(method=method, **entry).resolved(METHODS)
    return differences_figure(FOUND, quantity, "t", ["e", "g"], shown, asked)


def test_means_and_intervals_are_those_of_the_corrected_test():
    near, far = figure().rows[0], figure().rows[1]
    expected = mean_difference([50, 52, 54, 55], [40, 41, 45, 44], 3, 2)
    assert (near.mean, near.low, near.high) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )
    assert near.is_significant
    assert not far.is_significant
    assert near.splits == pytest.approx((10, 11, 9, 11))


def test_only_common_splits_count_and_missing_intervals_are_named():
    last = figure().rows[-1]
    assert (last.dataset, last.against, len(last.splits)) == ("g", "B", 2)
    assert math.isnan(last.low)
    assert figure().note.endswith("No interval: g, B.")
    assert "over 2 to 4 common splits" in figure().note


def test_the_side_on_which_the_method_is_better():
    loss = score_quantity(MetricColumn("f", "Loss", greater_is_better=False))
    assert "right of 0 A is better" in figure().note
    assert "left of 0 B is better" in figure(loss, "B").note


def test_a_line_for_each_difference_under_its_data_set():
    axes = Figure().subplots()
    figure().draw([axes])
    assert [text.get_text() for text in axes.get_yticklabels()] == ["e", "B", "C", "g", "B"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert axes.get_xlabel() == "difference in F1 (percentage points)"


def test_no_common_split():
    alone = results(1, f={("e", "A"): [0.5]})
    with pytest.raises(MlbenchError, match="A shares no split with another method"):
        differences_figure(alone, F1, "t", ["e"], ["A", "B"], Comparison(method="A", against="B"))


def test_methods_and_correction_are_those_of_the_entry():
    assert "Holm over 2 methods" in figure().note
    assert "Holm over 2 methods" in figure(shown=["A", "B"]).note
    alone = figure(against="C")
    assert {row.against for row in alone.rows} == {"C"}
    assert "Holm" not in alone.note
    uncorrected = figure(correction="none")
    assert "Holm" not in uncorrected.note
    assert uncorrected.lines()[0].endswith(", significant")
