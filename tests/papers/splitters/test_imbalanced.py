from __future__ import annotations

import numpy as np
import pytest

from mlbench.papers.splitters import Imbalanced
from mlbench.papers.splitters.imbalanced import draw_imbalanced, folds_of_drawn
from mlbench.protocol.splitters import KFold, RandomSplits, tuning_folds
from tests.protocol.splitters.cases import dataset

AXES = (7, "digits", 0, "train")


@pytest.fixture
def Y():
    return (np.random.RandomState(0).rand(66, 3) < [0.5, 0.2, 0.9]).astype(np.int64)


@pytest.mark.parametrize(("ratio", "n_positive"), [(1, 33), (5, 11), (10, 6), (0.5, 44), (1e9, 1)])
def test_every_label_becomes_a_task_of_n_samples_with_the_ratio(Y, ratio, n_positive):
    drawn = draw_imbalanced(Y, None, ratio, AXES)
    assert np.bincount(drawn.tasks).tolist() == [66, 66, 66]
    np.testing.assert_array_equal(drawn.y, Y[drawn.places, drawn.tasks])
    assert np.bincount(drawn.tasks, weights=drawn.y).tolist() == [n_positive] * 3


def test_with_tasks_each_draws_from_its_own_rows(Y):
    tasks = np.random.RandomState(1).permutation(np.repeat([0, 2], [26, 40]))
    drawn = draw_imbalanced(Y[:, :1], tasks, 1, AXES)
    np.testing.assert_array_equal(tasks[drawn.places], drawn.tasks)
    np.testing.assert_array_equal(Y[drawn.places, 0], drawn.y)
    assert np.bincount(drawn.tasks).tolist() == [26, 0, 40]
    assert np.bincount(drawn.tasks, weights=drawn.y).tolist() == [13, 0, 20]


@pytest.mark.slow
def test_rows_of_a_class_are_equally_likely_and_drawn_with_replacement():
    Y = np.repeat([[1], [0]], [4, 12], axis=0)
    times = np.zeros(16)
    for index in range(2000):
        drawn = draw_imbalanced(Y, None, 1, (7, "digits", index, "train"))
        times += np.bincount(drawn.places, minlength=16)
    expected = np.repeat([8 / 4, 8 / 12], [4, 12]) * 2000
    assert np.abs(times - expected).max() < 5 * np.sqrt(expected.max())


def test_a_task_of_one_class_draws_from_it():
    Y = np.column_stack([np.zeros(20, int), np.ones(20, int)])
    drawn = draw_imbalanced(Y, None, 5, AXES)
    assert drawn.y.tolist() == [0] * 20 + [1] * 20
    assert np.bincount(drawn.tasks).tolist() == [20, 20]


def test_draws_depend_on_the_named_axes_and_nothing_else(Y):
    first = draw_imbalanced(Y, None, 5, AXES).places
    np.random.seed(3)
    assert (draw_imbalanced(Y, None, 5, AXES).places == first).all()
    others = [
        (8, *AXES[1:]),
        (7, "toy", 0, "train"),
        (7, "digits", 1, "train"),
        (*AXES[:3], "test"),
    ]
    for axes in others:
        assert (draw_imbalanced(Y, None, 5, axes).places != first).any()
    fewer = draw_imbalanced(Y[:, :2], None, 5, AXES).places
    assert (fewer == first[: 2 * 66]).all(), "a task's draws do not depend on the others"
    assert (first[:66] != first[66:132]).any()


def test_all_samples_of_a_row_stay_in_one_fold(Y):
    drawn = draw_imbalanced(Y, None, 5, AXES)
    folds = tuning_folds(66, 3, (7, "digits", 0))
    divided = folds_of_drawn(folds, drawn.places)
    held = np.concatenate([fold.test for fold in divided])
    assert sorted(held) == list(range(3 * 66))
    for fold, rows in zip(divided, folds, strict=True):
        assert sorted([*fold.train, *fold.test]) == list(range(3 * 66))
        assert not set(drawn.places[fold.train]) & set(drawn.places[fold.test])
        assert set(drawn.places[fold.test]) <= set(rows.test)


@pytest.mark.parametrize("inner", [RandomSplits(train=0.5, seed=7), KFold(folds=3, seed=7)])
def test_both_parts_are_drawn_from_those_of_the_inner_splitter(Y, inner):
    data = dataset(66, 3, Y=Y)
    splitter = Imbalanced(inner=inner, ratio=5)
    split, rows = splitter.draw(data, 1), inner.divide(data, 1)
    for part, expected in ((split.train, rows.train), (split.test, rows.test)):
        assert set(part.rows) <= set(expected)
        np.testing.assert_array_equal(part.X[:, 0], part.rows)
        np.testing.assert_array_equal(part.Y[:, 0], Y[part.rows, part.tasks])
    for fold in split.folds(2):
        assert not set(split.train.rows[fold.train]) & set(split.train.rows[fold.test])
    assert list(split.kept) == ["rows", "tasks"]
    assert splitter.identity(1) == {**inner.identity(1), "imbalance": {"ratio": 5}}
