"""Folds of a training part for tuning."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mlbench.errors import DataError
from mlbench.protocol.splitters import tuning_folds
from tests.protocol.splitters.cases import assert_lawful


@given(n=st.integers(2, 100), folds=st.integers(2, 10))
def test_tuning_folds_hold_every_training_row_out_once(n, folds):
    assume(n >= folds)
    parts = tuning_folds(n, folds, (0, "d", 0))
    assert len(parts) == folds
    assert sorted(np.concatenate([part.test for part in parts])) == list(range(n))
    for part in parts:
        assert_lawful(part.train, part.test, n)
        assert len(part.train) + len(part.test) == n


def test_tuning_folds_follow_their_axes_and_divide_each_task():
    tasks = np.repeat([0, 1], [6, 30])
    parts = tuning_folds(36, 3, (0, "d", 0), tasks)
    assert [np.bincount(tasks[part.test]).tolist() for part in parts] == [[2, 10]] * 3
    again, other = (tuning_folds(36, 3, (0, "d", index), tasks) for index in (0, 1))
    assert all((a.test == p.test).all() for a, p in zip(again, parts, strict=True))
    assert any((o.test != p.test).any() for o, p in zip(other, parts, strict=True))
    with pytest.raises(DataError, match="emotions: 4 samples cannot be divided into 5 folds"):
        tuning_folds(4, 5, (0, "emotions", 0))
