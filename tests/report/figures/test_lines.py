from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlbench.comparisons.settings import MetricColumn
from mlbench.errors import MlbenchError
from mlbench.report.figures.axis import Axis
from mlbench.report.figures.lines import MAX_BANDS, _labels, lines_figure, paired
from mlbench.report.figures.quantity import score_quantity, time_quantity
from tests.report.figures.cases import results

F1 = score_quantity(MetricColumn("macro_f1", "Macro F1"))
TASKS = Axis("tasks", "data sets", {"": {"two": 2.0, "eight": 8.0, "four": 4.0}})
FOUND = results(
    macro_f1={
        ("two", "A"): [0.5, 0.6, 0.7],
        ("four", "A"): [0.6, 0.7],
        ("eight", "A"): [0.7, 0.8, 0.9],
        ("two", "B"): [0.4, 0.4, 0.4],
    }
)
PAIRED_F1 = score_quantity(MetricColumn("macro_f1", "Macro PAIRED_F1"), ratios={"e": 0.5})
PAIRED = results(
    macro_f1={
        ("e", "A"): [0.1, 0.5, 0.9],
        ("e", "B"): [0.12, 0.51, 0.93],
        ("e", "Half"): [0.1, 0.4],
        ("f", "B"): [0.3],
    }
)


def test_a_line_for_each_method_goes_through_the_data_sets_in_order_of_the_number():
    figure = lines_figure(FOUND, F1, TASKS, "t", ["two", "eight", "four"], ["A", "B"])
    ((title, (a, b)),) = figure.panels
    assert (title, a.name, b.name) == ("", "A", "B")
    assert a.x == (2.0, 4.0, 8.0)
    assert [point.mean for point in a.y] == pytest.approx([60, 65, 80])
    assert [point.n for point in a.y] == [3, 2, 3]
    assert b.x == (2.0,)


def test_what_is_drawn_is_printed():
    figure = lines_figure(FOUND, F1, TASKS, "t", ["two"], ["B"])
    assert figure.lines() == ["B\ttasks=2\t40\t40 to 40\t3 splits"]
    assert figure.note == "Mean over 3 splits; band: 95 % interval of the mean."


def test_data_sets_of_one_group_share_a_panel():
    axis = Axis("train", "data sets", {"Arts": {"two": 0.2}, "Yeast": {"four": 0.2, "eight": 0.4}})
    figure = lines_figure(FOUND, F1, axis, "t", ["two", "four", "eight"], ["A"])
    assert [(title, curves[0].x) for title, curves in figure.panels] == [
        ("Arts", (0.2,)),
        ("Yeast", (0.2, 0.4)),
    ]


def test_methods_of_one_group_are_a_line_and_others_are_level():
    found = results(
        macro_f1={("e", "r0"): [0.5], ("e", "r1"): [0.7], ("e", "SVM"): [0.6], ("f", "SVM"): [0.1]}
    )
    axis = Axis("rho", "methods", {"MtSDA": {"r1": 0.5, "r0": 0.0}})
    figure = lines_figure(found, F1, axis, "t", ["e", "f"], ["r0", "r1", "SVM"])
    ((title, (line, level)),) = figure.panels
    assert title == "e"
    assert (line.name, line.x, [p.mean for p in line.y]) == ("MtSDA", (0.0, 0.5), [50.0, 70.0])
    assert (level.name, level.x, level.y[0].mean) == ("SVM", (), 60.0)
    assert figure.lines()[-1] == "e\tSVM\tany rho\t60\t\t1 split"
    assert figure.note == "One value each: 1 split."


def test_times_grow_with_a_slope():
    seconds = {
        ("two", "A"): [2.0**3] * 2,
        ("four", "A"): [4.0**3] * 2,
        ("eight", "A"): [8.0**3] * 2,
    }
    found = results(seconds_fit=seconds)
    figure = lines_figure(found, time_quantity("fit"), TASKS, "t", ["two", "four", "eight"], ["A"])
    assert figure.logarithmic
    assert figure.panels[0][1][0].slope == pytest.approx(3.0)
    assert "slope 3.00" in figure.lines()[-1]


def test_many_lines_have_bars_in_place_of_bands():
    names = [f"M{i}" for i in range(MAX_BANDS + 1)]
    scores = {(d, m): [0.5, 0.6] for d in ("two", "four") for m in names}
    found = results(macro_f1=scores)
    few, many = (
        lines_figure(found, F1, TASKS, "t", ["two", "four"], shown) for shown in (names[1:], names)
    )
    assert few.banded
    assert not many.banded
    assert "bar:" in many.note


def test_bars_of_neighboring_lines_keep_within_the_axes():
    from matplotlib.figure import Figure

    names = [f"M{i}" for i in range(MAX_BANDS + 1)]
    found = results(macro_f1={(d, m): [0.5, 0.6] for d in ("two", "four") for m in names})
    axes = Figure().subplots()
    lines_figure(found, F1, TASKS, "t", ["two", "four"], names).draw([axes])
    low, high = axes.get_ylim()
    half = np.array([50, 60]).std(ddof=1) / np.sqrt(2) * 12.7062
    assert low == 0.0
    assert high == 102.0  # with room for a mark at the end
    assert 55 + half > 100  # the bars are cut off at what a score can be


@pytest.mark.parametrize("methods", [["C"], []])
def test_nothing_to_draw_is_said(methods):
    with pytest.raises(MlbenchError, match="no value of 'macro_f1' along 'tasks'"):
        lines_figure(FOUND, F1, TASKS, "t", ["two"], methods)
    with pytest.raises(MlbenchError, match="no value of 'seconds_fit'"):
        lines_figure(FOUND, time_quantity("fit"), TASKS, "t", ["two"], ["A"])


def test_labels_of_ticks_do_not_stand_in_each_other_s_way():
    assert _labels([1, 5, 10], logarithmic=False) == ["1", "5", "10"]
    assert _labels([0.1, 1 / 9, 0.125, 0.25, 1 / 3, 0.5], logarithmic=False) == [
        "0.1",
        "",
        "",
        "0.25",
        "0.333",
        "0.5",
    ]
    assert _labels([1, 10, 100], logarithmic=True) == ["1", "10", "100"]


def test_points_of_unrelated_data_sets_are_not_joined():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    unrelated = replace(TASKS, name="samples", is_stated=False)
    figure = lines_figure(FOUND, F1, unrelated, "t", ["two", "four", "eight"], ["A"])
    figure.draw([axes])
    assert not figure.banded
    assert {container.lines[0].get_linestyle() for container in axes.containers} == {"None"}


def test_scores_are_paired_split_by_split():
    found, quantity = paired(PAIRED, PAIRED_F1, ["e", "f"], ["A", "B", "Half"], "A")
    assert found.scores("e", "B", "macro_f1") == pytest.approx({0: 0.02, 1: 0.01, 2: 0.03})
    assert found.scores("e", "Half", "macro_f1") == pytest.approx({0: 0.0, 1: -0.1})
    assert found.methods == ("B", "Half")
    assert found.datasets == ("e",)
    assert quantity.label == "Macro PAIRED_F1 (percentage points), minus A"
    assert quantity.bounds is None


def test_the_interval_is_of_the_differences():
    found, quantity = paired(PAIRED, PAIRED_F1, ["e"], ["A", "B"], "A")
    wide, narrow = PAIRED_F1.of(PAIRED, "e", "B"), quantity.of(found, "e", "B")
    assert narrow.mean == pytest.approx(2)
    assert narrow.high - narrow.low < 0.1 * (wide.high - wide.low)


@pytest.mark.parametrize(
    ("datasets", "minus", "words"),
    [(["e"], "a", r"no method 'a' in the figure .did you mean 'A'"), (["f"], "A", "A shares no")],
)
def test_without_pairs_there_is_one_clear_error(datasets, minus, words):
    with pytest.raises(MlbenchError, match=words):
        paired(PAIRED, PAIRED_F1, datasets, ["A", "B"], minus)
