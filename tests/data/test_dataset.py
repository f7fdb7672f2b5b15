from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from mlbench.data import Dataset
from mlbench.errors import DataError


@pytest.fixture
def small() -> Dataset:
    return Dataset(
        name="small",
        X=np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]),
        Y=np.array([[1, 0], [0, 1], [1, 1]]),
        label_names=("cat", "dog"),
        feature_names=("a", "b"),
        published_train=np.array([0, 1]),
    )


def test_sizes(small):
    assert (small.n_samples, small.n_features, small.n_labels) == (3, 2, 2)


def test_the_fingerprint_is_of_the_content_alone(small):
    copy = replace(small, name="other", notes=("a note",), X=small.X.copy(order="F"))
    assert copy.fingerprint == small.fingerprint
    assert len(small.fingerprint) == 64


def test_another_description_keeps_the_fingerprint_without_new_work(small):
    assert "fingerprint" not in vars(small.described("other", ()))
    known = small.fingerprint
    other = small.described("other", ("a note",))
    assert (other.name, other.notes, vars(other)["fingerprint"]) == ("other", ("a note",), known)


@pytest.mark.parametrize(
    "change",
    [
        {"X": np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1e-300]])},
        {"Y": np.array([[1, 0], [0, 1], [1, 0]])},
        {"label_names": ("cat", "cow")},
        {"feature_names": ("ab", "")},
        {"published_train": np.array([0, 2])},
        {"published_train": None},
        {"tasks": np.array([0, 0, 1])},
        {"task_names": ("t",)},
        {"X": csr_matrix([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])},
    ],
    ids=lambda change: next(iter(change)),
)
def test_whatever_a_result_may_depend_on_changes_the_fingerprint(small, change):
    assert replace(small, **change).fingerprint != small.fingerprint


def test_what_is_known_is_part_of_the_content(small):
    known = small.Y == 1
    partly = replace(small, known=known)
    assert partly.fingerprint != small.fingerprint
    assert partly.fingerprint != replace(small, known=np.ones_like(known)).fingerprint
    with pytest.raises(
        DataError, match="`known` must have the shape of Y, and unknown labels must be 0 in Y"
    ):
        replace(small, known=~known)
    with pytest.raises(DataError, match="`known` must have the shape of Y"):
        replace(small, known=known[:-1])


def test_the_fingerprint_does_not_depend_on_the_width_of_sparse_indices(small):
    X = csr_matrix(small.X)
    wide = csr_matrix((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), X.shape)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert replace(small, X=wide).fingerprint == replace(small, X=X).fingerprint


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Y": np.array([[1, 0]])}, "1 rows in Y, but 3 are needed"),
        ({"Y": np.array([[1, 0], [0, 2], [1, 1]])}, "labels must be 0 or 1"),
        ({"Y": np.array([1, 0, 1])}, "must be tables"),
        ({"label_names": ("cat",)}, "1 label names, but 2 are needed"),
        ({"feature_names": ("a", "a")}, "two features are named 'a'"),
        ({"tasks": np.array([0])}, "1 task indices, but 3 are needed"),
    ],
)
def test_parts_that_do_not_fit_are_refused(small, change, message):
    with pytest.raises(DataError, match=f"small: .*{message}"):
        replace(small, **change)
