"""What a comparison asks: where its method is better, worse, or not told apart."""

from __future__ import annotations

from dataclasses import replace

from mlbench.comparisons.settings import MetricColumn
from mlbench.config.comparison import Comparison
from mlbench.report.tables.answer import Answer
from tests.report.tables.verdict_cases import scores, verdict

MINE = (Comparison(method="Mine", against=("A", "B")),)


def test_an_answer_names_wins_losses_and_what_is_open():
    values = scores("x", Mine=0.6, B=0.7, A=0.5) + scores("close", Mine=0.6, B=0.5999, A=0.5)
    assert verdict(values, comparisons=MINE).notes[0] == (
        "F1: Mine is better than A on both; worse than B on x; not told apart from B on close."
    )


def test_losses_are_all_named():
    names = [f"d{i}" for i in range(20)]
    values = [line for name in names for line in scores(name, Mine=0.4, A=0.5, B=0.6)]
    assert verdict(values, comparisons=MINE).notes[0] == (
        "F1: Mine is worse than A and B on all 20 data sets."
    )


def test_of_one_data_set_the_verdict_says_it_already():
    notes = verdict(scores("x", Mine=0.6, A=0.5, B=0.7), comparisons=MINE).notes
    assert notes[0].startswith("x, F1: B leads")


def test_many_rivals_are_counted_where_nothing_is_decided():
    rivals = tuple(f"R{i}" for i in range(8))
    states = {(rival, name): "undecided" for rival in rivals for name in ("x", "y")}
    metric = MetricColumn("f1", "F1")
    every = Answer(metric, "Mine", rivals, ("x", "y"), states)
    assert every.sentence == "F1: Mine is not told apart from any of 8 others on both."
    lost = {("R0", "x"): "worse", ("R0", "y"): "worse"}
    most = replace(every, states=states | lost)
    assert most.sentence == (
        "F1: Mine is worse than R0 on both; not told apart from 7 of 8 others on both."
    )


def test_what_is_not_comparable_has_a_subject():
    answer = Answer(
        MetricColumn("f1", "F1"), "Mine", ("A", "B"), ("x",), {("A", "x"): "not comparable"}
    )
    assert answer.sentence == "F1: Mine is not comparable with A."
    open_too = replace(answer, states={**answer.states, ("B", "x"): "undecided"})
    assert open_too.sentence == "F1: Mine is not told apart from B; not comparable with A."


def test_groups_that_are_counted_are_one_whatever_threatens_them():
    rivals = tuple(f"R{i}" for i in range(15))
    states = {(rival, "x"): "undecided" for rival in rivals}
    threats = {(rival, "x"): (3,) for rival in rivals[:7]}
    metric = MetricColumn("f1", "F1")
    answer = Answer(
        metric, "Mine", (*rivals, "A"), ("x",), {**states, ("A", "x"): "worse"}, threats
    )
    assert answer.sentence == ("F1: Mine is worse than A; not told apart from 15 of 16 others (3).")


def test_data_sets_without_a_comparison_are_not_counted_among_all():
    states = {("A", name): "undecided" for name in "xyz"}
    three = Answer(MetricColumn("f1", "F1"), "Mine", ("A",), ("x", "y", "z"), states)
    assert three.sentence == "F1: Mine is not told apart from A on all 3 data sets."
    four = replace(three, n_datasets=4)
    assert four.sentence == "F1: Mine is not told apart from A on x, y and z."
