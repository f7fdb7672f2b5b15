from __future__ import annotations

import numpy as np
import pytest
from sklearn import model_selection as ms
from sklearn.metrics import f1_score, make_scorer

from mlbench.registry.object_arguments import arguments_of


@pytest.mark.parametrize(
    "value",
    [
        ms.KFold(3, shuffle=True, random_state=0),
        ms.StratifiedShuffleSplit(2, test_size=0.3),
        ms.RepeatedKFold(n_splits=3, n_repeats=2),
        ms.PredefinedSplit([0, 1, -1]),
        ms.LeaveOneOut(),
        make_scorer(f1_score, average="micro"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_splitters_and_scorers_tell_their_arguments(value):
    arguments = arguments_of(value)
    assert repr(type(value)(**arguments)) == repr(value)


class Counts:
    """Its state does not follow from its arguments."""

    def __init__(self, start=0):
        self.start = start
        self.calls = 0


def test_an_object_that_has_changed_does_not():
    counts = Counts(3)
    assert arguments_of(counts) == {"start": 3}
    counts.calls += 1
    assert arguments_of(counts) is None


@pytest.mark.parametrize("value", [object(), np.random.RandomState(0), iter([1]), 3, "a", None])
def test_other_objects_do_not(value):
    assert arguments_of(value) is None
