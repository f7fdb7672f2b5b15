from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from tests.methods.reference_smtl import (
    _labelings_by_counts,
    dual_norm,
    f1_loss,
    norm,
    objective,
    solve,
    task_loss,
    worst_labeling,
)

PENALTIES = ("l11", "l21", "trace")
LOSSES = ("f1", "auc", "hinge", "squared")


@pytest.fixture
def tasks():
    """Three tasks over the same 8 rows of 4 features, none of them of one class."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(8, 4))
    Y = np.where(X @ rng.normal(size=(4, 3)) + rng.normal(size=(8, 3)) > 0, 1.0, -1.0)
    Y[0], Y[1] = 1.0, -1.0
    return [X] * 3, list(Y.T)


def orthonormal_tasks():
    rng = np.random.default_rng(5)
    Q, _ = np.linalg.qr(rng.normal(size=(6, 3)))
    return [Q] * 2, list(np.where(rng.random((2, 6)) < 0.5, -1.0, 1.0))


# --- values from the definitions


def test_f1_loss_of_hand_made_labelings():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    assert f1_loss(y, y) == 0.0
    assert f1_loss(y, -y) == 1.0
    assert f1_loss(y, np.array([1.0, -1.0, 1.0, -1.0])) == pytest.approx(0.5)
    assert f1_loss(-np.ones(2), -np.ones(2)) == 0.0
    assert f1_loss(-np.ones(2), np.array([1.0, -1.0])) == 1.0


def test_losses_of_hand_made_scores():
    y = np.array([1.0, -1.0, -1.0])
    s = np.array([0.5, 0.25, -1.0])
    # pairs: 1 - 2 (0.5 - 0.25) = 0.5 and 1 - 2 (0.5 + 1) < 0
    assert task_loss("auc", s, y) == pytest.approx(0.25)
    assert task_loss("hinge", s, y) == pytest.approx(2 * (0.5 + 1.25 + 0.0))
    assert task_loss("squared", s, y) == pytest.approx(0.5 * (0.25 + 1.5625 + 0.0))
    # the positive kept (F1 = 2/3), the upper negative flipped: 1 - 2/3 + 2 * 0.25
    assert task_loss("f1", s, y) == pytest.approx(5 / 6)


def test_a_task_of_one_class_has_no_pairs():
    assert task_loss("auc", np.array([3.0, -1.0]), np.ones(2)) == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_labelings_by_counts_hold_the_worst_of_all(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    y = np.where(rng.random(n) < rng.choice([0.0, 0.3, 0.7, 1.0]), 1.0, -1.0)
    s = rng.choice([rng.normal(size=n), rng.integers(-1, 2, n) / 2.0, np.zeros(n)])
    by_counts = max(f1_loss(y, z) - s @ (y - z) for z in _labelings_by_counts(s, y))
    assert by_counts == pytest.approx(worst_labeling(s, y)[0], abs=1e-13)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_dual_norm_is_reached_and_never_passed(penalty):
    rng = np.random.default_rng(0)
    V = rng.normal(size=(3, 4))
    for W in rng.normal(size=(50, 3, 4)):
        assert np.sum(V * W) <= dual_norm(penalty, V) * norm(penalty, W)
    reached = {
        "l11": np.sign(V) * (np.abs(V) == np.abs(V).max()),
        "l21": V * (np.linalg.norm(V, axis=0) == np.linalg.norm(V, axis=0).max()),
        "trace": np.outer(np.linalg.svd(V)[0][:, 0], np.linalg.svd(V)[2][0]),
    }[penalty]
    assert np.sum(V * reached) == pytest.approx(dual_norm(penalty, V) * norm(penalty, reached))


# --- one feature, one task: the minimum of a convex polygon lies on one of its corners


def corners(loss, x, y):
    """Every w where the slope of G(x w) can change."""
    if loss == "hinge":
        return y / x
    if loss == "auc":
        pairs = product(x[y > 0], x[y < 0])
        return [0.5 / (positive - negative) for positive, negative in pairs]
    labelings = [np.array(z) for z in product((-1.0, 1.0), repeat=len(y))]
    lines = {(f1_loss(y, z), x @ (y - z)) for z in labelings}
    return [(c - b) / (q - p) for (b, p), (c, q) in combinations(lines, 2) if p != q]


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["f1", "auc", "hinge"])
@pytest.mark.parametrize("lam", [0.05, 0.3, 1.0, 20.0])
def test_one_feature_and_one_task(loss, lam):
    x = np.array([0.9, 0.4, -0.3, 0.6, -1.1])
    y = np.array([1.0, 1.0, -1.0, -1.0, 1.0])
    problem = ([x[:, None]], [y], "l11", loss, lam)
    at_corners = [objective(np.array([[w]]), *problem) for w in [0.0, *corners(loss, x, y)]]
    assert solve(*problem).value == pytest.approx(min(at_corners), rel=1e-6)


# --- orthonormal features: the squared loss is minimized by shrinking the least squares solution


@pytest.mark.parametrize("lam", [0.6, 2.0, 10.0])
def test_orthonormal_features_and_the_squared_loss(lam):
    Xs, ys = orthonormal_tasks()
    least = np.array([y @ X for X, y in zip(Xs, ys, strict=True)])
    U, values, Vt = np.linalg.svd(least, full_matrices=False)
    lengths = np.linalg.norm(least, axis=0)
    expected = {
        "l11": np.sign(least) * np.maximum(np.abs(least) - 1 / lam, 0),
        "l21": least * np.maximum(1 - 1 / (lam * lengths), 0),
        "trace": (U * np.maximum(values - 1 / lam, 0)) @ Vt,
    }
    for penalty, W in expected.items():
        found = solve(Xs, ys, penalty, "squared", lam)
        np.testing.assert_allclose(found.W, W, atol=1e-6)


# --- the largest lam at which W = 0 is a minimizer


def slope_at_zero(penalty, loss, Xs, ys):
    """The dual norm of the slope of the loss at W = 0, where there is only one."""
    if loss == "auc":
        slopes = [
            2 * (X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)) for X, y in zip(Xs, ys, strict=True)
        ]
    else:
        slopes = [(2.0 if loss == "hinge" else 1.0) * y @ X for X, y in zip(Xs, ys, strict=True)]
    return dual_norm(penalty, np.array(slopes))


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", ["auc", "hinge", "squared"])
def test_the_solution_leaves_zero_at_the_closed_form_lambda(tasks, penalty, loss):
    at_zero = sum(task_loss(loss, np.zeros(8), y) for y in tasks[1])
    start = 1 / slope_at_zero(penalty, loss, *tasks)
    below = solve(*tasks, penalty, loss, 0.98 * start)
    above = solve(*tasks, penalty, loss, 1.02 * start)
    assert below.value == pytest.approx(0.98 * start * at_zero, rel=1e-7)
    assert above.value < 1.02 * start * at_zero * (1 - 1e-5)
    assert np.abs(below.W).max() < 1e-6 < np.abs(above.W).max()


def test_f1_with_one_feature_leaves_zero_at_the_closed_form_lambda():
    """At 0, G = 1 for the labelings without a true positive: any negatives may be flipped."""
    x = np.array([2.0, 1.0, 0.5, -0.25])
    y = np.array([1.0, 1.0, -1.0, -1.0])
    start = 1 / (2 * (2.0 + 1.0) - 2 * 0.5)
    at_zero = [solve([x[:, None]], [y], "l11", "f1", c * start) for c in (0.98, 1.02)]
    assert at_zero[0].value == pytest.approx(0.98 * start, rel=1e-9)
    assert at_zero[1].value < 1.02 * start * (1 - 1e-4)


# --- what holds at every optimum


@pytest.mark.slow
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", LOSSES)
def test_nothing_around_the_solution_is_better(tasks, penalty, loss):
    found = solve(*tasks, penalty, loss, 1.0)
    assert found.bound <= found.value <= found.bound + 1e-6 * max(1, found.value)
    rng = np.random.default_rng(1)
    for size in (1e-3, 1e-1, 1.0):
        for step in size * rng.normal(size=(20, *found.W.shape)):
            other = objective(found.W + step, *tasks, penalty, loss, 1.0)
            assert other >= found.bound


@pytest.mark.parametrize("loss", ["auc", "hinge"])
def test_the_bound_is_one_for_the_optimum_of_another_solver(tasks, loss):
    """The l11 problem is a linear program: SciPy minimizes it with its own formulation."""
    from scipy.optimize import linprog

    Xs, ys, lam = *tasks, 2.0
    total = 0.0
    for X, y in zip(Xs, ys, strict=True):
        if loss == "hinge":
            A, weight = 1.0 * y[:, None] * X, 2.0
        else:
            A = np.array([2 * (p - q) for p in X[y > 0] for q in X[y < 0]])
            weight = 1 / len(A)
        m, d = A.shape
        program = linprog(
            np.r_[np.ones(2 * d), lam * weight * np.ones(m)],
            A_ub=np.hstack([-A, A, -np.eye(m)]),
            b_ub=-np.ones(m),
        )
        total += program.fun
    found = solve(Xs, ys, "l11", loss, lam)
    assert found.bound == pytest.approx(total, rel=1e-7)
    assert found.value == pytest.approx(total, rel=1e-7)


@pytest.mark.slow
def test_tasks_may_have_rows_of_their_own_and_one_class():
    rng = np.random.default_rng(2)
    Xs = [rng.normal(size=(n, 3)) for n in (5, 12, 4)]
    ys = [np.where(X[:, 0] > 0, 1.0, -1.0) for X in Xs[:2]] + [np.ones(4)]
    for loss in ("f1", "auc"):
        found = solve(Xs, ys, "l21", loss, 1.0)
        assert found.value < objective(np.zeros((3, 3)), Xs, ys, "l21", loss, 1.0)
    np.testing.assert_allclose(found.W[2], 0, atol=1e-6)  # without pairs nothing pulls


def test_more_rows_than_can_be_enumerated():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(25, 3))
    y = np.where(X @ [1.0, -1.0, 0.0] + rng.normal(size=25) > 0.3, 1.0, -1.0)
    found = solve([X], [y], "l21", "f1", 1.0)
    assert found.value - found.bound <= 1e-6
    assert 0 < found.value < objective(np.zeros((1, 3)), [X], [y], "l21", "f1", 1.0)
