from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

from mlbench.errors import DataError
from mlbench.protocol.splitters import KFold, PublishedSplit, RandomSplits, tuning_folds
from mlbench.protocol.splitters.grouping import (
    MAX_STEPS,
    SWEEPS,
    _by_group,
    _exchange,
    grouped_folds,
)
from mlbench.protocol.splitters.stratification import spread_by
from tests.protocol.splitters.cases import assert_lawful, dataset

GROUPS = st.lists(st.integers(0, 7), min_size=12, max_size=60).filter(lambda g: len({*g}) >= 5)


def random(seed=0):
    return np.random.RandomState(seed)


def labels(n, k, seed=0):
    return (random(seed).random_sample((n, k)) < np.linspace(0.1, 0.6, k)).astype(np.int64)


@given(groups=GROUPS, seed=st.integers(0, 99), stratify=st.sampled_from([None, "labels"]))
def test_no_group_is_in_two_parts(groups, seed, stratify):
    groups = np.array(groups)
    data = dataset(len(groups), 2, groups=groups, Y=labels(len(groups), 2))
    for splitter in (
        RandomSplits(train=0.6, seed=seed, stratify=stratify),
        RandomSplits(train=0.4, test=0.3, seed=seed, stratify=stratify),
        KFold(folds=4, seed=seed, stratify=stratify),
    ):
        split = splitter.divide(data, 1)
        assert_lawful(split.train, split.test, len(groups))
        assert not {*groups[split.train]} & {*groups[split.test]}


@given(groups=GROUPS, folds=st.integers(2, 5), seed=st.integers(0, 99))
def test_every_row_is_tested_once_in_each_repetition(groups, folds, seed):
    data = dataset(len(groups), groups=np.array(groups))
    splits = [KFold(folds=folds, seed=seed).divide(data, i) for i in range(2 * folds)]
    for repetition in (splits[:folds], splits[folds:]):
        tested = np.concatenate([split.test for split in repetition])
        assert sorted(tested) == [*range(len(groups))]


@given(groups=GROUPS, folds=st.integers(2, 5), stratify=st.sampled_from([None, "label_pairs"]))
def test_no_tuning_fold_divides_a_group(groups, folds, stratify):
    groups = np.array(groups)
    Y = labels(len(groups), 3)
    found = tuning_folds(len(groups), folds, (0, "d", 1), None, Y, stratify, groups)
    assert sorted(np.concatenate([fold.test for fold in found])) == [*range(len(groups))]
    for fold in found:
        assert_lawful(fold.train, fold.test, len(groups))
        assert not {*groups[fold.train]} & {*groups[fold.test]}


@given(groups=GROUPS, folds=st.integers(2, 5))
def test_folds_are_as_even_as_those_of_scikit_learn(groups, folds):
    groups = np.array(groups)
    ours = np.bincount(grouped_folds(groups, folds, random(), "d"))
    theirs = [len(test) for _, test in GroupKFold(folds).split(groups, groups=groups)]
    assert sorted(ours) == sorted(theirs)


def test_classes_are_as_even_as_those_of_scikit_learn():
    """With one label, which is all that scikit-learn stratifies by; over ten seeds."""
    ours, theirs = [], []
    for seed in range(10):
        rng = random(seed)
        groups = rng.randint(0, 40, 400)
        y = (rng.random_sample(400) < rng.random_sample(40)[groups] / 2).astype(np.int64)
        fold = grouped_folds(groups, 5, rng, "d", y[:, None], "labels")
        ours.append(np.ptp([y[fold == i].mean() for i in range(5)]))
        other = StratifiedGroupKFold(5).split(y, y, groups)
        theirs.append(np.ptp([y[test].mean() for _, test in other]))
    assert np.mean(ours) < np.mean(theirs)


def exchange_afresh(part, has, shares, rng):
    """Exchange and move groups as the module does, with all products made afresh for each group."""
    n = len(part)
    has = has.toarray()
    parts = range(len(shares))
    for a in np.concatenate([rng.permutation(n) for _ in range(SWEEPS)])[:MAX_STEPS]:
        off = [has[part == p].sum(axis=0) - shares[p] * has.sum(axis=0) for p in parts]
        p, best, choice = part[a], -1e-9, None
        options = [(a, b, part[b], has[a] - has[b]) for b in range(n) if part[b] != p]
        if (part == p).sum() > 1:
            options += [(a, None, q, has[a]) for q in parts if q != p and shares[q]]
        for option in options:
            _, _, q, given = option
            change = 2 * (given @ (off[q] - off[p]) + given @ given)
            if change < best:
                best, choice = change, option
        if choice:
            _, b, q, _ = choice
            part[a] = q
            if b is not None:
                part[b] = p


@given(
    groups=GROUPS,
    seed=st.integers(0, 999),
    stratify=st.sampled_from(["labels", "label_pairs"]),
    sizes=st.sampled_from([[0.2] * 5, [0.6, 0.4], [0.5, 0.2, 0.3]]),
)
def test_exchanges_are_those_of_products_made_afresh(groups, seed, stratify, sizes):
    """Groups have weights by chance, without which exchanges tie."""
    member = np.unique(groups, return_inverse=True)[1]
    rng = random(seed)
    has = _by_group(member, spread_by(labels(len(groups), 4, seed), stratify))
    has = sparse.csr_array(has.multiply(1 + rng.random_sample(has.shape)))
    part = rng.permutation(np.arange(member.max() + 1) % len(sizes))
    ours, theirs = part.copy(), part.copy()
    _exchange(ours, has, np.array(sizes), random(seed))
    exchange_afresh(theirs, has, sizes, random(seed))
    assert ours.tolist() == theirs.tolist()


def test_groups_of_many_labels_are_divided_as_ever():
    """The hash is of a version that made all products afresh."""
    rng = random(5)
    groups, shares = rng.randint(0, 300, 2000), 0.4 * rng.random_sample(60)
    Y = (rng.random_sample((2000, 60)) < shares).astype(np.int64)
    fold = grouped_folds(groups, 5, random(), "d", Y, "label_pairs")
    assert hashlib.sha256(fold.astype("<i8").tobytes()).hexdigest()[:12] == "36ca027c30c0"


def test_labels_are_spread_and_sizes_give_way_a_little():
    rng = random(3)
    groups = rng.randint(0, 60, 600)
    Y = (rng.random_sample((600, 5)) < rng.random_sample((60, 5))[groups] / 3).astype(np.int64)

    def off(stratify):
        data = dataset(600, 5, groups=groups, Y=Y)
        splits = [RandomSplits(train=0.6, stratify=stratify).divide(data, i) for i in range(5)]
        sizes = [abs(len(split.train) - 360) for split in splits]
        counts = [np.abs(Y[split.train].sum(axis=0) - 0.6 * Y.sum(axis=0)) for split in splits]
        return max(sizes), np.mean(counts)

    sizes, counts = off("labels")
    assert sizes <= 6
    assert counts < off(None)[1] / 4


def test_a_large_group_is_tested_about_as_often_as_its_rows_would_be():
    groups = np.repeat(np.arange(21), [20, *[4] * 20])
    data = dataset(100, groups=groups)
    splits = [RandomSplits(train=0.6).divide(data, index) for index in range(400)]
    tested = np.mean([0 in groups[split.test] for split in splits])
    assert 0.33 < tested < 0.47


def test_the_rows_of_each_task_are_spread_over_parts_that_divide_no_group():
    rng = random(1)
    groups = rng.randint(0, 50, 500)
    tasks = rng.randint(0, 3, 500)
    split = KFold(folds=5).divide(dataset(500, tasks=tasks, groups=groups), 2)
    assert not {*groups[split.train]} & {*groups[split.test]}
    shares = np.bincount(tasks[split.test]) / np.bincount(tasks)
    assert np.abs(shares - 0.2).max() < 0.03


def test_tuning_folds_of_a_split_divide_no_group_where_labels_are_unknown():
    rng = random(2)
    groups, known = rng.randint(0, 10, 60), rng.random_sample((60, 2)) < 0.7
    data = dataset(60, 2, groups=groups, known=known)
    split = RandomSplits(train=0.7).draw(data, 0)
    for fold in split.folds(3):
        train, test = split.train.rows[fold.train], split.train.rows[fold.test]
        assert not {*groups[train]} & {*groups[test]}


def test_a_split_depends_on_the_groups_and_not_on_their_names():
    names = np.repeat(["b", "a", "c", "d"], 5)
    one = RandomSplits(train=0.5).divide(dataset(20, groups=names), 0)
    other = RandomSplits(train=0.5).divide(dataset(20, groups=np.repeat([3, 9, 0, 1], 5)), 0)
    assert one.train.tolist() == other.train.tolist()


def test_the_stream_of_a_seed_stays_what_it_is():
    data = dataset(8, name="emotions", groups=np.array([0, 0, 1, 1, 2, 3, 3, 4]))
    assert RandomSplits(train=0.5).divide(data, 0).train.tolist() == [4, 5, 6, 7]
    assert KFold(folds=2).divide(data, 0).train.tolist() == [2, 3, 4, 7]


@pytest.mark.parametrize(
    ("splitter", "folds", "stratify", "words"),
    [
        (KFold(folds=5), 0, None, "d: 4 groups cannot be divided into 5"),
        (RandomSplits(train=0.5), 3, None, "d: training parts have 2 of the 4 groups"),
        (RandomSplits(train=0.5, stratify="labelsets"), 0, None, "labelsets cannot keep groups"),
        (RandomSplits(train=0.5), 2, "every_label", "every_label cannot keep groups"),
        (PublishedSplit(), 0, None, "1 of 4 groups are in both parts of split 0"),
    ],
)
def test_what_groups_do_not_allow_is_refused_with_numbers(splitter, folds, stratify, words):
    data = dataset(20, groups=np.repeat(np.arange(4), 5), published_train=np.arange(12))
    with pytest.raises(DataError, match=words):
        splitter.examine(data, 3, folds, stratify)


def test_one_group_is_refused_in_its_own_words():
    with pytest.raises(DataError, match="d: all rows are of one group, so no part can be without"):
        KFold(folds=2).examine(dataset(20, groups=np.zeros(20, int)), 2, 0, None)


def test_the_largest_deviation_is_told():
    even = dataset(20, groups=np.repeat(np.arange(4), 5), published_train=np.arange(10))
    assert KFold(folds=4).examine(even, 4, 3, None).note == "none of 4 groups is divided"
    assert PublishedSplit().examine(even, 1, 2, None).note == "none of 4 groups is divided"
    odd = dataset(20, groups=np.repeat([0, 1, 2], [14, 3, 3]))
    told = KFold(folds=2).examine(odd, 2, 0, None)
    assert told.note == "none of 3 groups is divided; sizes are off by up to 4 rows of 20"


def test_data_without_groups_need_no_trial():
    assert KFold(folds=50).examine(dataset(20), 4, 3, None).note == ""
