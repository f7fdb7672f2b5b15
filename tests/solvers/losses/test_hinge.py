"""The hinge loss against its definition, as a worst labeling, and its prox by optimality."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from mlbench.solvers.losses.hinge import Hinge, hinge_cuts
from tests.solvers.losses.cases import assert_supports, largest_over_labelings, problems, tasks

WEIGHTS = st.sampled_from([0.0, 0.01, 0.3, 1.0, 7.0])


def hinge(s, y):
    return 2 * np.maximum(0, 1 - y * s).sum()


def wrong_labels_twice(y, y_hat):
    return 2.0 * (y != y_hat).sum(axis=-1)


@pytest.mark.slow
@settings(max_examples=300)
@given(problems())
def test_the_loss_is_that_of_the_worst_labeling(problem):
    values, c, delta = hinge_cuts(*problem)
    scores, *labels = problem
    assert Hinge(*labels).values(scores) == pytest.approx(values, abs=1e-13)
    for i, (task, s, y) in enumerate(tasks(problem)):
        assert values[i] == pytest.approx(hinge(s, y), abs=1e-13)
        assert values[i] == pytest.approx(largest_over_labelings(s, y, wrong_labels_twice))
        assert values[i] == pytest.approx(delta[i] - s @ c[task], abs=1e-13)
        assert delta[i] == wrong_labels_twice(y, y - c[task])
        assert_supports(lambda u, y=y: hinge(u, y), -c[task], s, count=10)


@pytest.mark.slow
@settings(max_examples=200)
@given(problems(), WEIGHTS)
def test_the_prox_has_a_supporting_plane(problem, weight):
    scores, *labels = problem
    s = Hinge(*labels).prox(scores, weight)
    for task, z, y in tasks(problem):
        assert_supports(lambda u, y=y: weight * hinge(u, y), z - s[task], s[task], count=20)


@pytest.mark.parametrize("z", [-2.0, 0.3, 0.9, 1.0, 4.0])
@pytest.mark.parametrize("label", [-1.0, 1.0])
def test_the_prox_is_the_minimizer_found_by_search(z, label):
    found = minimize_scalar(
        lambda s: 0.4 * hinge(s, label) + 0.5 * (s - z) ** 2,
        bounds=(-5, 5),
        options={"xatol": 1e-9},
        method="bounded",
    )
    s = Hinge(np.array([label]), np.array([0, 1])).prox(np.array([z]), 0.4)
    assert s == pytest.approx([found.x], abs=1e-6)


@pytest.mark.slow
@settings(max_examples=100)
@given(problems(), WEIGHTS)
def test_the_step_of_the_prox_gives_the_conjugate(problem, weight):
    z, y, offsets = problem
    s = Hinge(y, offsets).prox(z, weight)
    v = z - s
    assert (-y * v >= -1e-12).all()
    assert (-y * v <= 2 * weight + 1e-12).all()
    bound = weight * Hinge(y, offsets).values(s).sum() - v @ s
    assert bound == pytest.approx(-(y @ v), abs=1e-12)
