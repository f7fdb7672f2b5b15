"""Methods by their mean rank, where failures take the last ranks."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.comparisons.over_datasets import common_means
from mlbench.comparisons.settings import MetricColumn
from mlbench.comparisons.standings import TICKS, cell_times, split_scores, standings_of, timed_step
from mlbench.results import open_results
from mlbench.results.scores import Scores
from mlbench.statistics import rank_test
from tests.runs import write_run

BASELINES = Path(__file__).parents[2] / "results/strong-baselines"
F1 = MetricColumn("f1", "F1")
LOSS = MetricColumn("loss", "Loss", greater_is_better=False)


def standings(scores, metric=F1, failed=(), times=None, methods=None, **settings):
    """The standings of {data set: {method: scores by split}}; `failed` has cells with a timeout."""
    values = [
        (dataset, method, split, metric.name, value)
        for dataset, by_method in scores.items()
        for method, each in by_method.items()
        for split, value in enumerate(each)
    ]
    found = Scores(values, [(*cell, "timeout") for cell in failed], 2)
    everyone = list(dict.fromkeys(name for each in scores.values() for name in each))
    splits = split_scores(found, metric, list(scores), everyone)
    return standings_of(splits, times or {}, list(scores), methods or everyone, **settings)


def column(found, name):
    return {row.method: getattr(row, name) for row in found.rows}


THREE = {
    "a": {"X": [0.3, 0.5], "Y": [0.6, 0.6], "Z": [0.1, 0.1]},
    "b": {"X": [0.8, 0.8], "Y": [0.7, 0.7], "Z": [0.7, 0.7]},
    "c": {"X": [0.1, 0.1], "Y": [0.3, 0.3], "Z": [0.2, 0.2]},
}


def test_methods_stand_by_their_mean_rank():
    # ranks of X, Y, Z: a 2 1 3, b 1 2.5 2.5, c 3 1 2
    found = standings(THREE)
    assert column(found, "mean_rank") == {"Y": 1.5, "X": 2.0, "Z": 2.5}
    assert column(found, "place") == {"Y": 1, "X": 2, "Z": 3}
    assert column(found, "n_best") == {"Y": 2, "X": 1, "Z": 0}


def test_equal_means_of_different_scores_are_a_tie():
    # in millionths, the sums are 999,999 and 1,000,000
    tied = {"a": {"X": [1 / 3, 1 / 3, 1 / 3], "Y": [1 / 7, 2 / 7, 4 / 7], "Z": [0.1, 0.1, 0.1]}}
    assert column(standings(tied), "mean_rank") == {"X": 1.5, "Y": 1.5, "Z": 3.0}


def test_the_win_rate_counts_pairs_and_halves_ties():
    # Y beats X on a and c, Z on a and c, and ties with Z on b: 4.5 of 6
    assert column(standings(THREE), "win_rate") == {"Y": 4.5 / 6, "X": 0.5, "Z": 1.5 / 6}


def test_of_a_loss_the_smallest_is_best():
    losses = {
        name: {method: [1 - score for score in each] for method, each in by_method.items()}
        for name, by_method in THREE.items()
    }
    assert column(standings(losses, LOSS), "mean_rank") == column(standings(THREE), "mean_rank")


def test_those_that_failed_share_the_last_ranks_and_keep_no_score():
    one_split_lost = {"a": {"W": [0.9], "X": [0.9], "Y": [0.2, 0.2], "Z": [0.1, 0.1]}}
    found = standings(one_split_lost, failed=[("a", "W", 1), ("a", "X", 1)])
    assert column(found, "mean_rank") == {"Y": 1.0, "Z": 2.0, "W": 3.5, "X": 3.5}
    assert column(found, "n_failed") == {"Y": 0, "Z": 0, "W": 1, "X": 1}
    assert column(found, "mean") == {"Y": 0.2, "Z": 0.1, "W": None, "X": None}
    assert column(found, "n_best") == {"Y": 1, "Z": 0, "W": 0, "X": 0}
    assert found.lacking == {("a", "W"): "1 timeout", ("a", "X"): "1 timeout"}


@pytest.mark.parametrize("begun", [{}, {"Z": [0.9]}])
def test_a_data_set_that_a_method_was_not_run_on_is_left_out(begun):
    found = standings({**THREE, "d": {"X": [0.2, 0.2], "Y": [0.1, 0.1], **begun}})
    assert column(found, "mean_rank") == column(standings(THREE), "mean_rank")
    assert (found.left_out, found.not_run, found.lacking) == (("d",), ("Z",), {})


def test_a_method_that_failed_and_has_cells_left_is_not_run_either():
    values = [("a", m, s, "f1", 0.5) for m, s in (("X", 0), ("X", 1), ("X", 2), ("Y", 0))]
    scores = Scores(values, [("a", "Y", 1, "timeout")], 3)
    assert split_scores(scores, F1, ["a"], ["X", "Y"]).not_run == {("a", "Y")}


def test_it_counts_for_the_methods_that_have_run_there():
    found = standings({**THREE, "d": {"X": [0.2] * 2, "Y": [0.1] * 2}}, methods=["X", "Y"])
    assert (found.datasets, found.not_run) == (("a", "b", "c", "d"), ())


def test_a_copy_of_a_method_on_some_data_sets_ranks_as_the_method_does():
    copied = {name: {**each, "copy of Y": each["Y"]} for name, each in THREE.items()}
    ranks = column(standings({**copied, "d": THREE["a"], "e": THREE["b"]}), "mean_rank")
    assert ranks["copy of Y"] == ranks["Y"]


def test_a_method_that_has_run_nowhere_has_no_row():
    found = standings({**THREE, "c": {**THREE["c"], "W": []}}, methods=["W", "X", "Y", "Z"])
    assert column(found, "place") == {"Y": 1, "X": 2, "Z": 3}
    assert (found.left_out, found.not_run) == ((), ("W",))


def test_a_method_that_an_experiment_leaves_out_is_last_and_not_run():
    values = [("a", "X", 0, "f1", 0.5), ("b", "X", 0, "f1", 0.5), ("b", "Y", 0, "f1", 0.6)]
    scores = Scores(values, [], 1, not_run=[("a", "Y")])
    splits = split_scores(scores, F1, ["a", "b"], ["X", "Y"])
    assert splits.lacking == {("a", "Y"): "not run"}


def test_a_split_that_no_method_has_a_score_on_is_nobodys_failure():
    nan = math.nan
    found = standings({"a": {"X": [0.4, nan], "Y": [0.5, nan]}})
    assert column(found, "n_failed") == {"Y": 0, "X": 0}
    assert column(found, "mean") == {"Y": 0.5, "X": 0.4}


def test_who_failed_does_not_depend_on_who_is_chosen():
    scores = {"a": {"X": [0.4], "Y": [0.5], "Z": [0.3, 0.3]}, "b": THREE["b"]}
    failed = [("a", "X", 1), ("a", "Y", 1)]
    found = standings(scores, failed=failed, methods=["X", "Y"])
    assert (found.datasets, found.left_out) == (("b",), ("a",))


def test_only_data_sets_that_all_have_finished():
    scores = {"a": {"X": [0.4], "Y": [0.5, 0.5]}, "b": {"X": [0.4] * 2, "Y": [0.3] * 2}}
    found = standings(scores, failed=[("a", "X", 1)], only_finished=True)
    assert (found.datasets, found.left_out) == (("b",), ("a",))
    assert found.leaders == ["X"]


def test_equal_methods_share_a_place():
    found = standings({"a": {"X": [0.4, 0.6], "Y": [0.5, 0.5], "Z": [0.1, 0.1]}})
    assert column(found, "place") == {"X": 1, "Y": 1, "Z": 3}
    assert found.leaders == ["X", "Y"]


def test_the_time_is_the_median_over_the_cells_of_ranked_data_sets():
    times = {("a", "X"): [1, 2], ("b", "X"): [9], ("unknown", "X"): [0]}
    times = {pair: [each * TICKS for each in seconds] for pair, seconds in times.items()}
    found = standings(THREE, times=times)
    assert column(found, "seconds") == {"X": 2.0, "Y": None, "Z": None}


@pytest.mark.parametrize(("lacking", "step", "seconds"), [(0, "cpu", 1), (1, "total", 2)])
def test_times_are_cpu_times_unless_some_cells_lack_them(lacking, step, seconds):
    results = open_results(BASELINES)
    timed = {
        key: replace(row, seconds={"total": 2.0} if i < lacking else {"total": 2.0, "cpu": 1.0})
        for i, (key, row) in enumerate(results.rows.items())
    }
    results = replace(results, rows=timed)
    assert timed_step(results) == step
    assert {each for times in cell_times(results).values() for each in times} == {seconds * TICKS}


def test_none_is_told_apart_until_the_test_over_all_rejects():
    """X leads by more than Nemenyi's difference of two data sets, which are not tested."""
    row = {"A": [0.9] * 2, "B": [0.8] * 2, "C": [0.7] * 2, "D": [0.1] * 2}
    assert standings({"a": row, "b": row}).not_apart == []
    six = standings(dict.fromkeys("abcdef", row))
    # q(0.05, 4) / sqrt(2) is 2.569 (Demšar 2006, table 5): 2.569 sqrt(4 * 5 / (6 * 6)) = 1.915
    assert six.test.critical_difference == pytest.approx(1.915, abs=5e-4)
    assert six.not_apart == ["B"]
    assert column(six, "is_apart") == {"A": False, "B": False, "C": True, "D": True}


def test_a_method_that_finished_nothing_is_last_and_no_part_of_the_test():
    """Always last, it would add a difference that the others do not have."""
    names = "abcdef"
    three = {
        name: {"X": [0.9 - 0.2 * (i % 2)] * 2, "Y": [0.8] * 2, "Z": [0.75] * 2}
        for i, name in enumerate(names)
    }
    never = {name: {**each, "N": []} for name, each in three.items()}
    lost = [(name, "N", split) for name in names for split in (0, 1)]
    found, without = standings(never, failed=lost), standings(three)
    assert found.test.p_iman_davenport == without.test.p_iman_davenport
    assert found.test.critical_difference == without.test.critical_difference
    assert column(found, "mean_rank") == {**column(without, "mean_rank"), "N": 4.0}
    assert (found.untested, found.not_apart, column(found, "is_apart")["N"]) == (["N"], [], False)


def test_committed_results_rank_as_the_table_of_mean_ranks_does():
    results = open_results(BASELINES)
    metric = MetricColumn("macro_f1", "Macro F1")
    scores = results.scores_of([metric.name], seconds=False)
    splits = split_scores(scores, metric, results.datasets, results.methods)
    found = standings_of(splits, cell_times(results), results.datasets, results.methods)
    means = common_means(scores, results.methods, results.datasets, metric.name)
    expected = rank_test(means.rows)
    by_method = dict(zip(results.methods, expected.mean_ranks, strict=True))
    assert column(found, "mean_rank") == by_method
    assert found.test.p_iman_davenport == pytest.approx(expected.p_iman_davenport)
    assert found.test.critical_difference == expected.critical_difference


def test_cells_without_a_time_have_none(tmp_path):
    assert cell_times(open_results(write_run(tmp_path, {("a", "X"): [0.5]}))) == {}
