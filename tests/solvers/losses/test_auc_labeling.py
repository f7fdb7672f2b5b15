"""The labeling form of AUC against all labelings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from mlbench.solvers.losses.auc import auc_cuts
from mlbench.solvers.losses.auc_labeling import auc_labeling_cuts
from tests.solvers.losses.cases import (
    assert_supports,
    largest_over_labelings,
    problems,
    random_problems,
    tasks,
)


def swapped_share(y, y_hat):
    """Pairs of a positive labelled -1 and a negative labelled 1, counted one by one."""
    wrong = (y_hat < 0) & (y > 0), (y_hat > 0) & (y < 0)
    swapped = (wrong[0][..., :, None] & wrong[1][..., None, :]).sum(axis=(-2, -1))
    return swapped / ((y > 0).sum() * (y < 0).sum())


def check_against_all_labelings(problem):
    values, c, delta = auc_labeling_cuts(*problem)
    for i, (task, s, y) in enumerate(tasks(problem)):
        if len(set(y)) == 1:
            assert values[i] == delta[i] == 0
            assert not c[task].any()
            continue
        assert values[i] == pytest.approx(largest_over_labelings(s, y, swapped_share), abs=1e-13)
        assert set(np.abs(y - c[task])) == {1.0}
        assert delta[i] == pytest.approx(swapped_share(y, y - c[task]), abs=1e-15)
        assert values[i] == pytest.approx(delta[i] - s @ c[task], abs=1e-13)


@pytest.mark.slow
@settings(max_examples=300)
@given(problems())
def test_no_labeling_is_worse(problem):
    check_against_all_labelings(problem)


def test_no_labeling_is_worse_in_thousands_of_cases():
    for problem in random_problems(2000, seed=2):
        check_against_all_labelings(problem)


def test_the_direction_is_a_subgradient():
    rng = np.random.default_rng(4)
    s, y = 0.02 * rng.normal(size=40), np.where(rng.random(40) < 0.3, 1.0, -1.0)
    offsets = np.array([0, 40])
    _, c, _ = auc_labeling_cuts(s, y, offsets)
    assert_supports(lambda u: auc_labeling_cuts(u, y, offsets)[0][0], -c, s)


def test_it_is_another_loss_than_the_pair_hinge():
    problem = np.array([0.2, -0.2]), np.array([1.0, -1.0]), np.array([0, 2])
    assert auc_labeling_cuts(*problem)[0] == pytest.approx([0.2])
    assert auc_cuts(*problem)[0] == pytest.approx([0.2])
    shifted = problem[0] + 1, *problem[1:]
    assert auc_labeling_cuts(*shifted)[0] == pytest.approx([1.6])
    assert auc_cuts(*shifted)[0] == pytest.approx([0.2])
