"""Anderson acceleration on a linear map, where it must equal a Krylov method."""

import numpy as np
import pytest

from mlbench.solvers.proximal.douglas_rachford import Anderson


@pytest.fixture
def linear():
    """A contraction x -> A x + b and its fixed point."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    A = Q @ np.diag([0.99, 0.95, 0.9, -0.5, 0.3, 0.1]) @ Q.T
    b = rng.normal(size=6)
    return A, b, np.linalg.solve(np.eye(6) - A, b)


def test_a_linear_map_is_solved_once_the_differences_span_the_space(linear):
    A, b, fixed = linear
    anderson, x = Anderson(6, 10), np.zeros(6)
    for _ in range(12):
        image = A @ x + b
        extrapolated = anderson.extrapolate(image, image - x)
        x = image if extrapolated is None else extrapolated
    before_extrapolation = np.zeros(6)
    for _ in range(12):
        before_extrapolation = A @ before_extrapolation + b
    assert np.linalg.norm(x - fixed) < 1e-3 * np.linalg.norm(before_extrapolation - fixed)


def test_nothing_is_extrapolated_from_one_point_or_after_forgetting():
    anderson = Anderson(2, 3)
    for x in np.array([[1.0, 0.0], [0.5, 0.1]]):
        assert anderson.extrapolate(0.5 * x, -0.5 * x) is None
    assert anderson.extrapolate(np.array([0.1, 0.2]), np.array([-0.1, 0.1])) is not None
    anderson.reset()
    assert anderson.extrapolate(np.array([0.1, 0.2]), np.array([-0.1, 0.1])) is None


def test_a_fixed_point_stays():
    anderson = Anderson(2, 3)
    for _ in range(5):
        assert anderson.extrapolate(np.ones(2), np.zeros(2)) is None
