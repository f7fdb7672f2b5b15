from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import solve_sylvester
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import rbf_kernel

from mlbench.errors import MethodError
from mlbench.methods.lspc.lspc import LSPC
from mlbench.methods.lspc.ml_lspc import MultiLabelLSPC, label_similarity, laplacian


def kernel(X, new, width=1.0):
    return rbf_kernel(new, X, gamma=0.5 / (width * np.median(pdist(X))) ** 2)


@pytest.mark.parametrize("similarity", ["pearson", "abs_pearson", "cosine"])
@pytest.mark.parametrize(("lam", "gamma"), [(0.01, 0.1), (1.0, 5.0)])
def test_fits_are_those_of_scipys_sylvester_solver(labelled, similarity, lam, gamma):
    X, Y, new = labelled
    K = kernel(X, X)
    C = lam * np.eye(3) + gamma * laplacian(label_similarity(Y, similarity))
    expected = kernel(X, new) @ solve_sylvester(K @ K, C, K @ Y)
    model = MultiLabelLSPC(lam=lam, gamma=gamma, similarity=similarity).fit(X, Y)
    fitted, all_ones = model._class_fits(new, None)
    np.testing.assert_allclose(fitted, expected, rtol=0, atol=1e-8)
    other = kernel(X, new) @ solve_sylvester(K @ K, C, K @ (1 - Y))
    np.testing.assert_allclose(all_ones - fitted, other, rtol=0, atol=1e-8)


@pytest.mark.parametrize("solver", ["naive", "cg"])
@pytest.mark.parametrize("n_basis", [None, 25])
def test_the_solvers_agree(labelled, solver, n_basis):
    X, Y, new = labelled
    shared = {"lam": 0.1, "gamma": 2.0, "n_basis": n_basis, "random_state": 0, "tol": 1e-12}
    reference = MultiLabelLSPC(**shared).fit(X, Y)._class_fits(new, None)
    found = MultiLabelLSPC(solver=solver, **shared).fit(X, Y)._class_fits(new, None)
    for one, other in zip(found, reference, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-8)


def test_without_coupling_it_is_lspc(labelled):
    X, Y, new = labelled
    np.testing.assert_allclose(
        MultiLabelLSPC(lam=0.3, gamma=0.0).fit(X, Y).decision_function(new),
        LSPC(rho=0.3).fit(X, Y).decision_function(new),
        rtol=0,
        atol=1e-10,
    )


@pytest.mark.parametrize("gamma", [0.1, 10.0])
def test_the_fit_of_all_ones_is_free_of_the_coupling(labelled, gamma):
    X, Y, new = labelled
    one, all_ones = MultiLabelLSPC(gamma=gamma).fit(X, Y)._class_fits(new, None)
    given = np.array(label_similarity(Y, "pearson"))
    other, _ = MultiLabelLSPC(gamma=gamma, similarity=given).fit(X, 1 - Y)._class_fits(new, None)
    np.testing.assert_allclose(one + other, np.broadcast_to(all_ones, one.shape), atol=1e-9)
    _, uncoupled = MultiLabelLSPC(gamma=0).fit(X, Y)._class_fits(new, None)
    np.testing.assert_array_equal(all_ones, uncoupled)


def test_strong_coupling_fits_every_label_by_the_mean(labelled):
    X, Y, new = labelled
    alike = np.ones((3, 3))
    fitted, _ = MultiLabelLSPC(gamma=1e9, similarity=alike).fit(X, Y)._class_fits(new, None)
    K = kernel(X, X)
    mean = Y.mean(axis=1)
    expected = kernel(X, new) @ np.linalg.solve(K @ K + 0.1 * np.eye(60), K @ mean)
    np.testing.assert_allclose(fitted, np.repeat(expected[:, None], 3, axis=1), atol=1e-5)


def test_the_penalty_is_that_of_the_pairs():
    random = np.random.RandomState(0)
    theta, W = random.randn(6, 4), random.rand(4, 4)
    W = W + W.T
    np.fill_diagonal(W, 0)
    lam, gamma = 0.3, 0.7
    C = lam * np.eye(4) + gamma * laplacian(W)
    pairs = sum(
        gamma * W[s, t] * np.sum((theta[:, s] - theta[:, t]) ** 2)
        for s in range(4)
        for t in range(4)
    )
    assert np.trace(theta @ C @ theta.T) / 2 == pytest.approx(
        lam / 2 * np.sum(theta**2) + pairs / 4, rel=1e-13
    )


def test_similarity_is_the_correlation_cut_at_0():
    Y = np.random.RandomState(0).randint(0, 2, (50, 4))
    expected = np.maximum(np.corrcoef(Y.T), 0)
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(label_similarity(Y, "pearson"), expected, atol=1e-14)
    expected = np.abs(np.corrcoef(Y.T))
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(label_similarity(Y, "abs_pearson"), expected, atol=1e-14)


@pytest.mark.parametrize("kind", ["pearson", "abs_pearson", "cosine"])
def test_a_label_of_one_class_is_similar_to_none(kind):
    Y = np.array([[0, 1, 1, 1], [0, 1, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1]])
    W = label_similarity(Y, kind)
    assert not W[:2].any()
    assert not W[:, :2].any()
    assert W[2, 3] > 0


def test_labels_at_an_angle_correlate_as_they_should():
    # Half-planes at an angle D agree in all but a share D / pi of the points.
    random = np.random.RandomState(0)
    x = random.randn(20_000, 2)
    angles = 2 * np.pi * np.arange(8) / 8
    Y = (x @ np.array([np.cos(angles), np.sin(angles)]) > 0).astype(int)
    between = np.abs(angles[:, None] - angles)
    between = np.minimum(between, 2 * np.pi - between)
    expected = np.maximum(0, 1 - 2 * between / np.pi)
    np.fill_diagonal(expected, 0)
    np.testing.assert_allclose(label_similarity(Y, "pearson"), expected, atol=0.03)


def test_the_naive_solver_refuses_what_would_not_fit():
    X = np.random.RandomState(0).randn(700, 2)
    Y = (np.random.RandomState(1).rand(700, 9) > 0.5).astype(int)
    with pytest.raises(MethodError, match=r"6300 x 6300 matrix \(0.3 GB\); use solver='eig'"):
        MultiLabelLSPC(solver="naive").fit(X, Y)


def test_conjugate_gradients_that_run_out_of_steps_say_so(labelled):
    X, Y, _ = labelled
    with pytest.warns(UserWarning, match="stopped after 3 steps"):
        model = MultiLabelLSPC(solver="cg", max_iter=3).fit(X, Y)
    assert model.n_iter_ == 3


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"lam": 0}, "lam must be a number above 0"),
        ({"gamma": -1}, "gamma must be a number of at least 0"),
        ({"solver": "lu"}, "solver must be one of 'eig', 'cg', 'naive'"),
        ({"similarity": "spearman"}, "similarity must be one of pearson"),
        ({"similarity": -np.ones((3, 3))}, "or a symmetric matrix without negative entries"),
        ({"similarity": np.ones((2, 2))}, r"similarity must be a \(3, 3\) matrix"),
        ({"force": "yes"}, "force must be one of True, False"),
    ],
)
def test_impossible_parameters_are_named(labelled, parameters, complaint):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match=complaint):
        MultiLabelLSPC(**parameters).fit(X, Y)


def test_one_decomposition_of_each_side_serves_a_path(labelled, monkeypatch):
    from mlbench.methods.lspc import ml_lspc

    X, Y, new = labelled
    calls = {"kernel": 0, "labels": 0}
    decompose, of_labels = ml_lspc.gram_eigenpairs, ml_lspc.laplacian

    def counted(key, function):
        def call(*arguments, **keywords):
            calls[key] += 1
            return function(*arguments, **keywords)

        return call

    monkeypatch.setattr(ml_lspc, "gram_eigenpairs", counted("kernel", decompose))
    monkeypatch.setattr(ml_lspc, "laplacian", counted("labels", of_labels))
    grid = [{"lam": lam, "gamma": gamma} for lam in (0.1, 1, 10) for gamma in (0, 1, 10)]
    for _, model in MultiLabelLSPC().fit_path(X, Y, grid):
        model.decision_function(new)
    assert calls == {"kernel": 1, "labels": 1}
