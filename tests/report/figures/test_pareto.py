from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlbench.comparisons.settings import MetricColumn
from mlbench.errors import MlbenchError
from mlbench.report.figures.pareto import pareto_figure, rank_figure
from mlbench.report.figures.quantity import score_quantity, time_quantity
from tests.report.figures.cases import results

F1 = MetricColumn("macro_f1", "Macro F1")
LOSS = MetricColumn("hamming_loss", "Hamming loss", greater_is_better=False)


@pytest.mark.parametrize("metric", [F1, LOSS])
@given(points=st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5)), min_size=1, max_size=8))
def test_the_front_is_what_no_other_method_beats_in_time_and_score(metric, points):
    names = [f"M{i}" for i in range(len(points))]
    found = results(
        seconds_fit={("e", n): [float(t)] for n, (t, _) in zip(names, points, strict=True)},
        **{metric.name: {("e", n): [s / 10] for n, (_, s) in zip(names, points, strict=True)}},
    )
    quantity = score_quantity(metric)
    figure = pareto_figure(found, quantity, time_quantity("fit"), "t", ["e"], names)
    sign = 1 if metric.greater_is_better else -1
    values = {(t, sign * s) for t, s in points}
    beaten = {(t, s) for t, s in values if any(u <= t and v >= s for u, v in values - {(t, s)})}
    ((_, places),) = figure.panels
    front = [points[place.number] for place in places if place.on_front]
    assert sorted((t, sign * s) for t, s in front) == sorted(values - beaten)


def test_a_method_without_a_time_or_a_score_is_left_out():
    found = results(
        macro_f1={("e", "A"): [0.5], ("e", "B"): [0.6]}, seconds_fit={("e", "A"): [2.0]}
    )
    figure = pareto_figure(found, score_quantity(F1), time_quantity("fit"), "t", ["e"], ["A", "B"])
    assert figure.lines() == ["e\tA\t2 s\t50\t\t1 split\tfront"]
    with pytest.raises(MlbenchError, match="no cell"):
        pareto_figure(found, score_quantity(F1), time_quantity("fit"), "t", ["e"], ["B"])


def test_over_data_sets_ranks_stand_against_geometric_means_of_times():
    scores = {("e", "A"): [0.5], ("e", "B"): [0.6], ("f", "A"): [0.7], ("f", "B"): [0.2]}
    times = {("e", "A"): [1.0], ("e", "B"): [2.0], ("f", "A"): [4.0], ("f", "B"): [8.0]}
    scores |= {("g", "A"): [0.9]}
    found = results(macro_f1=scores, seconds_fit=times)
    methods, datasets = ["A", "B"], ["e", "f", "g"]
    figure = rank_figure(found, score_quantity(F1), time_quantity("fit"), "t", datasets, methods)
    ((heading, points),) = figure.panels
    assert heading == "2 data sets"
    assert [(each.method, each.seconds.mean, each.score.mean) for each in points] == [
        ("A", pytest.approx(2.0), 1.5),
        ("B", pytest.approx(4.0), 1.5),
    ]
    assert [each.on_front for each in points] == [True, False]
    assert figure.lines() == ["2 data sets\tA\t2 s\t1.5\tfront", "2 data sets\tB\t4 s\t1.5"]
    with pytest.raises(MlbenchError, match="no data set on which every method"):
        rank_figure(found, score_quantity(F1), time_quantity("fit"), "t", ["g"], methods)
