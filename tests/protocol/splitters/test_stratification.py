from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_multilabel_classification

from mlbench.data import load_dataset
from mlbench.options import STRATIFIES
from mlbench.papers.splitters import Imbalanced
from mlbench.protocol.splitters import KFold, RandomSplits, tuning_folds
from mlbench.protocol.splitters.stratification import shuffled
from tests.protocol.splitters.cases import assert_lawful, dataset

LABELS = make_multilabel_classification(
    503, n_classes=8, n_labels=3, allow_unlabeled=True, random_state=1
)[1]


def parts_of(Y, sizes, stratify, seed=0):
    order = shuffled(np.arange(len(Y)), sizes, np.random.RandomState(seed), Y, stratify)
    assert sorted(order) == list(range(len(Y)))
    return np.split(order, np.cumsum(sizes))


def label_distance(Y, parts):
    """How far the share of a label in a part is from that in all rows."""
    return np.abs(np.array([Y[part].mean(axis=0) for part in parts]) - Y.mean(axis=0)).mean()


def pair_distance(Y, parts):
    """The same for shares of pairs of labels: Szymanski and Kajdanowicz (2017)."""
    pairs = np.triu_indices(Y.shape[1], 1)
    share = [(Y[part].T @ Y[part])[pairs] / len(part) for part in (np.arange(len(Y)), *parts)]
    return np.abs(np.array(share[1:]) - share[0]).mean()


@pytest.mark.slow
@given(
    Y=st.integers(1, 5).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 1), min_size=k, max_size=k), min_size=4)
    ),
    shares=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    stratify=st.sampled_from(STRATIFIES),
    leave=st.booleans(),
)
def test_every_row_is_in_one_part_of_exactly_the_size(Y, shares, stratify, leave):
    Y = np.array(Y)
    sizes = (np.array(shares) * len(Y) // (sum(shares) + leave)).tolist()
    parts_of(Y, sizes, stratify)


@pytest.mark.parametrize("stratify", STRATIFIES)
def test_of_exclusive_classes_each_part_has_its_share_within_one(stratify):
    classes = np.repeat(range(5), (7, 13, 20, 60, 100))
    Y = np.eye(5, dtype=np.int64)[classes]
    for seed in range(10):
        for part in parts_of(Y, [20] * 10, stratify, seed)[:-1]:
            off = Y[part].sum(axis=0) - Y.sum(axis=0) / 10
            assert (np.abs(off) <= (1 if stratify != "labelsets" else 1.5)).all()


@pytest.mark.parametrize("seed", range(3))
def test_labels_and_pairs_are_closer_to_those_of_all_rows_than_at_random(seed):
    sizes = [51] * 3 + [50] * 7
    none, labels, pairs, labelsets, _ = (
        parts_of(LABELS, sizes, by, seed)[:-1] for by in (None, *STRATIFIES)
    )
    at_random = label_distance(LABELS, none)
    assert label_distance(LABELS, labels) < at_random / 3
    assert label_distance(LABELS, pairs) < at_random / 3
    assert label_distance(LABELS, labelsets) < at_random
    assert pair_distance(LABELS, pairs) < pair_distance(LABELS, labels) / 2
    assert pair_distance(LABELS, labelsets) < pair_distance(LABELS, none)


def drawn(share, seed):
    return (np.random.default_rng(seed).random((100, 6)) < share).astype(np.int64)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("stratify", ["labels", "every_label"])
def test_frequent_labels_are_spread_as_evenly_as_rare_ones(stratify, share):
    for seed in range(5):
        Y = drawn(share, seed)
        counts = np.array(
            [Y[part].sum(axis=0) for part in parts_of(Y, [25] * 4, stratify, seed)[:4]]
        )
        assert np.ptp(counts, axis=0).max() <= 2


def iterative_stratification(Y, sizes, rng):
    """Sechidis, Tsoumakas and Vlahavas (2011), algorithm 1; sizes are not exact."""
    rows = np.array(sizes, dtype=float)
    wanted = np.outer(rows / len(Y), Y.sum(axis=0))
    part = np.full(len(Y), -1)

    def assign(row, parts):
        chosen = rng.choice(parts[rows[parts] == rows[parts].max()])
        part[row] = chosen
        rows[chosen] -= 1
        wanted[chosen] -= Y[row]

    while (left := Y[part < 0].sum(axis=0)).any():
        label = np.where(left > 0, left, len(Y) + 1).argmin()
        for row in np.flatnonzero((part < 0) & (Y[:, label] == 1)):
            assign(row, np.flatnonzero(wanted[:, label] == wanted[:, label].max()))
    for row in np.flatnonzero(part < 0):
        assign(row, np.arange(len(sizes)))
    return [np.flatnonzero(part == each) for each in range(len(sizes))]


def assert_never_worse(Y):
    tenth, extra = divmod(len(Y), 10)
    for sizes in ([tenth + (fold < extra) for fold in range(10)], [6 * tenth, len(Y) - 6 * tenth]):
        for seed in range(3):
            ours = parts_of(Y, sizes, "labels", seed)[:-1]
            theirs = iterative_stratification(Y, sizes, np.random.RandomState(seed))
            assert label_distance(Y, ours) <= label_distance(Y, theirs) + 1e-12


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.5, 0.7, 0.9])
def test_labels_are_never_spread_worse_than_by_iterative_stratification(share):
    assert_never_worse(drawn(share, 0))


@pytest.mark.parametrize("name", ["flags", "emotions"])
def test_nor_are_those_of_real_data(name, real_file):
    real_file(f"{name}/{name}.xml")
    assert_never_worse(load_dataset(name).Y)


def test_every_label_is_in_both_parts_where_there_are_two_positives():
    rare = np.zeros((100, 12), dtype=np.int64)
    for label in range(12):
        rare[label * 3 : label * 3 + 2, label] = 1

    def without_positives(stratify):
        parts = parts_of(rare, [90, 10], stratify)[:2]
        return sum(int((rare[part].sum(axis=0) == 0).sum()) for part in parts)

    assert without_positives("labels") > 0
    assert without_positives("every_label") <= 2, "10 rows of 12 labels hold 10 of them"


@pytest.mark.slow
def test_rows_without_labels_and_lone_positives_do_not_prefer_a_part():
    """Folds differ in size by one row; single rows are to fall into all of them."""
    Y = np.zeros((32, 20), dtype=np.int64)
    Y[:20] = np.eye(20)
    fall = np.zeros(3)
    for seed in range(200):
        parts = parts_of(Y, [11, 11, 10], "labels", seed)[:-1]
        fall += [(part < 20).sum() for part in parts]
    assert fall / 200 == pytest.approx(20 * np.array([11, 11, 10]) / 32, abs=0.5)


@pytest.mark.parametrize("stratify", STRATIFIES)
def test_random_splits_and_folds_take_it(stratify):
    data = dataset(503, 8, Y=LABELS)
    split = RandomSplits(train=0.6, test=0.2, seed=1, stratify=stratify)
    drawn = split.draw(data, 0)
    assert (len(drawn.train.Y), len(drawn.test.Y)) == (302, 101)
    assert_lawful(drawn.train.rows, drawn.test.rows, 503)
    assert drawn.train.Y.mean(axis=0) == pytest.approx(LABELS.mean(axis=0), abs=0.02)
    assert set(drawn.train.rows) != set(split.draw(data, 1).train.rows)
    folds = [KFold(folds=5, seed=1, stratify=stratify).divide(data, i).test for i in range(5)]
    assert sorted(np.concatenate(folds)) == list(range(503))
    inner = drawn.folds(4, stratify)
    assert sorted(np.concatenate([fold.test for fold in inner])) == list(range(302))


def test_a_fold_of_a_search_has_positives_of_every_label_that_has_enough():
    rare = np.zeros((100, 10), dtype=np.int64)
    for label in range(10):
        rare[label * 5 : label * 5 + 5, label] = 1

    def positives(stratify):
        folds = tuning_folds(100, 5, (0, "d", 0), None, rare, stratify)
        return np.array([rare[fold.test].sum(axis=0) for fold in folds])

    assert (positives(None) == 0).any()
    assert (positives("labels") == 1).all()


def test_each_task_is_stratified_by_itself_and_twins_stay_together():
    tasks = np.repeat([0, 1], [30, 60])
    y = np.r_[np.arange(30) % 3 == 0, np.arange(60) % 6 == 0].astype(np.int64)[:, None]
    data = dataset(90, tasks=tasks, Y=y)
    half = RandomSplits(train=0.5, seed=0, stratify="labels")
    train = half.draw(data, 0).train
    assert np.bincount(train.tasks, train.Y[:, 0]).tolist() == [5, 5]
    drawn = Imbalanced(inner=half, ratio=2).draw(data, 0)
    for fold in drawn.folds(3, "labels"):
        assert not set(drawn.places[fold.train]) & set(drawn.places[fold.test])


def test_without_it_a_split_is_what_it_was():
    plain = RandomSplits(train=0.6, seed=1)
    assert "stratify" not in plain.identity(0)["split"]
    by = replace(plain, stratify="labels").identity(0)["split"]
    assert by == {**plain.identity(0)["split"], "stratify": "labels", "stratification": 2}
    dealt = replace(plain, stratify="labelsets").identity(0)["split"]
    assert "stratification" not in dealt
