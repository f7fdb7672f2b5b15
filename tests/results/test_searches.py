"""What a search says about its outcome, on searches written by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.results.searches import GridEnd, fold_scores, given_away, grid_end, outcome_of
from mlbench.store import TuningRecord

GRID = [{"C": 0.1, "kind": "a"}, {"C": 1, "kind": "a"}, {"C": 10, "kind": None}]
F1 = [[0.2, 0.4], [0.5, 0.7], [0.6, 0.8]]


def search(scores=F1, best=2, metric="macro_f1", grid=GRID, **also):
    return TuningRecord(metric, 0, grid, best, scores, also)


def test_what_the_choice_lost_in_another_metric():
    found = search(macro_auc=[[0.9, 0.7], [0.5, 0.6], [0.6, 0.5]])
    lost = given_away(found, "macro_auc")
    assert lost.mean == pytest.approx(0.8 - 0.55)
    assert lost.standard_error == pytest.approx(0.05)  # of the differences .3 and .2
    assert given_away(found, "macro_f1") == (0, 0)
    assert given_away(found, "micro_f1") is None
    assert fold_scores(found, "micro_f1") is None


def test_a_metric_that_decided_lost_nothing_and_has_ends_of_its_own():
    found = replace(
        search(macro_auc=[[0.9, 0.7], [0.5, 0.6], [0.6, 0.5]]),
        best_by={"macro_f1": 2, "macro_auc": 0},
    )
    assert given_away(found, "macro_auc") == (0, 0)
    ends = outcome_of(found).grid_ends
    assert ends["C"] == GridEnd(10, True, 3, pytest.approx(0.1))
    assert ends["C@macro_auc"] == GridEnd(0.1, False, 3, pytest.approx(0.25))
    seen = found.by("macro_auc")
    assert (seen.metric, seen.best, seen.also) == ("macro_auc", 0, {"macro_f1": F1})
    assert seen.by("macro_f1") == found


def test_a_smaller_loss_is_better():
    lost = given_away(search(hamming_loss=[[0.1, 0.1], [0.3, 0.3], [0.2, 0.3]]), "hamming_loss")
    assert lost.mean == pytest.approx(0.15)


def test_undefined_scores_are_left_out():
    found = search(macro_auc=[[0.9, None], [None, None], [0.5, 0.7]])
    lost = given_away(found, "macro_auc")
    assert lost.mean == pytest.approx(0.9 - 0.6)
    assert lost.standard_error is None
    assert given_away(search(macro_auc=[[0.9, 0.9]] * 2 + [[None] * 2]), "macro_auc") is None


def test_the_slope_of_the_last_step():
    end = grid_end(search(), "C")
    assert end == GridEnd(10, True, 3, pytest.approx(0.1))
    assert grid_end(search(best=0, metric="hamming_loss"), "C") == GridEnd(
        0.1, False, 3, pytest.approx(0.3)
    )
    assert grid_end(search(best=1), "C") is None


def test_the_best_at_each_value_counts():
    grid = [{"C": C, "k": k} for C in (1, 2) for k in (3, 4)]
    found = search([[0.1], [0.5], [0.2], [0.6]], best=3, grid=grid)
    assert grid_end(found, "C").slope == pytest.approx(0.1)
    assert grid_end(found, "k").slope == pytest.approx(0.4)


def test_a_value_that_was_not_reached_has_no_slope():
    assert grid_end(search([[0.1], [None], [0.2]]), "C").slope is None


def test_a_choice_by_few_folds_and_a_search_that_could_not_choose():
    ordinary = outcome_of(search())
    assert (ordinary.few_folds, ordinary.equal_means) == (False, False)
    assert outcome_of(search([[0.1, 0.3], [None, 0.2], [0.9, None]])).few_folds
    assert outcome_of(search([[None] * 3, [None] * 3, [0.9, None, None]])).few_folds
    assert outcome_of(search([[0.1 + 0.2], [0.3], [0.3]])).equal_means
    assert not outcome_of(search([[None], [0.3], [0.3]])).equal_means
    assert not outcome_of(search([[0.3]], best=0, grid=GRID[:1])).equal_means


@pytest.mark.parametrize("values", [(1, 1), ("a", "b"), (True, False)])
def test_texts_flags_and_single_values_have_no_end(values):
    grid = [{"C": value} for value in values]
    assert grid_end(search([[0.1], [0.2]], best=1, grid=grid), "C") is None


def test_what_was_lost_has_no_digits_of_rounding():
    scores = [[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]]  # 0.3 - 0.1 is 0.19999999999999998
    assert given_away(search(hamming_loss=scores), "hamming_loss") == (0.2, 0)
