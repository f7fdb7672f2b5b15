"""Score matrices: their constraint, their starts and the step of the paper."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.methods.mtsda.optimal_scoring import ScoreSpace


def labels(kind, n=60, k=5, seed=0):
    random = np.random.RandomState(seed)
    Y = (random.rand(n, k) < [0.5, 0.4, 0.3, 0.2, 0.2][:k]).astype(float)
    if kind == "duplicate":
        Y[:, 3] = Y[:, 1]
    if kind == "disjoint":
        Y = np.eye(k)[random.randint(k, size=n)]
    return Y


def constraint(Y, theta):
    return np.abs(theta.T @ Y.T @ Y @ theta / len(Y) - np.eye(theta.shape[1])).max()


@pytest.mark.parametrize("centered", [True, False])
@pytest.mark.parametrize(("kind", "lost"), [("independent", 0), ("duplicate", 1), ("disjoint", 0)])
def test_scores_are_orthonormal_from_the_start_and_after_every_step(kind, lost, centered):
    Y = labels(kind)
    lost += centered and kind == "disjoint"
    Y = Y - Y.mean(axis=0) if centered else Y
    space = ScoreSpace(Y)
    assert space.rank == 5 - lost
    theta = space.symmetric_start()
    random = np.random.RandomState(1)
    for _ in range(4):
        assert constraint(Y, theta) < 1e-10
        fitted = random.randn(len(Y), space.rank)
        better = space.range_step(theta, Y.T @ fitted)
        squares = [((Y @ scores - fitted) ** 2).sum() for scores in (theta, better)]
        assert squares[1] < squares[0]
        theta = better


def test_no_other_scores_fit_better():
    Y = labels("independent")
    space = ScoreSpace(Y)
    random = np.random.RandomState(3)
    fitted = random.randn(len(Y), 5)
    theta = space.range_step(space.symmetric_start(), Y.T @ fitted)
    best = ((Y @ theta - fitted) ** 2).sum()
    for _ in range(200):
        turn, _ = np.linalg.qr(np.eye(5) + 0.3 * random.randn(5, 5))
        assert ((Y @ theta @ turn - fitted) ** 2).sum() >= best - 1e-6


def test_columns_without_coefficients_keep_their_scores():
    Y = labels("independent")
    space = ScoreSpace(Y)
    theta = space.symmetric_start()
    np.testing.assert_allclose(space.range_step(theta, np.zeros((5, 5))), theta, atol=1e-12)
    fitted = np.zeros((len(Y), 5))
    fitted[:, 2] = (Y @ theta)[:, 2]
    np.testing.assert_allclose(space.range_step(theta, Y.T @ fitted), theta, atol=1e-9)


def test_the_symmetric_start_does_not_depend_on_the_order_of_labels_or_rows():
    Y = labels("duplicate")
    order = np.array([2, 0, 4, 1, 3])
    targets = Y @ ScoreSpace(Y).symmetric_start()
    moved = Y[:, order] @ ScoreSpace(Y[:, order]).symmetric_start()
    same = np.abs(targets.T @ moved / len(Y))
    np.testing.assert_allclose(np.sort(same.max(axis=0)), 1, atol=1e-10)
    turned = ScoreSpace(Y[::-1]).symmetric_start()
    np.testing.assert_allclose(turned, ScoreSpace(Y).symmetric_start(), atol=1e-10)


def test_the_papers_step_breaks_the_constraint_and_raises_the_objective():
    random = np.random.RandomState(0)
    Y = labels("independent", n=40)
    X = random.randn(40, 6)
    space = ScoreSpace(Y)
    theta = space.symmetric_start()
    B = np.linalg.lstsq(X, Y @ theta, rcond=None)[0]
    u, _, vt = np.linalg.svd(X @ B, full_matrices=False)
    printed = np.sqrt(40) * np.linalg.pinv(Y) @ u @ vt
    found = space.procrustes_step(Y.T @ X @ B, B.T @ X.T @ X @ B)
    np.testing.assert_allclose(found, printed, atol=1e-10)
    assert constraint(Y, found) > 0.1
    assert constraint(Y, space.range_step(theta, Y.T @ X @ B)) < 1e-10


def test_the_papers_start_is_that_of_the_first_rows():
    Y = labels("independent")
    printed = np.sqrt(60) * np.linalg.pinv(Y) @ np.eye(60)[:, :5]
    np.testing.assert_allclose(ScoreSpace(Y).first_rows_start(), printed, atol=1e-10)
    assert constraint(Y, printed) > 0.1


def test_labels_without_variation_have_no_scores():
    space = ScoreSpace(np.zeros((7, 3)))
    assert space.symmetric_start().shape == space.first_rows_start().shape == (3, 0)


def test_scores_beyond_a_step_keep_the_constraint_and_turn_further():
    Y = labels("independent")
    space = ScoreSpace(Y)
    before = space.symmetric_start()
    step = space.range_step(
        before, Y.T @ (Y @ before + 0.1 * np.random.RandomState(3).randn(60, 5))
    )
    beyond = space.beyond(step, before, 0.8)
    assert constraint(Y, beyond) < 1e-10
    turns = [np.linalg.norm(Y @ (theta - before)) for theta in (step, beyond)]
    assert turns[1] == pytest.approx(1.8 * turns[0], rel=0.05)
    np.testing.assert_allclose(space.beyond(step, before, 0.0), step, atol=1e-10)
