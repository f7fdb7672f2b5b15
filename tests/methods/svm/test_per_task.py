"""A machine per task is the machine of its rows alone."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.methods.svm.one_vs_rest import LabelSVMs
from mlbench.methods.svm.per_task import TaskSVMs


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_each_task_is_fitted_and_read_by_itself(loss):
    random = np.random.RandomState(0)
    Z, tasks = random.randn(60, 3), random.randint(0, 4, 60)
    Y = (Z[:, :1] + random.randn(60, 1) > 0).astype(int)
    Y[tasks == 2] = 1
    model = TaskSVMs(C=3.0, loss=loss).fit(Z, Y, tasks)
    new, of = random.randn(30, 3), random.randint(0, 4, 30)
    scores = model.decision_function(new, of)
    gaps = []
    for task in range(4):
        alone = LabelSVMs(C=3.0, loss=loss).fit(Z[tasks == task], Y[tasks == task])
        np.testing.assert_array_equal(scores[of == task], alone.decision_function(new[of == task]))
        gaps.append(alone.gap_)
    assert (scores[of == 2] == 1).all()
    assert model.gap_ == max(gaps)
    assert model.converged_
