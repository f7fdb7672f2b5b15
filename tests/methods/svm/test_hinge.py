from __future__ import annotations

import numpy as np
import pytest

from mlbench.methods.kernel_projection.gaussian import MORPSVM
from mlbench.methods.svm.gram import FeatureProducts, GramProducts
from mlbench.methods.svm.hinge import _best_bias, hinge_svm


@pytest.mark.parametrize("seed", range(20))
def test_the_best_bias_is_that_of_a_search(seed):
    random = np.random.RandomState(seed)
    n = random.randint(2, 9)
    products, y = random.randn(n).round(1), random.choice([-1.0, 1.0], n)
    y[:2] = 1, -1

    def loss(b):
        return np.maximum(0, 1 - y * (products + b)).sum()

    bends = np.sort(y - products)
    losses = np.array([loss(b) for b in bends])
    best = bends[np.isclose(losses, losses.min(), atol=1e-12)]
    found = _best_bias(products, y)
    np.testing.assert_allclose(loss(found), losses.min(), atol=1e-12)
    np.testing.assert_allclose(found, (best.min() + best.max()) / 2, atol=1e-12)


@pytest.mark.parametrize("C", [1e-3, 0.5, 100.0])
def test_both_forms_of_the_rows_give_the_same_machine(C):
    """One goes to libsvm, the other to the interior-point method."""
    random = np.random.RandomState(0)
    Z = random.randn(40, 6)
    y = np.where(Z[:, 0] + random.randn(40) > 0, 1.0, -1.0)
    one, other = hinge_svm(GramProducts(Z @ Z.T), y, C), hinge_svm(FeatureProducts(Z), y, C)
    np.testing.assert_allclose(Z.T @ one.beta, Z.T @ other.beta, atol=1e-9)
    np.testing.assert_allclose(one.bias, other.bias, atol=1e-9)
    assert max(one.gap, other.gap) < 1e-10


def test_where_libsvm_does_not_get_there_the_other_method_does(monkeypatch):
    random = np.random.RandomState(0)
    Z = random.randn(40, 60)
    y = np.where(Z[:, 0] + random.randn(40) > 0, 1.0, -1.0)
    expected = hinge_svm(GramProducts(Z @ Z.T), y, 0.01)
    monkeypatch.setattr("mlbench.methods.svm.hinge._by_libsvm", lambda *_: iter([np.zeros(40)]))
    found = hinge_svm(GramProducts(Z @ Z.T), y, 0.01)
    np.testing.assert_allclose(found.beta, expected.beta, atol=1e-10)
    assert found.gap < 1e-10


@pytest.mark.parametrize("form", [lambda Z: GramProducts(Z @ Z.T), FeatureProducts])
def test_rows_that_come_more_than_once(form):
    """Their multipliers are not determined, the weights are."""
    random = np.random.RandomState(0)
    Z = np.repeat(random.randn(15, 3), 4, axis=0)
    y = np.repeat(np.where(Z[::4, 0] + random.randn(15) > 0, 1.0, -1.0), 4)
    thrice = hinge_svm(form(Z), y, 0.5)
    once = hinge_svm(FeatureProducts(Z[::4]), y[::4], 2.0)
    np.testing.assert_allclose(Z.T @ thrice.beta, Z[::4].T @ once.beta, atol=1e-9)
    np.testing.assert_allclose(thrice.bias, once.bias, atol=1e-9)


def test_a_finish_that_spoils_an_optimal_solution_is_not_taken():
    """Two rows of the features are equal but for rounding: the equations are singular."""
    rng = np.random.default_rng(0)
    for n, d, k in ((30, 6, 3), (12, 25, 1), (10, 3, 5)):
        X = rng.normal(size=(n, d))
        Y = (rng.random((n, k)) < 0.4).astype(int)
        Y[0], Y[1] = 1, 0
        Y[:, min(2, k - 1)] = Y[:, min(1, k - 1)]
    model = MORPSVM(beta=1.0, gamma=0.0, C=10.0, n_components=3).fit(X, Y)
    assert model.svms_.gap_ < 1e-6
