"""The table of mean ranks over data sets."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.config.comparison import Comparison
from mlbench.number_text import p_value
from mlbench.report.render import RENDERERS
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.verdict_text import verdict_table
from mlbench.results.scores import Scores
from mlbench.statistics import against_control, holm, rank_test
from tests.report.experiment_tables import experiment_tables

F1 = MetricColumn("f", "F1")
LOSS = MetricColumn("f", "Loss", greater_is_better=False)
METHODS = ("A", "B", "C", "D")
MEANS = np.round(np.random.default_rng(5).normal((0.8, 0.6, 0.7, 0.65), 0.05, size=(9, 4)), 3)


def ranks(means, metric=F1, methods=METHODS, **more):
    values, settings = given(means, metric, methods, **more)
    found = experiment_tables(values, (), settings)
    return next(table for table in found if table.name.startswith("ranks"))


def given(means, metric=F1, methods=METHODS, **more):
    """Two splits around each mean; nan leaves a method out."""
    lines = [
        (f"d{i}", method, split, "f", mean + shift)
        for i, row in enumerate(means)
        for method, mean in zip(methods, row, strict=True)
        for split, shift in enumerate((-0.01, 0.01))
        if not math.isnan(mean)
    ]
    asked = Comparison(method=methods[0], against=methods[1:], over_datasets=("friedman",), **more)
    return lines, ReportSettings((metric,), 2, methods=tuple(methods), comparisons=(asked,))


def test_methods_stand_best_first_with_their_p_values():
    table, expected = ranks(MEANS), rank_test(MEANS)
    single = against_control(expected, 0)
    order = sorted(range(4), key=lambda i: expected.mean_ranks[i])
    assert [row.labels[0] for row in table.rows] == [METHODS[i] for i in order]
    for i, row in zip(order, table.rows, strict=True):
        printed = [cell.printed for cell in row.cells]
        assert printed[0] == f"{expected.mean_ranks[i]:.2f}"
        wanted = [expected.pairwise_p[0, i], single[i], holm(single)[i]]
        assert printed[2:] == ([""] * 3 if i == 0 else [p_value(p) for p in wanted])
        significant = [p < 0.05 and i > 0 for p in wanted]
        assert [cell.bold for cell in row.cells[2:]] == [significant[0], False, significant[2]]
    notes = " ".join(table.notes)
    assert f"chi-squared(3) = {expected.statistic:.3f}" in notes
    assert f"F(3, 24) = {expected.iman_davenport:.3f}" in notes
    assert f"critical difference {expected.critical_difference:.3f}" in notes


@pytest.mark.parametrize(
    ("all_pairs", "title"),
    [("shaffer", "p (Shaffer)"), ("bergmann_hommel", "p (Bergmann-Hommel)")],
)
def test_all_pairs_are_corrected_as_asked(all_pairs, title):
    table, expected = ranks(MEANS, all_pairs=all_pairs), rank_test(MEANS, all_pairs=all_pairs)
    place = [column.title for column in table.columns].index(title)
    printed = {row.labels[0]: row.cells[place].printed for row in table.rows}
    assert printed == {
        method: p_value(expected.pairwise_p[0, i]) if i else "" for i, method in enumerate(METHODS)
    }
    assert "critical difference" not in " ".join(table.notes)


def test_groups_are_the_cliques():
    table, expected = ranks(MEANS, alpha=0.2), rank_test(MEANS, alpha=0.2)
    group = {row.labels[0]: set(row.cells[1].printed.split()) for row in table.rows}
    assert all(group.values())
    for i, one in enumerate(METHODS):
        for j, other in enumerate(METHODS[:i]):
            together = any({i, j} <= set(clique) for clique in expected.cliques)
            assert bool(group[one] & group[other]) == together


def test_where_less_is_better_the_order_turns():
    up, down = ranks(MEANS), ranks(1 - MEANS, LOSS)
    assert [row.labels for row in up.rows] == [row.labels for row in down.rows]


def test_a_method_that_failed_somewhere_leaves_the_ranks_of_the_others():
    holes = MEANS.copy()
    holes[4, 2] = math.nan
    table, without = ranks(holes), ranks(MEANS[:, [0, 1, 3]], methods=["A", "B", "D"])
    assert "over 9 data sets" in table.title
    assert table.rows == without.rows
    assert table.notes[-1] == "Left out, with no score on some of these data sets: C."


def test_the_method_itself_is_ranked_where_it_has_scores():
    holes = MEANS.copy()
    holes[4, 0] = math.nan
    table = ranks(holes)
    assert table.rows == ranks(np.delete(MEANS, 4, axis=0)).rows
    assert table.notes[-1] == "Left out, A has no score there: d4."


def test_the_verdict_ranks_the_methods_of_the_table():
    holes = MEANS.copy()
    holes[4, 2] = math.nan
    values, settings = given(holes)
    verdict = verdict_table(ReportData(Scores(values, (), 2), settings))
    (sentence,) = (note for note in verdict.notes if note.startswith("Mean ranks"))
    for row in ranks(holes).rows:
        assert f"{row.labels[0]} {row.cells[0].printed}" in sentence


@pytest.mark.parametrize(
    ("means", "methods", "words"),
    [
        (MEANS[:2], METHODS, "fewer than 3 data sets with every score"),
        (MEANS[:, :2], METHODS[:2], "fewer than 3 methods: two methods are compared"),
    ],
)
def test_too_little_to_test_is_said(means, methods, words):
    table = ranks(means, methods=methods)
    assert [column.title for column in table.columns] == ["Mean rank"]
    assert any(words in note for note in table.notes)
    assert not any(cell.bold for row in table.rows for cell in row.cells)


def test_without_a_common_data_set_there_is_a_sentence():
    nothing = MEANS.copy()
    nothing[:, 0] = math.nan
    table = ranks(nothing)
    assert (table.rows, table.columns) == ((), ())
    assert table.notes == ("There is no data set with a split on which all methods have a score.",)
    assert all(render(table) for render in RENDERERS.values())


@pytest.mark.filterwarnings("error")
def test_all_tied_and_all_alike_are_said():
    tied = ranks(np.full((4, 4), 0.5))
    assert any("All methods tie on every data set." in note for note in tied.notes)
    alike = ranks(np.tile([0.9, 0.8, 0.7, 0.6], (5, 1)))
    assert any("= infinite, p" in note for note in alike.notes)
    assert any("Every data set ranks the methods the same" in note for note in alike.notes)
    for table in (tied, alike):
        assert all("nan" not in render(table) for render in RENDERERS.values())


def test_where_friedman_finds_nothing_no_pair_differs():
    noise = np.random.default_rng(0).normal(size=(6, 4))
    table = ranks(noise)
    assert not rank_test(noise).significant
    assert any("no pair of methods counts as different" in note for note in table.notes)
    assert {row.cells[1].printed for row in table.rows} == {"a"}
    assert not any(cell.bold for row in table.rows for cell in row.cells)


def test_a_method_without_scores_does_not_remove_the_ranking():
    means = MEANS.copy()
    means[:, 2] = np.nan
    table = ranks(means)
    expected = rank_test(MEANS[:, [0, 1, 3]])
    printed = {row.labels[0]: row.cells[0].printed for row in table.rows}
    assert printed == {
        name: f"{rank:.2f}" for name, rank in zip("ABD", expected.mean_ranks, strict=True)
    }
    assert "Left out, with no score on some of these data sets: C." in table.notes
