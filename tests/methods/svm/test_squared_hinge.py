from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from mlbench.methods.svm.gram import FeatureProducts, GramProducts
from mlbench.methods.svm.squared_hinge import _search, squared_hinge_svm


@pytest.mark.parametrize("seed", range(20))
def test_the_search_along_a_line_is_exact(seed):
    random = np.random.RandomState(seed)
    margins, move = 2 * random.randn(8), 5 * random.randn(8)
    slope, curve, C = random.randn(), random.uniform(0.1, 2), 0.7

    def value(t):
        short = np.maximum(0, 1 - margins - t * move)
        return slope * t + curve * t * t / 2 + C * (short**2).sum()

    found = _search(margins, move, slope, curve, C)
    best = optimize.minimize_scalar(
        value, bounds=(0, 1), method="bounded", options={"xatol": 1e-12}
    )
    assert 0 <= found <= 1
    assert value(found) <= best.fun + 1e-12 * (1 + abs(best.fun))


@pytest.mark.parametrize("form", [lambda Z: GramProducts(Z @ Z.T), FeatureProducts])
@pytest.mark.parametrize("C", [1e-3, 0.5, 100.0])
def test_it_is_what_a_general_minimizer_finds(form, C):
    random = np.random.RandomState(0)
    Z = random.randn(30, 4)
    y = np.where(Z[:, 0] + random.randn(30) > 0.3, 1.0, -1.0)

    def value(v):
        short = np.maximum(0, 1 - y * (Z @ v[:4] + v[4]))
        slope = -2 * C * y * short
        gradient = np.append(v[:4] + Z.T @ slope, slope.sum())
        return v[:4] @ v[:4] / 2 + C * (short**2).sum(), gradient

    best = optimize.minimize(
        value, np.zeros(5), jac=True, method="BFGS", options={"gtol": 1e-10 * (1 + C)}
    )
    found = squared_hinge_svm(form(Z), y, C)
    np.testing.assert_allclose(np.append(Z.T @ found.beta, found.bias), best.x, atol=1e-6)
    assert found.gap < 1e-12


def test_a_start_does_not_change_the_end():
    random = np.random.RandomState(0)
    rows = FeatureProducts(random.randn(60, 4))
    y = random.choice([-1.0, 1.0], 60)
    start = squared_hinge_svm(rows, y, 10.0)
    one, other = squared_hinge_svm(rows, y, 0.1), squared_hinge_svm(rows, y, 0.1, start)
    np.testing.assert_allclose(other.beta, one.beta, atol=1e-10)
    np.testing.assert_allclose(other.bias, one.bias, atol=1e-10)


def bounds(Z, y, C, svm):
    """Return the primal objective of a machine and the dual one of its multipliers."""
    weights, alpha = Z.T @ svm.beta, y * svm.beta
    short = np.maximum(0, 1 - y * (Z @ weights + svm.bias))
    half = weights @ weights / 2
    return half + C * short @ short, half, alpha


SHAPES = {"tall": (60, 4), "wide": (20, 30), "binary": (200, 12)}


@pytest.mark.parametrize("separable", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("form", [lambda Z: GramProducts(Z @ Z.T), FeatureProducts])
@pytest.mark.parametrize("C", [1e4, 1e6, 1e8])
def test_a_large_weight_is_solved_too(form, C, shape, separable):
    random = np.random.RandomState(2)
    Z = random.randn(*SHAPES[shape])
    Z = (Z > 0.8).astype(float) if shape == "binary" else Z
    noise = 0 if separable else 2 * random.randn(len(Z))
    y = np.where(Z @ random.randn(Z.shape[1]) + noise > 0.3, 1.0, -1.0)
    svm = squared_hinge_svm(form(Z), y, C)
    assert svm.gap < 1e-7
    primal, half, alpha = bounds(Z, y, C, svm)
    assert alpha.min() >= 0
    assert abs(svm.beta.sum()) < 1e-14 * alpha.sum()
    dual = alpha.sum() - half - alpha @ alpha / (4 * C)
    np.testing.assert_allclose(dual, primal, rtol=1e-6)


@pytest.mark.parametrize("C", [1.0, 1e6])
def test_a_conic_solver_finds_the_same(C):
    cp = pytest.importorskip("cvxpy")
    random = np.random.RandomState(3)
    Z = random.randn(40, 3)
    y = np.where(Z[:, 0] + random.randn(40) > 0.3, 1.0, -1.0)
    w, b = cp.Variable(3), cp.Variable()
    short = cp.pos(1 - cp.multiply(y, Z @ w + b))
    problem = cp.Problem(cp.Minimize(cp.sum_squares(w) / (2 * C) + cp.sum_squares(short)))
    best = C * problem.solve(solver="CLARABEL")
    primal, _, _ = bounds(Z, y, C, squared_hinge_svm(FeatureProducts(Z), y, C))
    np.testing.assert_allclose(primal, best, rtol=1e-6)
