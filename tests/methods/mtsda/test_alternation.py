"""The alternation of MtSDA against one of plain steps, with the lasso of scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg
from sklearn.linear_model import Lasso

from mlbench.methods.mtsda import alternation
from mlbench.methods.mtsda.mtsda import MtSDAEquicorrelation

PENALTIES = [(0.05, 0.01, 0.0), (0.2, 1.0, 0.5), (0.01, 100.0, 0.0), (0.01, 100.0, 0.5)]


@pytest.fixture
def data():
    random = np.random.RandomState(0)
    X = np.where(random.rand(60, 12) < 0.7, random.randn(60, 12) + 1, 0)
    Y = (X @ random.randn(12, 4) + random.randn(60, 4) > 2).astype(int)
    return X, Y


def plain_alternation(X, Y, theta, lam1, lam2, rho, rounds):
    """Alternate from given scores; return the objectives, after every update of B."""
    n, p = X.shape
    A, centered = (X - X.mean(axis=0)) / X.std(axis=0), Y - Y.mean(axis=0)
    root = linalg.sqrtm((1 - rho) * np.eye(p) + rho).real
    stacked = np.vstack([A, np.sqrt(lam2) * root])
    left, singular, right = linalg.svd(centered, full_matrices=False)
    left, inverse = left[:, singular > 1e-9], (right[singular > 1e-9].T / singular[singular > 1e-9])
    lasso = Lasso(lam1 / 2 / len(stacked), fit_intercept=False, tol=1e-14, max_iter=1_000_000)
    objectives = []
    for _ in range(rounds):
        T = np.vstack([centered @ theta, np.zeros((p, theta.shape[1]))])
        B = np.column_stack([lasso.fit(stacked, t).coef_ for t in T.T])
        objectives.append((((T - stacked @ B) ** 2).sum() + lam1 * np.abs(B).sum()) / n)
        u, _, vt = linalg.svd(left.T @ A @ B)
        theta = np.sqrt(n) * inverse @ u @ vt
    return np.array(objectives)


@pytest.mark.parametrize(("lam1", "lam2", "rho"), PENALTIES)
def test_plain_steps_do_not_get_below_the_end(data, lam1, lam2, rho):
    X, Y = data
    model = MtSDAEquicorrelation(lam1=lam1, lam2=lam2, rho=rho, tol=1e-9, max_rounds=500)
    model.fit(X, Y)
    assert model.converged_
    numbers = (model.lam1_, model.lam2_, rho)
    found = plain_alternation(X, Y, model.theta_, *numbers, rounds=50)
    np.testing.assert_allclose(found, model.objectives_[-1], rtol=1e-6)


@pytest.mark.parametrize(("lam1", "lam2", "rho"), PENALTIES)
def test_momentum_takes_fewer_rounds_to_the_same_end(data, lam1, lam2, rho, monkeypatch):
    model = MtSDAEquicorrelation(lam1=lam1, lam2=lam2, rho=rho, tol=1e-8, max_rounds=2000)
    fast = model.fit(*data)
    fewest, least = fast.n_iter_, fast.objectives_[-1]
    monkeypatch.setattr(alternation._Momentum, "after", lambda self, step: step)
    monkeypatch.setattr(alternation._Momentum, "restart", lambda self: None)
    slow = model.fit(*data)
    assert slow.converged_
    assert fewest < slow.n_iter_
    assert least == pytest.approx(slow.objectives_[-1], rel=1e-6)
