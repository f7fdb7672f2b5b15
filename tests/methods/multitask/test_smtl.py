"""SMTL as an estimator: against a slow and certain solver, closed forms and itself."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import f1_score, roc_auc_score

from mlbench.errors import MethodError
from mlbench.estimator_checks import CHECKS
from mlbench.methods.multitask.smtl import LOSSES, SMTL
from mlbench.solvers.penalties import PENALTIES
from tests.methods import reference_smtl as reference

VARIANTS = list(product(PENALTIES, ["f1", "auc"]))
every_variant = pytest.mark.parametrize(("penalty", "loss"), VARIANTS)
every_penalty = pytest.mark.parametrize("penalty", PENALTIES)


def with_ones(X):
    return np.column_stack([np.ones(len(X)), X])


def parts(X, Y, tasks=None):
    """Return the rows and the signs of every label, or of every task."""
    signs = 2.0 * Y - 1
    if tasks is None:
        return [X] * Y.shape[1], list(signs.T)
    return [X[tasks == t] for t in np.unique(tasks)], [
        signs[tasks == t, 0] for t in np.unique(tasks)
    ]


def objective(model, X, Y, tasks=None):
    """Return the objective from its definition; the intercept is a feature like the others."""
    W = model.coef_
    if model.fit_intercept:
        X, W = with_ones(X), np.column_stack([model.intercept_, W])
    return reference.objective(W, *parts(X, Y, tasks), model.penalty, model.loss, model.lam)


@pytest.mark.parametrize(
    "variant", [("l11", "auc"), ("trace", "f1"), ("l21", "auc-labeling")], ids="-".join
)
@pytest.mark.parametrize("check", CHECKS)
def test_the_contract_holds_for_other_penalties_and_losses(check, variant):
    CHECKS[check](lambda: SMTL(*variant))


@every_variant
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_gap_bounds_the_distance_to_a_certain_solver(labelled, penalty, loss, fit_intercept):
    X, Y = labelled[0][:12], labelled[1][:12]
    rows = with_ones(X) if fit_intercept else X
    certain = reference.solve(*parts(rows, Y), penalty, loss, 0.5)
    for tol in (1e-2, 1e-5):
        model = SMTL(penalty, loss, 0.5, fit_intercept=fit_intercept, tol=tol).fit(X, Y)
        value = objective(model, X, Y)
        assert certain.bound <= value * (1 + 1e-9)
        assert (value - certain.value) / value <= model.gap_ + 1e-9
        assert model.gap_ <= tol
        assert model.converged_


@pytest.mark.slow
@every_variant
def test_tasks_have_their_rows_alone(tasked, penalty, loss):
    X, Y, tasks, new, new_tasks = tasked
    X, Y, tasks = X[:28], Y[:28], tasks[:28]
    certain = reference.solve(*parts(with_ones(X), Y, tasks), penalty, loss, 0.5)
    for rows in (X, sparse.csr_matrix(X)):
        model = SMTL(penalty, loss, 0.5, tol=1e-4).fit(rows, Y, tasks)
        value = objective(model, X, Y, tasks)
        assert certain.bound <= value * (1 + 1e-9)
        assert value <= certain.value * (1 + 2e-4)
    scores = model.decision_function(new, new_tasks)[:, 0]
    by_hand = (new * model.coef_[new_tasks]).sum(axis=1) + model.intercept_[new_tasks]
    np.testing.assert_allclose(scores, by_hand, atol=1e-12)
    np.testing.assert_array_equal(model.predict(new, new_tasks)[:, 0], by_hand > 0)


@pytest.mark.slow
@every_variant
def test_a_path_has_the_objectives_of_independent_fits(labelled, penalty, loss):
    X, Y, _ = labelled
    grid = [{"lam": lam} for lam in (3.0, 0.01, 0.3, 30.0)]
    model = SMTL(penalty, loss, tol=1e-4)
    for index, warm in model.fit_path(X, Y, grid):
        alone = SMTL(penalty, loss, tol=1e-4, **grid[index]).fit(X, Y)
        assert warm.lam == grid[index]["lam"]
        assert warm.gap_ <= 1e-4
        assert objective(warm, X, Y) == pytest.approx(objective(alone, X, Y), rel=1e-4)


@every_penalty
def test_a_path_with_tasks(tasked, penalty):
    X, Y, tasks, _, _ = tasked
    for _, warm in SMTL(penalty).fit_path(X, Y, [{"lam": 2.0}, {"lam": 0.2}], tasks):
        alone = SMTL(penalty, lam=warm.lam).fit(X, Y, tasks)
        value = objective(alone, X, Y, tasks)
        assert objective(warm, X, Y, tasks) == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_labels_of_one_class_are_left_out(labelled, loss):
    X, Y, new = labelled
    wide = np.column_stack([np.zeros(60, int), Y, np.ones(60, int)])
    model = SMTL(loss=loss, tol=1e-5).fit(X, wide)
    alone = SMTL(loss=loss, tol=1e-5).fit(X, Y)
    np.testing.assert_array_equal(model.constant_labels_, [0, 4])
    np.testing.assert_array_equal(model.decision_function(new)[:, [0, 4]], [[-1.0, 1.0]] * 20)
    np.testing.assert_array_equal(model.predict(new)[:, [0, 4]], [[0, 1]] * 20)
    np.testing.assert_array_equal(model.coef_[1:4], alone.coef_)
    trivial = SMTL(loss=loss).fit(X, wide[:, [0, 4]])
    assert (trivial.gap_, trivial.n_iter_, trivial.converged_) == (0.0, 0, True)


@pytest.mark.parametrize("loss", ["f1", "auc"])
def test_with_one_label_l21_is_the_1_norm_and_trace_the_2_norm(labelled, loss):
    """One label's weights are a single row: its columns have one entry, it has one value."""
    X, y = labelled[0], labelled[1][:, :1]
    by_entry, by_column, by_value = (
        SMTL(penalty, loss, 0.3, tol=1e-6).fit(X, y) for penalty in ("l11", "l21", "trace")
    )
    assert objective(by_column, X, y) == pytest.approx(objective(by_entry, X, y), rel=1e-6)
    cp = pytest.importorskip("cvxpy")
    W = np.append(by_value.intercept_, by_value.coef_)
    slope = cp.Variable(5)
    if loss == "auc":
        rows = with_ones(X)
        pairs = (rows[y[:, 0] == 1][:, None] - rows[y[:, 0] == 0][None]).reshape(-1, 5)
        mean = cp.sum(cp.pos(1 - 2 * pairs @ slope)) / len(pairs)
        value = cp.Problem(cp.Minimize(cp.norm(slope) + 0.3 * mean)).solve(solver="CLARABEL")
        assert objective(by_value, X, y) == pytest.approx(value, rel=1e-5)
    loss_alone = objective(by_value, X, y) - np.linalg.norm(W)
    assert loss_alone == pytest.approx(
        0.3 * reference.task_loss(loss, with_ones(X) @ W, 2.0 * y[:, 0] - 1), rel=1e-9
    )


@every_penalty
def test_an_intercept_has_no_effect_on_auc(labelled, penalty):
    X, Y, _ = labelled
    model = SMTL(penalty, "auc", 5.0, tol=1e-6).fit(X, Y)
    without = SMTL(penalty, "auc", 5.0, fit_intercept=False, tol=1e-6).fit(X, Y)
    np.testing.assert_allclose(model.intercept_, 0, atol=1e-4)
    assert objective(model, X, Y) == pytest.approx(objective(without, X, Y), rel=1e-6)
    np.testing.assert_array_equal(without.intercept_, 0)
    moved = SMTL(penalty, "auc", 5.0, tol=1e-6).fit(X + 3, Y)
    assert objective(moved, X + 3, Y) == pytest.approx(objective(model, X, Y), rel=1e-6)


@every_variant
def test_features_are_not_scaled_inside(labelled, penalty, loss):
    """With X / 4 in place of X, 4 W and 4 lam are the same problem: all is 4 times as large.

    Powers of 2 are exact, so that even the way to the solution is the same.
    """
    X, Y, _ = labelled
    model = SMTL(penalty, loss, 0.5, fit_intercept=False).fit(X, Y)
    small = SMTL(penalty, loss, 2.0, fit_intercept=False).fit(X / 4, Y)
    assert model.coef_.any()
    np.testing.assert_allclose(small.coef_, 4 * model.coef_, rtol=1e-6, atol=1e-9)
    same_lam = SMTL(penalty, loss, 0.5, fit_intercept=False).fit(X / 4, Y)
    assert np.abs(same_lam.coef_ / 4).sum() < 0.99 * np.abs(model.coef_).sum()


@every_variant
def test_a_separable_problem_is_learnt_without_a_mistake(penalty, loss):
    random = np.random.RandomState(0)
    X = random.randn(60, 3)
    margins = X @ random.randn(3, 2)
    X, margins = X[np.abs(margins).min(axis=1) > 0.3], margins[np.abs(margins).min(axis=1) > 0.3]
    Y = (margins > 0).astype(int)
    model = SMTL(penalty, loss, 1000.0).fit(X, Y)
    assert roc_auc_score(Y, model.decision_function(X)) == 1
    if loss == "f1":
        assert f1_score(Y, model.predict(X), average="macro") == 1


def test_the_two_losses_named_auc_differ(labelled):
    X, Y, _ = labelled
    pairs, labelings = SMTL("l21", "auc").fit(X, Y), SMTL("l21", "auc-labeling").fit(X, Y)
    assert not np.allclose(pairs.coef_, labelings.coef_, rtol=0.1)
    assert roc_auc_score(Y, labelings.decision_function(X)) > 0.7


def test_the_penalties_leave_what_they_are_for(labelled):
    """l21 drops features for all labels, l11 single entries, trace all but a few directions."""
    X, Y, _ = labelled
    wide = np.hstack([X, np.random.RandomState(0).randn(60, 6)])
    columns, entries, spectrum = (
        SMTL(penalty, "auc", lam, fit_intercept=False, tol=1e-5).fit(wide, Y).coef_
        for penalty, lam in (("l21", 0.8), ("l11", 0.8), ("trace", 0.3))
    )
    used = columns.any(axis=0)
    assert 0 < used.sum() < 10
    assert columns[:, used].all()
    assert entries.any()
    assert (entries[:, entries.any(axis=0)] == 0).any()
    assert np.linalg.matrix_rank(spectrum, tol=1e-10) in (1, 2)


def test_the_report_tells_what_the_fit_was_worth(labelled):
    X, Y, _ = labelled
    model = SMTL(lam=0.5).fit(X, Y)
    assert model.fit_report_ == {
        "gap": model.gap_,
        "iterations": model.n_iter_,
        "oracle_calls": model.n_oracle_calls_,
        "seconds": model.fit_seconds_,
        "converged": True,
    }
    assert 0 <= model.gap_ <= 1e-3
    assert model.n_oracle_calls_ >= 3 * model.n_iter_ > 0
    assert (model.coef_.shape, model.intercept_.shape) == ((3, 4), (3,))


@every_variant
def test_a_limit_ends_the_fit_with_a_warning_and_a_true_gap(labelled, penalty, loss):
    X, Y, _ = labelled
    best = objective(SMTL(penalty, loss, 5.0, tol=1e-6).fit(X, Y), X, Y)
    for limit, message in (
        ({"max_iter": 2}, "SMTL with lam=5 ended on max_iter=2: its relative gap is"),
        ({"max_seconds": 1e-9}, "ended on max_seconds=1e-09: .* above tol=1e-12"),
    ):
        with pytest.warns(ConvergenceWarning, match=message):
            model = SMTL(penalty, loss, 5.0, tol=1e-12, **limit).fit(X, Y)
        assert model.fit_report_["converged"] is False
        value = objective(model, X, Y)
        assert (value - best) / value <= model.gap_ <= 1


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"penalty": "l1"}, "SMTL: penalty must be one of 'l11', 'l21', 'trace'; got 'l1'"),
        ({"loss": "F1"}, "SMTL: loss must be one of 'f1', 'auc', 'auc-labeling'; got 'F1'"),
        ({"penalty": ["l21"]}, "penalty must be one of 'l11', 'l21', 'trace'; got \\['l21'\\]"),
        ({"lam": 0}, "SMTL: lam must be a number above 0; got 0"),
        ({"lam": float("inf")}, "SMTL: lam must be a number above 0; got inf"),
        ({"tol": 0.0}, "SMTL: tol must be a number above 0; got 0.0"),
        ({"max_iter": 1.5}, "SMTL: max_iter must be a whole number of at least 1; got 1.5"),
        ({"max_seconds": 0}, "SMTL: max_seconds must be a number above 0; got 0"),
        ({"fit_intercept": None}, "SMTL: fit_intercept must be one of True, False; got None"),
    ],
)
def test_wrong_parameters_are_refused(labelled, wrong, complaint):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match=complaint):
        SMTL(**wrong).fit(X, Y)
    with pytest.raises(MethodError, match=complaint):
        list(SMTL().fit_path(X, Y, [wrong]))


numbers = st.integers(-3, 3) | st.floats(-3, 3)


@st.composite
def problems(draw):
    """Tiny data of any scale; every label has both classes."""
    n, d, k = (draw(st.integers(low, high)) for low, high in ((3, 6), (1, 3), (1, 3)))
    rows = draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n))
    scales = draw(st.lists(st.sampled_from([1e-6, 1.0, 1e6]), min_size=d, max_size=d))
    labels = [[1] * k, [0] * k]
    for _ in range(n - 2):
        labels.append(draw(st.lists(st.integers(0, 1), min_size=k, max_size=k)))
    lam = 10.0 ** draw(st.integers(-7, 7))
    return np.array(rows, float) * scales, np.array(labels), lam


@pytest.mark.slow
@given(problems(), st.sampled_from(VARIANTS))
@settings(max_examples=50)
def test_the_gap_is_true_for_any_data(problem, variant):
    """Other points, found by coarser and longer searches, are never below what the gap allows."""
    X, Y, lam = problem
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = [SMTL(*variant, lam, tol=tol, max_iter=100).fit(X, Y) for tol in (0.5, 1e-3)]
    values = [objective(model, X, Y) for model in models]
    zero = lam * Y.shape[1]
    lowest = min(*values, zero)
    for model, value in zip(models, values, strict=True):
        assert 0 <= model.gap_ <= 1
        assert value <= zero * (1 + 1e-9)
        assert value * (1 - model.gap_) <= lowest * (1 + 1e-9)
        assert model.converged_ == (model.gap_ <= model.tol)


@pytest.mark.parametrize("penalty", ["l21", "trace"])
@pytest.mark.parametrize("loss", ["f1", "auc-labeling"])
def test_a_label_that_features_say_nothing_about_does_not_disturb(penalty, loss):
    """The positives of the first label have the mean 0, and so have its negatives."""
    X = np.array([[-1.0, -1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]])
    Y = np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
    model = SMTL(penalty, loss, fit_intercept=False).fit(X, Y)
    np.testing.assert_allclose(model.coef_[0], 0, atol=1e-9)
    assert model.coef_[1].any()
