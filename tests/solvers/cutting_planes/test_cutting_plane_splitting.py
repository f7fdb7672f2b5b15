"""Splitting with kept cuts against a slow and certain solver, closed forms and itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from mlbench.solvers.cutting_planes import cutting_plane_splitting
from mlbench.solvers.cutting_planes.cutting_plane_splitting import CuttingPlaneSplitting
from mlbench.solvers.design import Design
from mlbench.solvers.losses.auc import auc_cuts
from mlbench.solvers.losses.auc_labeling import auc_labeling_cuts
from mlbench.solvers.losses.f1 import f1_cuts
from mlbench.solvers.losses.hinge import hinge_cuts
from mlbench.solvers.penalties import PENALTIES
from tests.methods import reference_smtl as reference

ORACLES = {
    "f1": f1_cuts,
    "auc": auc_cuts,
    "hinge": hinge_cuts,
    "auc-labeling": auc_labeling_cuts,
}
every_penalty = pytest.mark.parametrize("penalty", PENALTIES)
every_loss = pytest.mark.parametrize("loss", ORACLES)


@dataclass
class Problem:
    """Tasks with rows of their own, and what is known of their minimum."""

    Xs: list
    ys: list
    penalty: str
    loss: str
    brackets: dict = field(default_factory=dict)

    def solver(self):
        ends = np.cumsum([len(X) for X in self.Xs])
        rows = [np.arange(end - len(X), end) for X, end in zip(self.Xs, ends, strict=True)]
        design = Design(np.vstack(self.Xs), len(self.Xs), rows)
        y = np.concatenate(self.ys)
        return CuttingPlaneSplitting(design, y, ORACLES[self.loss], PENALTIES[self.penalty])

    def objective(self, W, lam):
        if self.loss != "auc-labeling":
            return reference.objective(W, self.Xs, self.ys, self.penalty, self.loss, lam)
        cuts = [labelings(X, y) for X, y in zip(self.Xs, self.ys, strict=True)]
        worst = [(deltas - psis @ w).max() for w, (deltas, psis) in zip(W, cuts, strict=True)]
        return reference.norm(self.penalty, W) + lam * sum(worst)

    def bracket(self, lam):
        """Return two numbers that the minimum lies between."""
        if lam not in self.brackets:
            if self.loss == "auc-labeling":
                value = conic_minimum(self.Xs, self.ys, self.penalty, lam)
                self.brackets[lam] = value * (1 - 1e-5), value * (1 + 1e-5)
            else:
                found = reference.solve(self.Xs, self.ys, self.penalty, self.loss, lam)
                self.brackets[lam] = found.bound, found.value
        return self.brackets[lam]

    def check(self, found, lam, tol):
        """Hold a solution against the definitions, and its bound against the true minimum."""
        assert found.objective == pytest.approx(self.objective(found.W, lam), rel=1e-9)
        lower, upper = self.bracket(lam)
        assert found.bound <= upper * (1 + 1e-9)
        assert lower <= found.objective * (1 + 1e-9)
        assert found.limit is not None or found.objective - found.bound <= tol * found.objective


def shared(X, Y, penalty, loss):
    """Return the solver for tasks on the same rows."""
    return CuttingPlaneSplitting(Design(X, len(Y)), np.ravel(Y), ORACLES[loss], PENALTIES[penalty])


def labelings(X, y):
    """Return FN FP / (P N) of all labelings, and the slopes of their margins."""
    labels = np.array(list(product((-1.0, 1.0), repeat=len(y))))
    missed = ((y > 0) & (labels < 0)).sum(axis=1)
    raised = ((y < 0) & (labels > 0)).sum(axis=1)
    return missed * raised / ((y > 0).sum() * (y < 0).sum()), (y - labels) @ X


def conic_minimum(Xs, ys, penalty, lam):
    cp = reference.cp
    W, t = cp.Variable((len(Xs), Xs[0].shape[1])), cp.Variable(len(Xs))
    limits = []
    for i, (X, y) in enumerate(zip(Xs, ys, strict=True)):
        deltas, psis = labelings(X, y)
        limits.append(t[i] >= deltas - psis @ W[i])
    norm = {
        "l11": lambda: cp.sum(cp.abs(W)),
        "l21": lambda: cp.sum(cp.norm(W, 2, axis=0)),
        "trace": lambda: cp.normNuc(W),
    }[penalty]()
    return cp.Problem(cp.Minimize(norm + lam * cp.sum(t)), limits).solve(solver="CLARABEL")


def signs(random, *shape):
    """Return labels whose rows have both classes."""
    y = np.where(random.rand(*shape) < 0.5, 1.0, -1.0)
    y[..., 0], y[..., 1] = 1.0, -1.0
    return y


def plain(random):
    X = random.randn(6, 3)
    return [X] * 2, list(signs(random, 2, 6))


def unbalanced(random):
    X = random.randn(6, 2)
    return [X] * 2, [np.repeat([1.0, -1.0], [1, 5]), np.repeat([1.0, -1.0], [5, 1])]


def ties(random):
    X = random.randint(-1, 2, (6, 3)).astype(float)
    return [X] * 2, list(signs(random, 2, 6))


def duplicate_rows(random):
    X = random.randn(3, 3)[[0, 1, 2, 0, 1, 2]]
    return [X] * 2, list(signs(random, 2, 6))


def constant_features(random):
    X = np.column_stack([np.ones(6), random.randn(6, 2), np.zeros(6)])
    return [X] * 2, list(signs(random, 2, 6))


def more_features_than_rows(random):
    X = random.randn(5, 12)
    return [X] * 2, list(signs(random, 2, 5))


def separable(random):
    X = random.randn(6, 2)
    X[:, 0] += np.sign(X[:, 0])
    return [X] * 2, [np.sign(X[:, 0]), -np.sign(X[:, 0])]


def rows_of_their_own(random):
    sizes = (2, 5, 6)
    return [random.randn(n, 3) for n in sizes], [signs(random, n) for n in sizes]


def one_task_one_feature(random):
    return [random.randn(6, 1)], [signs(random, 6)]


DATA = [
    plain,
    unbalanced,
    ties,
    duplicate_rows,
    constant_features,
    more_features_than_rows,
    separable,
    rows_of_their_own,
    one_task_one_feature,
]


@every_penalty
@every_loss
@pytest.mark.parametrize("data", DATA)
def test_the_minimum_is_between_bound_and_objective(data, loss, penalty):
    problem = Problem(*data(np.random.RandomState(DATA.index(data))), penalty, loss)
    found = problem.solver().solve(2.0, 1e-5, 5000)
    assert found.limit is None
    problem.check(found, 2.0, 1e-5)


@pytest.mark.slow
@every_penalty
@pytest.mark.parametrize("loss", ["f1", "auc"])
def test_a_larger_problem_of_other_seeds(loss, penalty):
    for seed in range(2):
        random = np.random.RandomState(seed)
        X = random.randn(12, 5)
        Y = np.where(X @ random.randn(5, 3) + random.randn(12, 3) > 0.6, 1.0, -1.0)
        problem = Problem([X] * 3, list(Y.T), penalty, loss)
        solution = problem.solver().solve(1.0, 1e-4, 5000)
        assert solution.limit is None
        problem.check(solution, 1.0, 1e-4)


ORDERS = {
    "descending": [30.0, 1.0, 0.1],
    "mixed": [0.5, 3.0, 0.1, 3.0],
    "far apart": [0.01, 1e4, 0.01],
}


@every_penalty
@every_loss
@pytest.mark.parametrize("order", ORDERS)
def test_the_certificate_holds_on_a_path_in_any_order(order, loss, penalty):
    """What is kept of the cuts stays true; what the step size was, does not."""
    problem = Problem(*plain(np.random.RandomState(4)), penalty, loss)
    path = problem.solver()
    for lam in ORDERS[order]:
        warm = path.solve(lam, 1e-3, 5000)
        cold = problem.solver().solve(lam, 1e-3, 5000)
        for solution in (warm, cold):
            assert solution.limit is None
            problem.check(solution, lam, 1e-3)
        assert warm.objective == pytest.approx(cold.objective, rel=1e-3)


@pytest.fixture
def tasks():
    """Three tasks on 20 rows of 4 features."""
    random = np.random.RandomState(1)
    X = random.randn(20, 4)
    Y = np.where(X @ random.randn(4, 3) + random.randn(20, 3) > 0.3, 1.0, -1.0)
    return X, np.ascontiguousarray(Y.T)


@every_penalty
def test_auc_has_a_closed_form_for_the_lambda_up_to_which_zero_is_optimal(tasks, penalty):
    X, Y = tasks
    slopes = [2 * (X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)) for y in Y]
    critical = 1 / reference.dual_norm(penalty, np.array(slopes))
    below = shared(X, Y, penalty, "auc").solve(0.98 * critical, 1e-9, 10)
    assert (below.n_iter, below.n_oracle_calls, below.limit) == (0, 0, None)
    np.testing.assert_array_equal(below.W, 0)
    assert below.objective == pytest.approx(0.98 * critical * 3, rel=1e-12)
    assert shared(X, Y, penalty, "auc").solve(1.02 * critical, 1e-6, 5000).W.any()


@every_penalty
def test_f1_has_zero_as_optimum_up_to_the_lambda_of_its_subgradients_at_zero(tasks, penalty):
    """At 0 a worst labeling misses all positives and raises any negatives."""
    X, Y = tasks
    cp = reference.cp
    raised = cp.Variable(Y.shape)
    slopes = 2 * (Y > 0) @ X - 2 * cp.multiply(raised, Y < 0) @ X
    dual_norm = {
        "l11": lambda: cp.max(cp.abs(slopes)),
        "l21": lambda: cp.max(cp.norm(slopes, 2, axis=0)),
        "trace": lambda: cp.sigma_max(slopes),
    }[penalty]()
    program = cp.Problem(cp.Minimize(dual_norm), [raised >= 0, raised <= 1])
    critical = 1 / program.solve(solver="CLARABEL")
    below = shared(X, Y, penalty, "f1").solve(0.98 * critical, 1e-6, 5000)
    assert below.limit is None
    np.testing.assert_array_equal(below.W, 0)
    above = shared(X, Y, penalty, "f1").solve(1.02 * critical, 1e-6, 5000)
    assert above.limit is None
    assert above.W.any()


@every_penalty
@every_loss
def test_a_search_that_is_ended_has_a_bound_all_the_same(loss, penalty):
    problem = Problem(*plain(np.random.RandomState(8)), penalty, loss)
    for steps in (1, 2, 4, 9):
        found = problem.solver().solve(3.0, 1e-12, steps)
        assert (found.limit, found.n_iter) == ("max_iter", steps)
        problem.check(found, 3.0, 1e-12)
    found = problem.solver().solve(3.0, 1e-12, 100, max_seconds=1e-9)
    assert (found.limit, found.n_iter) == ("max_seconds", 0)
    problem.check(found, 3.0, 1e-12)


@every_penalty
def test_after_a_limit_the_search_goes_on(tasks, penalty):
    X, Y = tasks
    path = shared(X, Y, penalty, "f1")
    objectives = [path.solve(1.0, 1e-4, 3).objective for _ in range(3)]
    assert objectives == sorted(objectives, reverse=True)
    ended = path.solve(1.0, 1e-4, 5000)
    assert ended.limit is None
    again = path.solve(1.0, 1e-4, 5000)
    assert again.limit is None
    assert ended.bound <= again.objective <= ended.objective


@pytest.mark.parametrize("loss", ["f1", "auc"])
@every_penalty
def test_sparse_rows_and_rows_of_their_own_give_the_same(tasks, penalty, loss):
    X, Y = tasks
    X = np.where(np.abs(X) > 0.7, X, 0.0)
    stacked = np.vstack([X] * 3)
    rows = list(np.arange(60).reshape(3, 20))
    designs = [
        Design(X, 3),
        Design(sparse.csr_matrix(X), 3),
        Design(stacked, 3, rows),
        Design(sparse.csr_matrix(stacked), 3, rows),
    ]
    expected, *others = (
        CuttingPlaneSplitting(design, Y.ravel(), ORACLES[loss], PENALTIES[penalty]).solve(
            1.0, 1e-5, 5000
        )
        for design in designs
    )
    for found in others:
        assert found.limit is None
        assert found.objective == pytest.approx(expected.objective, rel=1e-5)
        assert found.W.any()


@pytest.mark.parametrize("loss", ["f1", "auc", "hinge"])
@pytest.mark.parametrize("penalty", ["l21", "trace"])
def test_equal_tasks_have_equal_coefficients(tasks, penalty, loss):
    X, Y = tasks
    found = shared(X, Y[[0, 1, 0]], penalty, loss).solve(1.0, 1e-5, 5000)
    assert found.W.any()
    np.testing.assert_allclose(found.W[0], found.W[2], rtol=0, atol=1e-9)


def test_every_labeling_that_is_asked_for_is_counted(tasks):
    X, Y = tasks
    asked = []

    def oracle(scores, y, offsets):
        asked.append(len(offsets) - 1)
        return f1_cuts(scores, y, offsets)

    path = CuttingPlaneSplitting(Design(X, 3), Y.ravel(), oracle, PENALTIES["l21"])
    at_the_start = sum(asked)
    calls = [path.solve(lam, 1e-3, 5000).n_oracle_calls for lam in (0.1, 1.0)]
    assert calls[1] > 0
    assert at_the_start + sum(calls) == sum(asked) == path.n_oracle_calls


@pytest.mark.parametrize("penalty", ["l21", "trace"])
@pytest.mark.parametrize("loss", ["f1", "auc", "hinge", "auc-labeling"])
def test_a_task_whose_first_cut_is_zero(loss, penalty):
    """Its rows are symmetric: nothing can be learnt at first sight, as there is in the other."""
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [2.0, 1.0], [-2.0, -1.0]])
    ys = [np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])]
    problem = Problem([X] * 2, ys, penalty, loss)
    for lam in (1.0, 100.0):
        problem.check(problem.solver().solve(lam, 1e-4, 5000), lam, 1e-4)


@pytest.mark.parametrize("penalty", ["l21", "trace"])
@pytest.mark.parametrize("seed", range(4))
def test_a_task_whose_first_cut_is_but_rounding(seed, penalty):
    """Every row is there once as a positive and once as a negative, in another order."""
    half = np.random.RandomState(seed).randn(3, 2)
    X = np.vstack([half, half[::-1]])
    ys = [np.repeat([1.0, -1.0], 3), np.where(X[:, 0] > np.median(X[:, 0]), 1.0, -1.0)]
    problem = Problem([X] * 2, ys, penalty, "auc")
    problem.check(problem.solver().solve(10.0, 1e-4, 5000), 10.0, 1e-4)


def test_tasks_of_very_different_scales():
    random = np.random.RandomState(0)
    Xs = [size * random.randn(8, 2) for size in (1e-8, 1.0, 1e8)]
    ys = [signs(random, 8) for _ in Xs]
    found = Problem(Xs, ys, "l21", "auc").solver().solve(1.0, 1e-3, 500)
    assert found.bound <= found.objective * (1 + 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("penalty", ["l21", "trace"])
def test_a_step_size_that_begins_far_off_comes_right(monkeypatch, penalty):
    random = np.random.RandomState(4)
    X = random.randn(200, 6)
    Y = np.sign(X @ random.randn(6, 3) + random.randn(200, 3)).T
    steps = {}
    for fresh, first in product((100, 10**9), (4.0, 4e6)):
        monkeypatch.setattr(cutting_plane_splitting, "_FRESH", fresh)
        monkeypatch.setattr(cutting_plane_splitting, "_FIRST_STEP", first)
        steps[fresh, first] = shared(X, Y, penalty, "hinge").solve(0.01, 1e-3, 3000)
    assert steps[100, 4e6].limit is None
    assert steps[100, 4e6].n_iter < 0.5 * steps[10**9, 4e6].n_iter
    assert steps[100, 4.0].objective == pytest.approx(steps[100, 4e6].objective, rel=2e-3)
