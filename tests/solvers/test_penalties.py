"""Every norm keeps what first-order methods rely on."""

import numpy as np
import pytest

from mlbench.solvers.penalties import PENALTIES

every_penalty = pytest.mark.parametrize("penalty", PENALTIES.values(), ids=PENALTIES)


def draws(count, shape=(4, 7)):
    rng = np.random.default_rng(0)
    return [rng.normal(size=shape) * rng.exponential() for _ in range(count)]


def test_values_and_dual_norms_are_those_of_the_definitions():
    W = np.array([[3.0, 0.0, -1.0], [4.0, 0.0, 0.0]])
    singular = np.linalg.svd(W, compute_uv=False)
    assert PENALTIES["l11"].value(W) == 8
    assert PENALTIES["l11"].dual_norm(W) == 4
    assert PENALTIES["l21"].value(W) == 6
    assert PENALTIES["l21"].dual_norm(W) == 5
    assert PENALTIES["trace"].value(W) == pytest.approx(singular.sum())
    assert PENALTIES["trace"].dual_norm(W) == pytest.approx(singular.max())


@every_penalty
@pytest.mark.parametrize("shape", [(4, 7), (7, 4), (1, 5), (5, 1)])
def test_what_a_proximal_step_removes_is_a_subgradient(penalty, shape):
    for W in draws(20, shape):
        for step in (0.1, 1.0, 100.0):
            U = penalty.prox(W, step)
            V = (W - U) / step
            assert penalty.dual_norm(V) <= 1 + 1e-9
            assert np.vdot(V, U) == pytest.approx(penalty.value(U), abs=1e-9)


@every_penalty
def test_the_dual_bound_is_a_bound(penalty):
    """Losses h_i(s_i) = max(0, v_i - s_i . c_i) of scores s_i = w_i have -h_i*(-c_i) = v_i."""
    rng = np.random.default_rng(1)
    for W, C in zip(draws(50), draws(50)[::-1], strict=True):
        values = rng.exponential(size=len(W))
        loss = np.maximum(0.0, values - (W * C).sum(axis=1)).sum()
        assert penalty.dual_bound(-C, values) <= penalty.value(W) + loss + 1e-12


@every_penalty
def test_a_point_in_the_dual_ball_keeps_its_value(penalty):
    V = draws(1)[0]
    values = np.array([1.0, 0.5, 2.0, 0.0])
    assert penalty.dual_bound(0.999 * V / penalty.dual_norm(V), values) == pytest.approx(3.5)
    assert penalty.dual_bound(2 * V / penalty.dual_norm(V), values) >= 1.75 * (1 - 1e-9)
