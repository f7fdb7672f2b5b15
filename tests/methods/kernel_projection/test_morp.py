"""The eigenproblem of MORP, against matrices formed as the equations say."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import linalg
from scipy.spatial.distance import pdist, squareform

from mlbench.errors import MethodError
from mlbench.methods.kernel_projection import morp
from mlbench.methods.kernel_projection.morp import (
    count_above,
    morp_directions,
    require_beta_and_gamma,
    top_eigenpairs,
)

N, LABELS = 50, 4
BETA, GAMMA = 0.5, 1e-3
H = np.eye(N) - 1 / N


def space_of(K, rank_tol=1e-10):
    values, vectors = linalg.eigh(K)
    kept = np.flatnonzero(values > rank_tol * values[-1])[::-1]
    return SimpleNamespace(values=values[kept], vectors=vectors[:, kept], rank_tol=rank_tol)


def problem(width=0.6, center=True, twins=0, seed=0):
    """Return a Gaussian kernel, K_y = T T' of the same trace, T, and the labels."""
    random = np.random.RandomState(seed)
    X = random.randn(N, 4)
    X[N - twins :] = X[:twins]
    Y = (X @ random.randn(4, LABELS) + random.randn(N, LABELS) > 0).astype(float)
    K = np.exp(-squareform(pdist(X, "sqeuclidean")) / (2 * (width * np.median(pdist(X))) ** 2))
    if center:
        K, Y = H @ K @ H, Y - Y.mean(axis=0)
    T = Y * np.sqrt(np.trace(K) / (Y**2).sum())
    return K, T @ T.T, T, Y


def training_vectors(space, found):
    """Return the unit vectors v of the training rows, whose features are sqrt(lambda) v."""
    return (space.vectors * space.values) @ found.coefficients / np.sqrt(found.values)


def sine(A, B):
    return np.sin(linalg.subspace_angles(A, B).max())


def same_vectors(A, B, tol=1e-8):
    np.testing.assert_allclose(np.abs(np.sum(A * B, axis=0)), 1, atol=tol)


def test_a_regular_kernel_gives_the_inverse_of_the_sum_of_inverses():
    K_x, K_y, _, Y = problem(center=False)
    K = (1 - BETA) * K_x + BETA * K_y
    whole = linalg.inv(linalg.inv(K) + GAMMA * linalg.inv(K_x))
    symmetric = K @ linalg.solve(GAMMA * K + K_x, K_x)
    np.testing.assert_allclose(symmetric, symmetric.T, atol=1e-9)
    np.testing.assert_allclose(symmetric, whole, atol=1e-9)  # equations (13) and (14)
    space = space_of(K_x)
    assert len(space.values) == N
    found = morp_directions(space, Y, BETA, GAMMA, 8)
    values, vectors = linalg.eigh(whole)
    np.testing.assert_allclose(found.values, values[::-1][:8], rtol=1e-9)
    same_vectors(training_vectors(space, found), vectors[:, ::-1][:, :8])


def test_the_generalized_problem_has_reciprocal_eigenvalues():
    K_x, K_y, _, Y = problem(center=False)
    K = (1 - BETA) * K_x + BETA * K_y
    left = K_x @ linalg.solve(K, K_x) + GAMMA * K_x  # equation (11), with K for the misprint
    values, alpha = linalg.eigh((left + left.T) / 2, K_x @ K_x)
    space = space_of(K_x)
    found = morp_directions(space, Y, BETA, GAMMA, 5)
    np.testing.assert_allclose(1 / values[:5], found.values, rtol=1e-7)
    assert sine(K_x @ alpha[:, :5], training_vectors(space, found)) < 1e-7


def test_the_misprinted_equations_forget_the_outputs():
    K_x, _, _, Y = problem(center=False)
    _, alpha = linalg.eigh((1 + GAMMA) * K_x, K_x @ K_x)  # (11) to the letter
    space = space_of(K_x)
    found = morp_directions(space, Y, BETA, GAMMA, 3)
    assert sine(K_x @ alpha[:, :3], training_vectors(space, found)) > 0.3


@pytest.mark.parametrize("gamma", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("twins", [0, 2, 20])
@pytest.mark.parametrize("beta", [0.1, 0.9])
def test_a_singular_kernel_gives_the_pseudo_inverses(beta, twins, gamma):
    K_x, K_y, _, Y = problem(twins=twins)
    space = space_of(K_x)
    assert len(space.values) == N - 1 - twins
    K_plus = linalg.pinvh((1 - beta) * K_x + beta * K_y, rtol=1e-11)
    G = space.vectors.T @ K_plus @ space.vectors + gamma * np.diag(1 / space.values)
    values, vectors = linalg.eigh(G)
    found = morp_directions(space, Y, beta, gamma, 6)
    np.testing.assert_allclose(found.values, 1 / values[:6], rtol=1e-8)
    v = training_vectors(space, found)
    same_vectors(v, space.vectors @ vectors[:, :6])
    np.testing.assert_allclose(v.sum(axis=0), 0, atol=1e-11)


def test_twins_of_other_labels_take_directions_from_the_outputs():
    # each pair of equal rows asks of a combination of labels that it be equal on both
    for twins in (0, 1, 2, 3, 20):
        K_x, _, _, Y = problem(twins=twins)
        differences = Y[:twins] - Y[N - twins :]
        left = LABELS - (np.linalg.matrix_rank(differences) if twins else 0)
        found = morp_directions(space_of(K_x), Y, BETA, GAMMA, 6)
        assert (found.output_rank, found.n_output_directions) == (LABELS, left)
    assert left == 0
    kernel_pca = space_of(K_x).vectors[:, :6]
    same_vectors(training_vectors(space_of(K_x), found), kernel_pca)
    approximate = morp_directions(space_of(K_x), Y, BETA, GAMMA, 6, "approx")
    assert approximate.n_output_directions == LABELS
    assert sine(training_vectors(space_of(K_x), approximate), kernel_pca) > 0.3


def test_without_outputs_it_is_kernel_pca():
    K_x, _, _, Y = problem()
    space = space_of(K_x)
    for gamma in (0.0, 1e-3, 2.0):
        found = morp_directions(space, Y, 0.0, gamma, 7)
        np.testing.assert_allclose(found.values, space.values[:7] / (1 + gamma), rtol=1e-12)
        same_vectors(training_vectors(space, found), space.vectors[:, :7], 1e-12)
    for solver in ("approx", "direct"):
        found = morp_directions(space, Y, 0.0, GAMMA, 7, solver)
        np.testing.assert_allclose(found.values, space.values[:7], rtol=1e-12)


@pytest.mark.parametrize("solver", ["exact", "approx", "direct"])
def test_with_outputs_alone_there_are_as_many_directions_as_their_rank(solver):
    K_x, _, T, Y = problem()
    Y = np.column_stack([Y, Y[:, 0], 3 * Y[:, 1] - Y[:, 2]])
    space = space_of(K_x)
    found = morp_directions(space, Y, 1.0, GAMMA, 20, solver)
    assert len(found.values) == found.output_rank == LABELS
    assert sine(training_vectors(space, found), T) < 1e-8


def test_the_limit_of_all_weight_on_the_outputs_is_no_jump():
    K_x, _, _, Y = problem()
    space = space_of(K_x)
    near = morp_directions(space, Y, 1 - 1e-9, GAMMA, LABELS)
    there = morp_directions(space, Y, 1.0, GAMMA, LABELS)
    np.testing.assert_allclose(near.values, there.values, rtol=1e-6)
    same_vectors(training_vectors(space, near), training_vectors(space, there), 1e-6)


def test_the_approximation_is_the_problem_without_gamma():
    K_x, K_y, _, Y = problem(width=0.3, center=False)
    space = space_of(K_x)
    approximate = morp_directions(space, Y, BETA, GAMMA, 5, "approx")
    values, vectors = linalg.eigh((1 - BETA) * K_x + BETA * K_y)
    np.testing.assert_allclose(approximate.values, values[::-1][:5], rtol=1e-10)
    same_vectors(training_vectors(space, approximate), vectors[:, ::-1][:, :5])
    gaps = []
    for gamma in (1e-1, 1e-3, 1e-6, 1e-9):
        exact = morp_directions(space, Y, BETA, gamma, 5)
        gaps.append(sine(training_vectors(space, exact), training_vectors(space, approximate)))
    assert (np.diff(gaps) < 0).all()
    assert gaps[0] > 0.05  # so at gamma = 0.1 the two are not the same
    assert gaps[2] < 1e-4
    assert gaps[3] < 1e-7


@pytest.mark.parametrize(
    ("width", "expected"),
    [(0.3, (0.34, 3.9e-3, 3.9e-6, 3.9e-9)), (0.6, (0.99, 0.93, 3.0e-4, 3.0e-7))],
)
def test_how_far_the_approximation_is_from_the_exact_problem(width, expected):
    # the figures of docs/kernel-projections.md, by the matrices of the paper too
    K_x, K_y, _, Y = problem(width=width, center=False)
    K, space = (1 - BETA) * K_x + BETA * K_y, space_of(K_x)
    approximate = training_vectors(space, morp_directions(space, Y, BETA, GAMMA, 5, "approx"))
    largest = linalg.eigh(K)[1][:, -5:]
    for gamma, angle in zip((1e-1, 1e-3, 1e-6, 1e-9), expected, strict=True):
        exact = training_vectors(space, morp_directions(space, Y, BETA, gamma, 5))
        assert sine(exact, approximate) == pytest.approx(angle, rel=0.02)
        whole = K @ linalg.solve(gamma * K + K_x, K_x)
        dense = linalg.eigh((whole + whole.T) / 2)[1][:, -5:]
        assert sine(dense, largest) == pytest.approx(angle, rel=0.02)


def test_the_approximation_sees_outputs_that_are_no_function_of_the_inputs():
    K_x, K_y, _, Y = problem(twins=20)
    space = space_of(K_x)
    found = morp_directions(space, Y, BETA, GAMMA, 5, "approx")
    values, vectors = linalg.eigh((1 - BETA) * K_x + BETA * K_y)
    np.testing.assert_allclose(found.values, values[::-1][:5], rtol=1e-10)
    alpha = linalg.pinvh(K_x, rtol=1e-10) @ vectors[:, ::-1][:, :5]
    features = K_x @ alpha * np.sqrt(found.values)
    mine = (space.vectors * space.values) @ found.coefficients
    np.testing.assert_allclose(np.abs(mine), np.abs(features), atol=1e-8)


def test_where_the_kernel_is_regular_direct_and_approximate_agree():
    K_x, _, _, Y = problem(center=False)
    space = space_of(K_x)
    one, other = (morp_directions(space, Y, BETA, GAMMA, 5, s) for s in ("approx", "direct"))
    np.testing.assert_allclose(one.values, other.values, rtol=1e-10)


def test_a_rough_combination_of_labels_weighs_less():
    # with beta = 1 and one label the eigenvalue is |y|^2 / (1 + gamma y' K_x^-1 y)
    K_x, _, _, Y = problem(center=False)
    y = Y[:, :1] * np.sqrt(np.trace(K_x) / Y[:, 0].sum())
    rough = float(y[:, 0] @ linalg.solve(K_x, y[:, 0]))
    for gamma in (1e-6, 1e-3, 1.0):
        found = morp_directions(space_of(K_x), Y[:, :1], 1.0, gamma, 3)
        np.testing.assert_allclose(found.values, [(y**2).sum() / (1 + gamma * rough)], rtol=1e-9)


def test_proposition_2_1():
    K_x, K_y, T, _ = problem(center=False)
    values, vectors = linalg.eigh((1 - BETA) * K_x + BETA * K_y)
    V, X = vectors[:, ::-1][:, :6], linalg.cholesky(K_x, lower=True)
    left = (1 - BETA) * ((X - V @ V.T @ X) ** 2).sum() + BETA * ((T - V @ V.T @ T) ** 2).sum()
    whole = (1 - BETA) * (X**2).sum() + BETA * (T**2).sum()
    assert left == pytest.approx(whole - values[::-1][:6].sum(), rel=1e-10)


def test_outputs_without_variance_and_inputs_without_rank_are_no_error():
    K_x, _, _, Y = problem()
    space = space_of(K_x)
    found = morp_directions(space, np.zeros_like(Y), 0.5, GAMMA, 5)
    same_vectors(training_vectors(space, found), space.vectors[:, :5])
    assert len(morp_directions(space, np.zeros_like(Y), 1.0, GAMMA, 5).values) == 0
    empty = SimpleNamespace(values=np.zeros(0), vectors=np.zeros((N, 0)), rank_tol=1e-10)
    for solver in ("exact", "approx", "direct"):
        assert morp_directions(empty, Y, 0.5, GAMMA, 5, solver).coefficients.shape == (0, 0)


@pytest.mark.parametrize("beta", [-0.1, 1.1, "half"])
def test_a_weight_beyond_0_and_1_is_refused(beta):
    with pytest.raises(MethodError, match="beta must be a number"):
        require_beta_and_gamma(SimpleNamespace(beta=beta, gamma=0.0))


RANDOM = np.random.RandomState(0)
DIAGONAL = np.sort(RANDOM.rand(90) ** 3)[::-1]
FACTOR = RANDOM.randn(90, 4)
VALUES, VECTORS = linalg.eigh(np.diag(DIAGONAL) + FACTOR @ FACTOR.T)


@pytest.mark.parametrize("dense", [0, 300], ids=["lanczos", "dense"])
def test_the_pairs_are_those_of_the_whole_matrix(monkeypatch, dense):
    monkeypatch.setattr(morp, "DENSE", dense)
    values, vectors = top_eigenpairs(DIAGONAL, FACTOR, 12)
    np.testing.assert_allclose(values, VALUES[::-1][:12], rtol=1e-12)
    np.testing.assert_allclose(np.abs(np.sum(vectors * VECTORS[:, ::-1][:, :12], axis=0)), 1)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(12), atol=1e-12)


def test_all_of_them_can_be_asked_for():
    values, _ = top_eigenpairs(DIAGONAL, FACTOR, 500)
    np.testing.assert_allclose(values, VALUES[::-1], atol=1e-13)


def test_eigenvalues_are_counted_without_being_found():
    for bound in np.linspace(-0.5, VALUES[-1] + 1, 50):
        assert count_above(DIAGONAL, FACTOR, bound) == np.sum(bound < VALUES)


def test_a_pair_that_lanczos_missed_is_found(monkeypatch):
    monkeypatch.setattr(morp, "DENSE", 0)
    calls = []

    def forgetful(operator, n_wanted, **_):
        calls.append(n_wanted)
        return VALUES[-n_wanted - 3 : -3], VECTORS[:, -n_wanted - 3 : -3]

    monkeypatch.setattr(morp, "eigsh", forgetful)
    values, _ = top_eigenpairs(DIAGONAL, FACTOR, 5)
    assert calls == [5]
    np.testing.assert_allclose(values, VALUES[::-1][:5], rtol=1e-12)


def test_nothing_is_found_where_nothing_is_wanted():
    values, vectors = top_eigenpairs(DIAGONAL, FACTOR, 0)
    assert values.shape == (0,)
    assert vectors.shape == (90, 0)
    values, vectors = top_eigenpairs(np.zeros(0), np.zeros((0, 2)), 3)
    assert vectors.shape == (0, 0)
