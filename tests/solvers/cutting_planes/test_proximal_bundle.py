"""Proximal steps by kept cuts against the conditions that define them."""

from __future__ import annotations

import numpy as np

from mlbench.solvers.cutting_planes.proximal_bundle import ProximalBundle
from mlbench.solvers.design import Design
from mlbench.solvers.losses.f1 import f1_cuts


def test_a_step_is_the_minimum_up_to_the_tolerance():
    random = np.random.RandomState(0)
    X, y = random.randn(25, 4), np.where(random.randn(3, 25) > 0.3, 1.0, -1.0)
    cuts = ProximalBundle(Design(X, 3), y.ravel(), f1_cuts)
    tasks = np.array([0, 2])
    center, rho, tol = random.randn(2, 4), np.array([0.5, 2.0]), np.full(2, 1e-6)
    untouched = cuts.U[1].copy()
    for _ in range(10):  # a step is given up after some cuts, which the next one finds kept
        cuts.step(tasks, center, rho, tol)
    np.testing.assert_array_equal(cuts.U[1], untouched)
    U, P, v = cuts.U[tasks], cuts.P[tasks], cuts.v[tasks]
    np.testing.assert_allclose(U, center + rho[:, None] * P)
    losses = cuts.losses(tasks, U)
    assert (losses - (v - (P * U).sum(axis=1)) <= 1e-6).all()
    for _ in range(200):
        other = U + 0.3 * random.randn(2, 4)
        worse = cuts.losses(tasks, other) + ((other - center) ** 2).sum(axis=1) / (2 * rho)
        best = losses + ((U - center) ** 2).sum(axis=1) / (2 * rho)
        assert (worse >= best - 1e-6).all()
        assert (cuts.losses(tasks, other) >= v - (P * other).sum(axis=1) - 1e-12).all()


def test_every_cut_leads_on():
    """The model at a step's end comes nearer and nearer to the loss."""
    random = np.random.RandomState(1)
    X, y = random.randn(60, 8), np.where(random.randn(2, 60) > 0.3, 1.0, -1.0)
    cuts = ProximalBundle(Design(X, 2), y.ravel(), f1_cuts)
    tasks, center, rho = np.arange(2), 0.1 * random.randn(2, 8), np.full(2, 5.0)
    unsure = []
    for _ in range(8):
        cuts.step(tasks, center, rho, np.full(2, 1e-9))
        moved = ((cuts.U - center) ** 2).sum(axis=1) / (2 * rho)
        lowest = cuts.v - (cuts.P * cuts.U).sum(axis=1) + moved
        unsure.append((cuts.losses(tasks, cuts.U) + moved - lowest).sum())
    assert unsure[-1] < 1e-2 * unsure[0]
