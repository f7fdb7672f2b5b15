"""Successive halving over rows."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.protocol.fits import Fit
from mlbench.protocol.halving import LEAST_ROWS, halved, n_rounds, part_of
from mlbench.protocol.splitters import TrainTest

FOLDS = [
    TrainTest(np.arange(0, 90), np.arange(90, 100)),
    TrainTest(np.arange(10, 100), np.arange(0, 10)),
]


class Saved(dict):
    def load(self, name):
        return self.get(name)

    def save(self, name, value):
        self[name] = value


class Search:
    """Scores a candidate by its quality, and writes down what is asked."""

    def __init__(self, quality):
        self.quality = quality
        self.asked = []

    def __call__(self, fold, points):
        self.asked.append((len(fold.train), list(points)))
        return [Fit(point, self.quality[point], None) for point in points]


def test_each_round_has_three_times_the_rows_and_a_third_of_the_candidates():
    quality = np.random.default_rng(2).permutation(27).astype(float)
    search = Search(quality)
    table = halved(search, 27, FOLDS, 3, "macro_f1", Saved())
    best = np.argsort(-quality)
    rounds = [(LEAST_ROWS, 27), (30, 9), (90, 3)]
    assert [(n, len(points)) for n, points in search.asked] == [r for r in rounds for _ in FOLDS]
    assert [[fit.point for fit in column] for column in table] == [sorted(best[:3])] * 2


def test_smaller_is_better_for_losses():
    table = halved(Search([3.0, 1.0, 2.0, 4.0, 5.0]), 5, FOLDS, 2, "hamming_loss", Saved())
    assert [fit.point for fit in table[0]] == [1, 2]


def test_a_candidate_without_a_score_is_dropped_first():
    table = halved(Search([None, 0.1, 0.2, None]), 4, FOLDS, 2, "macro_f1", Saved())
    assert [fit.point for fit in table[0]] == [1, 2]


def test_few_candidates_are_scored_on_all_rows_at_once():
    search = Search([0.1, 0.2, 0.3])
    halved(search, 3, FOLDS, 3, "macro_f1", Saved())
    assert search.asked == [(90, [0, 1, 2])] * 2


@pytest.mark.parametrize(("n", "factor", "rounds"), [(1, 2, 0), (9, 3, 1), (10, 3, 2), (58, 3, 3)])
def test_rounds_before_the_last(n, factor, rounds):
    assert n_rounds(n, factor) == rounds


def test_rows_are_nested_and_the_test_part_is_whole():
    few, more = part_of(FOLDS[0], 0, 1 / 9), part_of(FOLDS[0], 0, 1 / 3)
    assert set(few.train) < set(more.train) < set(FOLDS[0].train)
    assert (few.test == FOLDS[0].test).all()
    assert (np.diff(few.train) > 0).all()


def test_a_killed_search_goes_on_after_its_last_round():
    saved, quality = Saved(), np.arange(9.0)
    whole = halved(Search(quality), 9, FOLDS, 3, "macro_f1", saved)
    search = Search(quality)
    assert halved(search, 9, FOLDS, 3, "macro_f1", saved) == whole
    assert search.asked == [(90, [6, 7, 8])] * 2


def test_every_task_keeps_its_share():
    tasks = np.repeat([0, 1, 2], [60, 30, 10])
    fold = TrainTest(np.arange(100), np.array([], dtype=int))
    assert np.bincount(tasks[part_of(fold, 0, 1 / 9, tasks).train]).tolist() == [20, 20, 10]
    assert np.bincount(tasks[part_of(fold, 0, 1 / 2, tasks).train]).tolist() == [30, 20, 10]


def test_a_candidate_that_fails_on_few_rows_is_out_and_the_others_go_on():
    class Fussy(Search):
        def __call__(self, fold, points):
            if 3 in points and len(fold.train) < 50:
                raise ValueError("3 needs 50 rows")
            return super().__call__(fold, points)

    quality = np.arange(9.0)
    quality[3] = 100.0
    table = halved(Fussy(quality), 9, FOLDS, 3, "macro_f1", Saved())
    assert [fit.point for fit in table[0]] == [6, 7, 8]


def test_a_candidate_that_fails_on_one_fold_is_out():
    class Fussy(Search):
        def __call__(self, fold, points):
            if 3 in points and len(fold.train) < 50 and fold.test[0] == FOLDS[0].test[0]:
                raise ValueError("not on this fold")
            return super().__call__(fold, points)

    quality = np.arange(9.0)
    quality[3] = 100.0
    table = halved(Fussy(quality), 9, FOLDS, 3, "macro_f1", Saved())
    assert [fit.point for fit in table[0]] == [6, 7, 8]


def test_a_lack_of_memory_ends_the_search():
    def fits(fold, points):
        raise MemoryError

    with pytest.raises(MemoryError):
        halved(fits, 9, FOLDS, 3, "macro_f1", Saved())


def test_among_equal_candidates_the_first_go_on():
    table = halved(Search(np.zeros(9)), 9, FOLDS, 3, "macro_f1", Saved())
    assert [fit.point for fit in table[0]] == [0, 1, 2]
