"""Proximal steps over kept cuts against a conic solver, closed forms and a list of what is kept."""

from __future__ import annotations

import numpy as np
import pytest

from mlbench.solvers.cutting_planes import cut_pool
from mlbench.solvers.cutting_planes.cut_pool import CutPool

TOL = 1e-7


class Pool:
    """A pool of k tasks, and beside it plain lists of the cuts that were ever added."""

    def __init__(self, deltas, psis):
        self.pool = CutPool(np.array(deltas, float), np.array(psis, float))
        self.cuts = [
            [(delta, np.array(psi, float))] for delta, psi in zip(deltas, psis, strict=True)
        ]

    def add(self, task, delta, psi):
        psi = np.array(psi, float)
        self.pool.add(np.array([task]), np.array([float(delta)]), psi[None])
        self.cuts[task].append((delta, psi))

    def step(self, B, rho, tol=TOL):
        k = len(B)
        return self.pool.proximal_step(np.arange(k), B, np.full(k, rho), np.full(k, tol))

    def check(self, B, rho, tol=TOL):
        """Take the step of every task, and hold it against the model and a conic solver."""
        W, P, v, least = self.step(B, rho, tol)
        for cuts, b, w, p, value, found in zip(self.cuts, B, W, P, v, least, strict=True):
            deltas, psis = np.array([cut[0] for cut in cuts]), np.array([cut[1] for cut in cuts])
            np.testing.assert_allclose(w, b + rho * p, rtol=1e-12, atol=1e-12)
            gap = (deltas - psis @ w).max() - (value - p @ w)
            assert -1e-9 <= gap <= tol + 1e-9
            lowest = conic_minimum(deltas, psis, b, rho)
            assert model(deltas, psis, b, rho, w) == pytest.approx(lowest, rel=1e-6, abs=2 * tol)
            assert found == pytest.approx(lowest, rel=1e-6, abs=2 * tol)
        return W


def model(deltas, psis, b, rho, w):
    return (deltas - psis @ w).max() + np.sum((w - b) ** 2) / (2 * rho)


def conic_minimum(deltas, psis, b, rho):
    """The move from b is measured in units of rho, so that the solver sees numbers near 1."""
    cp = pytest.importorskip("cvxpy")
    u, t = cp.Variable(len(b)), cp.Variable()
    limits = [t >= deltas - psis @ b - rho * (psis @ u)]
    program = cp.Problem(cp.Minimize(t + rho / 2 * cp.sum_squares(u)), limits)
    program.solve(solver="CLARABEL")
    return program.value


@pytest.mark.parametrize("rho", [1e-3, 1.0, 1e3])
def test_after_every_added_cut_the_step_is_that_of_a_conic_solver(rho):
    random = np.random.RandomState(0)
    pool = Pool(random.rand(3), random.randn(3, 4))
    for _ in range(10):
        for task in range(3):
            pool.add(task, random.rand(), random.randn(4))
        pool.check(random.randn(3, 4), rho)


def test_tasks_are_stepped_and_given_cuts_by_their_numbers():
    pool = CutPool(np.ones(3), np.array([[1.0, 0], [2, 0], [0, 4]]))
    pool.add(np.array([2, 0]), np.array([0.5, 0.25]), np.array([[3.0, 3], [5, 5]]))
    np.testing.assert_array_equal(pool.n_cuts, [2, 1, 2])
    np.testing.assert_array_equal(pool.psi[2, 1], [3, 3])
    W, P, v, lowest = pool.proximal_step(
        np.array([1]), np.array([[7.0, 8]]), np.array([0.5]), np.array([TOL])
    )
    np.testing.assert_allclose(W, [[8, 8]], rtol=1e-12)
    np.testing.assert_allclose(P, [[2, 0]], rtol=1e-12)
    np.testing.assert_allclose(v, [1], rtol=1e-12)
    np.testing.assert_allclose(lowest, [1 - 8 * 2 + 1], rtol=1e-12)


def test_every_task_has_a_step_size_of_its_own():
    pool = CutPool(np.ones(3), np.array([[1.0, 0], [2, 0], [0, 4]]))
    W, P, _, _ = pool.proximal_step(
        np.array([2, 0]), np.zeros((2, 2)), np.array([0.5, 3.0]), np.full(2, TOL)
    )
    np.testing.assert_allclose(P, [[0, 4], [1, 0]], rtol=1e-12)
    np.testing.assert_allclose(W, [[0, 2], [3, 0]], rtol=1e-12)


def test_two_opposite_cuts_have_a_closed_form():
    """max(a - w, c + w) + (w - b)^2 / 2 is least at w = (a - c) / 2, if b is near."""
    pool = Pool([1.0], [[1.0]])
    pool.add(0, 0.5, [-1.0])
    W, P, v, _ = pool.step(np.array([[0.35]]), 1.0, 1e-12)
    assert W[0, 0] == pytest.approx(0.25, abs=1e-9)
    assert P[0, 0] == pytest.approx(-0.1, abs=1e-9)
    assert v[0] == pytest.approx(0.45 * 1.0 + 0.55 * 0.5, abs=1e-9)


def zero_cut(random):
    return [(0.0, np.zeros(3))] + [(random.rand(), random.randn(3)) for _ in range(8)]


def duplicates(random):
    return [(random.rand(), random.randn(3)) for _ in range(3)] * 4


def equal_slopes_of_different_heights(random):
    psi = random.randn(3)
    return [(random.rand(), sign * psi) for sign in (1, -1) for _ in range(6)]


def dependent(random):
    basis = random.randn(2, 3)
    return [(random.rand(), random.randint(-3, 4, 2) @ basis) for _ in range(15)]


def all_through_one_point(random):
    """At w = (1, -1, 1/2) every cut is 0.3: far more bind than the dimension has room for."""
    psis = random.randn(25, 3)
    return [(0.3 + psi @ [1.0, -1.0, 0.5], psi) for psi in psis]


def whole_numbers(random):
    return [(1.0, random.randint(-2, 3, 3).astype(float)) for _ in range(20)]


@pytest.mark.parametrize("rho", [0.01, 100.0])
@pytest.mark.parametrize(
    "cuts",
    [
        zero_cut,
        duplicates,
        equal_slopes_of_different_heights,
        dependent,
        all_through_one_point,
        whole_numbers,
    ],
)
def test_cuts_that_depend_on_each_other_do_no_harm(cuts, rho):
    random = np.random.RandomState(2)
    pool = Pool([0.5], random.randn(1, 3))
    for number, (delta, psi) in enumerate(cuts(random)):
        pool.add(0, delta, psi)
        if number % 4 == 3:
            pool.check(random.randn(1, 3), rho)
    for _ in range(3):
        pool.check(3 * random.randn(1, 3), rho)


def test_a_long_life_of_a_pool_ends_where_a_new_pool_starts():
    """Factors are updated, and now and then computed anew, over 300 steps."""
    random = np.random.RandomState(3)
    pool = Pool([1.0], random.randn(1, 6))
    for _ in range(25):
        pool.add(0, random.rand(), random.randn(6))
    for number in range(300):
        pool.step(random.randn(1, 6), 2.0)
        if number % 60 == 59:
            pool.check(random.randn(1, 6), 2.0)
    B = random.randn(1, 6)
    fresh = Pool([1.0], pool.cuts[0][0][1][None])
    for delta, psi in pool.cuts[0][1:]:
        fresh.add(0, delta, psi)
    W = pool.step(B, 2.0, 1e-10)[0]
    np.testing.assert_allclose(W, fresh.step(B, 2.0, 1e-10)[0], atol=1e-4)
    assert pool.pool.n_fallbacks == 0


def test_where_there_is_no_room_the_longest_idle_cut_goes():
    """Cuts 0 and 1 hold w; the low ones are never in use and leave in the order they came."""
    pool = Pool([1.0], [[1.0, 0.0]])
    pool.add(0, 1.0, [-1.0, 0.0])
    B = np.zeros((1, 2))
    capacity = pool.pool.delta.shape[1]
    for number in range(capacity + 3):
        pool.step(B, 1.0)
        pool.add(0, -100.0 - number, [0.0, 1.0])
    assert pool.pool.delta.shape[1] == capacity
    left = sorted(-int(delta) - 100 for delta in pool.pool.delta[0] if delta < 0)
    assert left == list(range(5, capacity + 3))
    W, P, v, _ = pool.step(B, 1.0)
    np.testing.assert_allclose(np.hstack([W, P, v[:, None]]), [[0, 0, 0, 0, 1]], atol=1e-6)


def test_a_place_that_is_taken_over_belongs_to_the_new_cut():
    """After many replacements the model is that of the cuts that the pool says it has."""
    random = np.random.RandomState(5)
    pool = Pool([1.0, 1.0], random.randn(2, 2))
    for _ in range(100):
        pool.step(random.randn(2, 2), 1.0)
        for task in range(2):
            pool.add(task, random.rand(), random.randn(2))
    assert pool.pool.delta.shape[1] == pool.pool.n_cuts.min() < 100
    kept = zip(pool.pool.delta, pool.pool.psi, strict=True)
    pool.cuts = [list(zip(deltas, psis, strict=True)) for deltas, psis in kept]
    for _ in range(5):
        pool.check(random.randn(2, 2), 1.0)


def test_where_most_cuts_are_in_use_room_is_made_for_more():
    """120 orthogonal cuts of one height share the weight equally."""
    d = 120
    pool = Pool([1.0], np.eye(1, d))
    for j in range(1, d):
        pool.add(0, 1.0, np.eye(d)[j])
    W = pool.step(np.zeros((1, d)), 2.0)[0]
    np.testing.assert_allclose(W, np.full((1, d), 2 / d), atol=1e-6)
    capacity = pool.pool.delta.shape[1]
    for _ in range(capacity):
        pool.add(0, -1.0, np.ones(d))
    assert pool.pool.delta.shape[1] > capacity
    np.testing.assert_allclose(pool.step(np.zeros((1, d)), 2.0)[0], W, atol=1e-9)
    pool.check(np.random.RandomState(0).randn(1, d), 2.0)


def without_active_set(monkeypatch):
    """The compiled steps call nothing that could be replaced; as plain Python they do."""
    monkeypatch.setattr(cut_pool, "active_set", lambda *_: (np.inf, 0))
    monkeypatch.setattr(cut_pool, "_proximal_steps", cut_pool._proximal_steps.py_func)


def test_where_the_active_set_fails_pairs_are_moved(monkeypatch):
    random = np.random.RandomState(6)
    pool = Pool([0.0, 0.5], np.vstack([np.ones(3), random.randn(3)]))
    for _ in range(8):
        for task in range(2):
            pool.add(task, random.rand(), random.randn(3))
    B = random.randn(2, 3)
    with monkeypatch.context() as patched:
        without_active_set(patched)
        by_pairs = pool.check(B, 1.0, 1e-5)
    assert pool.pool.n_fallbacks == 2
    np.testing.assert_allclose(pool.check(B, 1.0, 1e-9), by_pairs, atol=1e-2)
    for _ in range(3):
        pool.check(random.randn(2, 3), 1.0)
    assert pool.pool.n_fallbacks == 2


def test_what_is_compiled_is_what_is_written(monkeypatch):
    names = ("_proximal_steps", "active_set", "refactor", "_add")
    steps = []
    for plain in (False, True):
        with monkeypatch.context() as patched:
            for name in names if plain else ():
                patched.setattr(cut_pool, name, getattr(cut_pool, name).py_func)
            random = np.random.RandomState(7)
            pool = Pool(random.rand(2), random.randn(2, 3))
            for _ in range(60):
                pool.add(0, random.rand(), random.randn(3))
                pool.add(1, random.rand(), random.randn(3))
                W, P, v, _ = pool.step(random.randn(2, 3), 3.0, 1e-10)
            steps.append(np.hstack([W, P, v[:, None]]))
    np.testing.assert_allclose(*steps, atol=1e-6)


def test_a_first_cut_may_be_zero():
    pool = Pool([1.0, 1.0], [[0.0, 0.0], [1.0, 2.0]])
    pool.check(np.zeros((2, 2)), 1.0)
    pool.add(0, 0.5, [3.0, 1.0])
    pool.check(np.ones((2, 2)), 1.0)


@pytest.mark.parametrize("size", [1e-8, 1e-10, 1e-17])
def test_weights_sum_to_one_however_short_the_first_cut_is(size):
    """Mixtures of the deltas would else be too large, and bounds of the loss wrong."""
    pool = Pool([1.0], [[size, -size]])
    for delta, psi in ((0.75, [1.0, 2.0]), (0.5, [-2.0, 1.0]), (0.25, [1.0, -1.0])):
        _, _, v, _ = pool.step(np.array([[0.3, -0.2]]), 1e-3)
        assert v[0] <= 1.0 + 1e-12
        assert pool.pool.weight[0].sum() == pytest.approx(1.0, abs=1e-12)
        pool.add(0, delta, psi)
