from __future__ import annotations

import pickle
from itertools import permutations

import numpy as np
import pytest

from mlbench.methods.problem_transformation.nested_ensemble import RunningTotal


class Knows:
    """A member that is as sure of its labels as the row's first feature says, and counts calls."""

    def __init__(self, *labels):
        self.labels = np.array(labels)
        self.calls = 0

    def probabilities_and_labels(self, X):
        self.calls += 1
        probabilities = np.repeat(X[:, :1], len(self.labels), axis=1)
        return probabilities, (probabilities >= 0.5).astype(int)


X = np.array([[0.25], [0.5], [1.0]])


def expected(labelsets):
    times = np.array([sum(label in labelset for labelset in labelsets) for label in range(3)])
    return X * times, (X >= 0.5) * times, times


@pytest.mark.parametrize("order", list(permutations((1, 2, 4))))
def test_every_size_has_the_sums_of_its_members_and_no_row_is_asked_twice(order):
    labelsets = [(0, 1), (1,), (0, 2), (1, 2)]
    members = [Knows(*labelset) for labelset in labelsets]
    tally = RunningTotal(members, frozenset(order), 3)
    for size in order:
        for found, right in zip(tally(X, size), expected(labelsets[:size]), strict=True):
            np.testing.assert_array_equal(found, right)
    assert [member.calls for member in members] == [1, 1, 1, 1]


def test_a_small_ensemble_does_not_wait_for_a_large_one():
    members = [Knows(0), Knows(1), Knows(2)]
    tally = RunningTotal(members, frozenset([1, 3]), 3)
    tally(X, 1)
    assert [member.calls for member in members] == [1, 0, 0]


def test_other_rows_are_added_up_anew():
    tally = RunningTotal([Knows(0, 1, 2)], frozenset([1]), 3)
    tally(X, 1)
    assert tally(X[:1], 1).probabilities.tolist() == [[0.25, 0.25, 0.25]]
    assert pickle.loads(pickle.dumps(tally))(X, 1).probabilities[2].tolist() == [1, 1, 1]
