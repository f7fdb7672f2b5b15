"""Which solver a path of multi-task models takes, and what happens where one gives up."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mlbench.methods import MTLCLS
from mlbench.solvers.hinge.l1_interior_point import HingeInteriorPath
from mlbench.solvers.hinge.path import HingePath

GRID = [{"lam": lam} for lam in (0.003, 0.03, 0.1, 0.3, 1.0, 10.0)]


@pytest.fixture
def data():
    random = np.random.RandomState(0)
    X = random.randn(150, 20)
    Y = (X @ random.randn(20, 3) + 3 * random.randn(150, 3) > 0).astype(int)
    return X, Y


def objectives(models, X, Y):
    for model in models:
        W = np.column_stack([model.intercept_, model.coef_])
        slack = np.maximum(0, 1 - (2 * Y - 1) * model.decision_function(X))
        yield np.abs(W).sum() + model.lam * 2 * slack.sum()


def path(X, Y, **parameters):
    return [model for _, model in MTLCLS(penalty="l11", **parameters).fit_path(X, Y, GRID)]


def test_the_exact_path_interior_points_and_cuts_agree(data, monkeypatch):
    X, Y = data
    exact, interior = path(X, Y), path(sparse.csr_matrix(X), Y, tol=1e-5)
    monkeypatch.setattr("mlbench.methods.multitask.mtl_cls._FEW", 0)
    cuts = path(sparse.csr_matrix(X), Y, tol=1e-5)
    assert all(model.gap_ < 1e-5 for model in exact + interior + cuts)
    assert exact[0].n_oracle_calls_ is None is not cuts[0].n_oracle_calls_
    assert interior[0].n_oracle_calls_ is None
    expected = [*objectives(exact, X, Y)]
    np.testing.assert_allclose([*objectives(interior, X, Y)], expected, rtol=2e-5)
    np.testing.assert_allclose([*objectives(cuts, X, Y)], expected, rtol=2e-5)


def test_where_interior_points_fail_kept_cuts_go_on(data, monkeypatch):
    X, Y = data
    expected = [*objectives(path(X, Y), X, Y)]
    solve = HingeInteriorPath.solve

    def fail_at_one_tenth(self, c, tol, max_steps, deadline):
        n_steps = solve(self, c, tol, 1 if c > 0.19 else max_steps, deadline)
        self.limit = "rounding" if c > 0.19 else self.limit
        return n_steps

    monkeypatch.setattr(HingeInteriorPath, "solve", fail_at_one_tenth)
    models = path(sparse.csr_matrix(X), Y)
    assert [model.n_oracle_calls_ is None for model in models] == [True] * 2 + [False] * 4
    assert all(model.converged_ and model.gap_ <= 1e-3 for model in models)
    np.testing.assert_allclose([*objectives(models, X, Y)], expected, rtol=1e-3)


def test_where_interior_points_fail_the_better_solution_counts_and_limits_do_not_start_anew(
    data, monkeypatch
):
    X, Y = sparse.csr_matrix(data[0]), data[1]
    solve = HingeInteriorPath.solve

    def fail_at_the_end(self, *given):
        n_steps = solve(self, *given)
        self.limit = "rounding"
        return n_steps

    monkeypatch.setattr(HingeInteriorPath, "solve", fail_at_the_end)
    monkeypatch.setattr("mlbench.methods.multitask.regularization_path._gap", lambda *_: 1e-5)
    with pytest.warns(ConvergenceWarning, match="max_iter=30"):
        model = MTLCLS(penalty="l11", lam=10.0, max_iter=30, tol=1e-6).fit(X, Y)
    assert model.gap_ == 1e-5
    assert model.n_iter_ == 30


def test_where_a_path_is_lost_the_splitting_goes_on(data, monkeypatch):
    X, Y = data
    expected = [*objectives(path(X, Y), X, Y)]
    advance = HingePath.advance

    def lose_at_one_tenth(self, c, max_jumps):
        if c > 0.2:
            self.has_failed = True
        advance(self, c, max_jumps)

    monkeypatch.setattr(HingePath, "advance", lose_at_one_tenth)
    models = path(X, Y)
    assert [model.n_oracle_calls_ is None for model in models] == [True] * 3 + [False] * 3
    assert all(model.converged_ and model.gap_ <= 1e-3 for model in models)
    np.testing.assert_allclose([*objectives(models, X, Y)], expected, rtol=1e-3)


def test_a_limit_ends_a_path_with_a_gap_that_is_true(data):
    X, Y = data
    best, *_ = objectives([MTLCLS(penalty="l11", lam=10.0).fit(X, Y)], X, Y)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model = MTLCLS(penalty="l11", lam=10.0, max_iter=1).fit(X, Y)
    (found,) = objectives([model], X, Y)
    assert not model.converged_
    assert 1e-3 < (found - best) / found <= model.gap_
    with pytest.warns(ConvergenceWarning, match="max_seconds"):
        MTLCLS(penalty="l11", lam=10.0, max_seconds=1e-9).fit(X, Y)


def test_a_limit_ends_a_search_of_interior_points_with_a_gap_that_is_true(data):
    X, Y = sparse.csr_matrix(data[0]), data[1]
    best, *_ = objectives([MTLCLS(penalty="l11", lam=10.0, tol=1e-6).fit(X, Y)], X, Y)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = MTLCLS(penalty="l11", lam=10.0, max_iter=2).fit(X, Y)
    (found,) = objectives([model], X, Y)
    assert not model.converged_
    assert model.n_iter_ == 2
    assert 1e-3 < (found - best) / found <= model.gap_
    with pytest.warns(ConvergenceWarning, match="max_seconds"):
        MTLCLS(penalty="l11", lam=10.0, max_seconds=1e-9).fit(X, Y)


def test_tasks_with_rows_of_their_own_have_paths_of_their_own(data):
    X, Y = data
    tasks = np.arange(150) % 3
    labels = Y[np.arange(150), tasks][:, None]
    together = MTLCLS(penalty="l11", lam=0.3).fit(X, labels, tasks=tasks)
    for task in range(3):
        rows = tasks == task
        alone = MTLCLS(penalty="l11", lam=0.3).fit(X[rows], labels[rows])
        np.testing.assert_allclose(together.coef_[task], alone.coef_[0], atol=1e-6)
