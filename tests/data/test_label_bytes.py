"""Labels take a byte each, and nothing that counts them overflows."""

import hashlib

import numpy as np
import pytest

from mlbench.data.dataset import Dataset
from mlbench.data.description import describe
from mlbench.estimator_adapter import fit
from mlbench.protocol.splitters.stratification import spread_by
from mlbench.protocol.thresholds import choose_thresholds


def dataset(n=1000, k=3, dtype=np.int64):
    """More than 127 rows have each label, and each pair of labels."""
    random = np.random.default_rng(0)
    Y = (random.random((n, k)) < [0.9, 0.6, 0.4][:k]).astype(dtype)
    names = tuple("abc"[:k])
    return Dataset("many rows", random.standard_normal((n, 2)), Y, names, ("x", "y"))


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.int64, np.float64])
def test_labels_are_bytes_and_the_fingerprint_is_that_of_64_bit_numbers(dtype):
    data = dataset(n=9000, dtype=dtype)
    assert data.Y.dtype == np.int8
    sha = hashlib.sha256()
    for name, array in (("X", data.X), ("Y", data.Y.astype("<i8"))):
        sha.update(f"{name}:{array.dtype.str}:{array.shape};".encode())
        sha.update(array.tobytes())
    for names in (data.label_names, data.feature_names, ()):
        sha.update(repr(names).encode())
    assert data.fingerprint == sha.hexdigest()


def test_a_description_counts_pairs_beyond_127_rows():
    data = dataset()
    Y = data.Y.astype(np.int64)
    pairs = {frozenset(each.labels): each.rows for each in describe(data).pairs}
    together = Y.T @ Y
    assert pairs == {
        frozenset("ab"): together[0, 1],
        frozenset("ac"): together[0, 2],
        frozenset("bc"): together[1, 2],
    }
    assert together.min() > 127


@pytest.mark.parametrize("stratify", ["labels", "label_pairs", "every_label"])
def test_stratification_spreads_the_same(stratify):
    data = dataset()
    by_bytes, by_numbers = (spread_by(Y, stratify) for Y in (data.Y, data.Y.astype(np.int64)))
    assert (by_bytes != by_numbers).nnz == 0
    assert by_bytes.sum() == by_numbers.sum()


@pytest.mark.parametrize("policy", ["train_f1_global", "train_f1_label", "cv_f1_label"])
def test_thresholds_are_the_same(policy):
    data = dataset()
    scores = data.Y + np.random.default_rng(1).standard_normal(data.Y.shape)
    by_bytes = choose_thresholds(policy, data.Y, scores)
    np.testing.assert_array_equal(
        by_bytes.values, choose_thresholds(policy, data.Y.astype(np.int64), scores).values
    )


def test_other_estimators_get_numbers_of_64_bits():
    class Recorder:
        def fit(self, X, Y):
            return Y

    data = dataset()
    given = fit(Recorder(), data.X, data.Y)
    assert given.dtype == np.int64
    np.testing.assert_array_equal(given.T @ given, data.Y.astype(int).T @ data.Y.astype(int))
