"""Small data sets to be divided, and what holds for every split."""

from __future__ import annotations

import numpy as np

from mlbench.data import Dataset


def dataset(n, k=1, tasks=None, name="d", **more):
    """Return a data set with the number of the row as its only feature."""
    names = () if tasks is None else tuple(f"t{task}" for task in range(max(tasks) + 1))
    labels = tuple(f"y{j}" for j in range(k))
    Y = more.pop("Y", np.zeros((n, k), dtype=np.int64))
    X = np.arange(n, dtype=float)[:, None]
    return Dataset(name, X, Y, labels, ("x",), tasks=tasks, task_names=names, **more)


def assert_lawful(train, test, n):
    """Assert that rows ascend without repetition, are disjoint, and lie inside the data."""
    for part in (train, test):
        assert (np.diff(part) > 0).all()
        assert part.min() >= 0
        assert part.max() < n
    assert not set(train) & set(test)
