from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """Matrices here are small: more threads would only wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def labelled():
    """60 rows, 4 features, 3 correlated labels, and 20 new rows."""
    random = np.random.RandomState(7)
    X, new = random.randn(60, 4), random.randn(20, 4)
    Y = (X @ random.randn(4, 3) + random.randn(60, 3) > 0).astype(np.int64)
    return X, Y, new


@pytest.fixture
def tasked():
    """60 rows in 4 tasks of unequal size, and 20 new rows."""
    random = np.random.RandomState(8)
    X, new = random.randn(60, 4), random.randn(20, 4)
    tasks, new_tasks = random.randint(0, 4, 60), random.randint(0, 4, 20)
    y = (X[:, 0] + 0.3 * tasks * X[:, 1] + 0.5 * random.randn(60) > 0).astype(np.int64)
    return X, y[:, None], tasks, new, new_tasks
