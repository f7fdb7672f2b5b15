"""A repaired dual point stays in the box and gains on the ball of the penalty."""

import numpy as np
import pytest
from scipy import sparse

from mlbench.solvers.design import Design
from mlbench.solvers.losses.hinge import Hinge
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.proximal.dual_feasibility import BoxLoss, restore_feasibility

LAM = 5.0


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(60, 4)), np.ones(60)])
    y = np.where(rng.random((3, 60)) < 0.4, 1.0, -1.0)
    return X, y


def nearly_feasible(X, y):
    """Dual variables inside the box with X'p = 0 up to a small error."""
    rng = np.random.default_rng(1)
    p = -y * rng.uniform(0.5, 1.5, size=y.shape)
    p -= (p @ X) @ np.linalg.solve(X.T @ X, X.T)
    return (p + 1e-2 * rng.normal(size=p.shape)).ravel()


@pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_a_small_excess_is_removed_within_the_box(problem, penalty, form):
    X, y = problem
    design = Design(form(X), len(y))
    loss = Hinge(y.ravel(), design.offsets)
    low, high = loss.box()
    p = np.clip(nearly_feasible(X, y), low, high)
    assert penalty.dual_norm(LAM * design.adjoint(p)) > 1.5

    found = restore_feasibility(design, loss, penalty, LAM, p)

    assert np.all((low <= found) & (found <= high))
    assert penalty.dual_norm(LAM * design.adjoint(found)) <= 1 + 1e-6
    assert found == pytest.approx(p, abs=0.2)


def test_a_point_in_the_ball_moves_hardly(problem):
    X, y = problem
    design = Design(X, len(y))
    loss = Hinge(y.ravel(), design.offsets)
    p = -1e-4 * y.ravel()
    found = restore_feasibility(design, loss, PENALTIES["l21"], LAM, p)
    assert found == pytest.approx(p, abs=1e-7)


def test_the_corners_of_the_box_have_no_room_to_move(problem):
    X, y = problem
    design = Design(X, len(y))
    loss = Hinge(y.ravel(), design.offsets)
    p = -2.0 * y.ravel()
    assert np.array_equal(restore_feasibility(design, loss, PENALTIES["l11"], LAM, p), p)


def test_the_box_and_the_dual_values_of_the_hinge_are_those_of_its_conjugate(problem):
    _, y = problem
    loss = Hinge(y.ravel(), np.array([0, 60, 120, 180]))
    assert isinstance(loss, BoxLoss)
    z = 2 * np.random.default_rng(2).normal(size=180)
    s = loss.prox(z, 0.3)
    p = (z - s) / 0.3
    low, high = loss.box()
    assert np.all((low - 1e-12 <= p) & (p <= high + 1e-12))
    fenchel = loss.values(s) - (p * s).reshape(3, 60).sum(axis=1)
    assert loss.dual_values(p) == pytest.approx(fenchel)
