"""Joint projections and SVMs against libsvm, a conic solver and explicit projections."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from mlbench.errors import MethodError
from mlbench.estimator_checks import CHECKS
from mlbench.methods.mlsvm import problem as mlsvm_problem
from mlbench.methods.mlsvm.mlsvm import MLSVMFL1, MLSVMFL2, MLSVMTL1, MLSVMTL2
from mlbench.solvers.spectral_support_norm import HalfSquaredSpectralSupport

METHODS = (MLSVMTL1, MLSVMFL1, MLSVMTL2, MLSVMFL2)
every_method = pytest.mark.parametrize("method", METHODS)
every_shape = pytest.mark.parametrize(("n", "d"), [(30, 4), (12, 20)], ids=["tall", "wide"])
TIGHT = {"tol": 1e-7, "max_iter": 100_000}


def example(n=30, d=4, k=3, seed=0):
    random = np.random.RandomState(seed)
    X, new = random.randn(n, d) + 1, random.randn(9, d) + 1
    Y = (X @ random.randn(d, k) + random.randn(n, k) > 1).astype(np.int64)
    Y[0], Y[1] = 1, 0
    return X, Y, new


def metric(method, X, mu=0.01):
    """The matrix M of the constraint Q'MQ = I."""
    if not issubclass(method, (MLSVMFL1, MLSVMFL2)):
        return np.eye(X.shape[1])
    centered = X - X.mean(axis=0)
    return centered.T @ centered + mu * np.vdot(centered, centered) / len(X) * np.eye(X.shape[1])


def root(M, power=0.5):
    values, vectors = np.linalg.eigh(M)
    return (vectors * values**power) @ vectors.T


def total_loss(model, X, Y, tasks=None):
    signs = 2 * Y - 1
    slack = np.maximum(0, 1 - signs * model.decision_function(X, tasks))
    return np.sum(slack if model.loss == "hinge" else slack**2)


def conic_optimum(X, Y, loss, M, r, C, tasks=None):
    """Solve the relaxation over W, b and Z with 0 <= Z <= I, tr Z = r, in explicit form."""
    cp = pytest.importorskip("cvxpy")
    k = Y.shape[1] if tasks is None else tasks.max() + 1
    whitened = X @ root(M, -0.5)
    d = X.shape[1]
    W, b, Z = cp.Variable((k, d)), cp.Variable(k), cp.Variable((d, d), PSD=True)
    total = 0
    for i in range(k):
        rows = np.arange(len(X)) if tasks is None else np.flatnonzero(tasks == i)
        y = 2 * Y[rows, i if tasks is None else 0] - 1
        slack = cp.pos(1 - cp.multiply(y, whitened[rows] @ W[i] + b[i]))
        total += cp.sum(slack) if loss == "hinge" else cp.sum_squares(slack)
    objective = 0.5 * cp.matrix_frac(W.T, Z) + C * total
    problem = cp.Problem(cp.Minimize(objective), [np.eye(d) - Z >> 0, cp.trace(Z) == r])
    return problem.solve(solver="CLARABEL")  # good to about 5e-6


def libsvm_scores(K, K_new, y, loss, C):
    """Scores of an SVM with a free bias by libsvm: the squared hinge by its kernel K + I/(2C)."""
    if loss == "hinge":
        svm = SVC(C=C, kernel="precomputed", tol=1e-7, max_iter=1_000_000).fit(K, y)
    else:
        svm = SVC(C=1e9, kernel="precomputed", tol=1e-8, max_iter=1_000_000).fit(
            K + np.eye(len(K)) / (2 * C), y
        )
    beta = np.zeros(len(K))
    beta[svm.support_] = svm.dual_coef_[0]
    return K_new @ beta + svm.intercept_[0]


def same_svm(scores, expected, loss, tolerance=1e-5):
    """Compare scores; of the hinge loss, the best bias need not be unique."""
    shift = np.median(scores - expected) if loss == "hinge" else 0.0
    np.testing.assert_allclose(scores - shift, expected, rtol=0, atol=tolerance)


@pytest.mark.slow
@every_method
@pytest.mark.parametrize("check", ["shapes_and_values", "one_class_labels", "row_order", "sparse"])
@pytest.mark.parametrize("options", [{"solver": "fw", "r": 2, "max_iter": 20}, {"round": True}])
def test_the_contract_holds_for_other_options(method, options, check):
    CHECKS[check](lambda: method(**options))


@pytest.mark.slow
@every_method
@pytest.mark.parametrize("check", ["shapes_and_values", "one_class_labels", "same_seed"])
def test_the_contract_holds_for_the_printed_alternation(method, check):
    """It amplifies rounding, so sparse and dense inputs may part ways."""
    CHECKS[check](lambda: method(solver="paper"))


@every_method
@every_shape
@pytest.mark.parametrize("options", [{"r": 3}, {"r": 1.0}, {"r": 50, "solver": "fw"}])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_with_r_of_k_they_are_plain_svms(method, n, d, options, C):
    X, Y, new = example(n, d)
    model = method(C=C, **options).fit(X, Y)
    centered, centered_new = X - X.mean(axis=0), new - X.mean(axis=0)
    whitened = root(metric(method, X), -1.0)
    for label in range(3):
        K, K_new = centered @ whitened @ centered.T, centered_new @ whitened @ centered.T
        expected = libsvm_scores(K, K_new, Y[:, label], model.loss, C)
        scores = model.decision_function(new)[:, label]
        same_svm(scores, expected, model.loss)
    assert model.r_effective_ == 3
    assert model.gap_ <= 1e-6


@every_method
def test_one_label_is_one_svm(method):
    X, Y, new = example(k=1)
    model = method(r=1).fit(X, Y)
    centered = X - X.mean(axis=0)
    inverse = root(metric(method, X), -1.0)
    K, K_new = centered @ inverse @ centered.T, (new - X.mean(axis=0)) @ inverse @ centered.T
    expected = libsvm_scores(K, K_new, Y[:, 0], model.loss, 1.0)
    same_svm(model.decision_function(new)[:, 0], expected, model.loss)


@pytest.mark.slow
@every_method
@every_shape
@pytest.mark.parametrize("r", [1, 2])
@pytest.mark.parametrize("C", [0.05, 5.0])
def test_a_conic_solver_finds_the_same_optimum(method, n, d, r, C):
    X, Y, _ = example(n, d, k=4)
    M = metric(method, X)
    model = method(C=C, r=r, **TIGHT).fit(X, Y)
    optimum = conic_optimum(X, Y, model.loss, M, r, C)
    assert model.converged_
    assert model.obj_Q_ <= optimum * (1 + 1e-5)
    assert optimum <= model.obj_alpha_ * (1 + 1e-5)
    # the objective in the original features, without singular vectors
    penalty = HalfSquaredSpectralSupport(r).value(model.coef_ @ root(M))
    value = penalty + C * total_loss(model, X, Y)
    assert value == pytest.approx(model.obj_alpha_, rel=1e-8)


@pytest.mark.parametrize(("shift", "is_inside"), [(0.3, True), (4.0, False)])
@pytest.mark.parametrize("C", [0.01, 10.0])
def test_a_rare_label_among_its_negatives_has_no_weights_with_the_hinge(shift, is_inside, C):
    random = np.random.RandomState(0)
    X, Y = random.randn(60, 3), np.zeros((60, 1), dtype=np.int64)
    X[:5] += shift
    Y[:5] = 1
    equal = np.vstack([X[5:].T, np.ones(55)]), np.append(X[:5].sum(axis=0), 5)
    exists = linprog(np.zeros(55), A_eq=equal[0], b_eq=equal[1], bounds=(0, 1)).status == 0
    assert exists == is_inside
    hinge, squared = (method(C=C, r=1, **TIGHT).fit(X, Y) for method in (MLSVMTL1, MLSVMTL2))
    assert (np.linalg.norm(hinge.coef_) < 1e-2 * np.linalg.norm(squared.coef_)) == is_inside


def test_one_shared_map_for_labels_with_inputs_of_their_own():
    random = np.random.RandomState(3)
    X, tasks = random.randn(60, 5), np.arange(60) % 4
    Y = (X[:, :1] + 0.5 * random.randn(60, 1) > 0.3).astype(np.int64)
    for method in METHODS:
        model = method(r=2, **TIGHT).fit(X, Y, tasks=tasks)
        optimum = conic_optimum(X, Y, model.loss, metric(method, X), 2, 1.0, tasks)
        assert model.obj_Q_ * (1 - 1e-5) <= optimum <= model.obj_alpha_ * (1 + 1e-5)
        assert model.gap_ <= 1e-7
        penalty = HalfSquaredSpectralSupport(2).value(model.coef_ @ root(metric(method, X)))
        value = penalty + total_loss(model, X, Y, tasks)
        assert value == pytest.approx(model.obj_alpha_, rel=1e-8)
        assert model.transform(X).shape == (60, 2)


@pytest.mark.parametrize("method", [MLSVMTL1, MLSVMTL2])
@pytest.mark.parametrize("solver", ["primal_dual", "fw"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_tasks_of_equal_rows_are_labels(method, solver):
    X, Y, new = example()
    stop = {"tol": 1e-7, "max_iter": {"primal_dual": 100_000, "fw": 5}[solver]}
    labels = method(r=2, solver=solver, round=True, **stop).fit(X, Y)
    tasked = method(r=2, solver=solver, round=True, **stop).fit(
        np.tile(X, (3, 1)), Y.T.reshape(-1, 1), tasks=np.repeat(np.arange(3), len(X))
    )
    scores = [tasked.decision_function(new, np.full(9, task))[:, 0] for task in range(3)]
    np.testing.assert_allclose(
        np.column_stack(scores), labels.decision_function(new), rtol=0, atol=1e-3
    )
    np.testing.assert_allclose(tasked.history_, labels.history_, rtol=3e-5)
    mixed = tasked.predict(new, np.arange(9) % 3)[:, 0]
    assert mixed.tolist() == [int(scores[row % 3][row] > 0) for row in range(9)]


@every_method
@every_shape
def test_rounding_refits_svms_on_the_leading_directions(method, n, d):
    X, Y, new = example(n, d, k=4)
    whole = method(r=2).fit(X, Y)
    model = method(r=2, round=True).fit(X, Y)
    Q = model.components_.T
    np.testing.assert_allclose(Q, whole.components_.T)
    np.testing.assert_allclose(Q.T @ metric(method, X) @ Q, np.eye(2), atol=1e-9)
    Z, Z_new = model.transform(X), model.transform(new)
    np.testing.assert_allclose(Z_new, new @ Q, atol=1e-12)
    # the directions span those of the coefficients that matter most
    _, _, Vt = np.linalg.svd(whole.coef_ @ root(metric(method, X)), full_matrices=False)
    span = root(metric(method, X)) @ Q
    np.testing.assert_allclose(span @ span.T, Vt[:2].T @ Vt[:2], atol=1e-8)
    value = 0.0
    for label in range(4):
        expected = libsvm_scores(Z @ Z.T, Z_new @ Z.T, Y[:, label], model.loss, 1.0)
        found = model.decision_function(new)[:, label]
        same_svm(found, expected, model.loss, 1e-4)
        w = np.linalg.lstsq(Q, model.coef_[label], rcond=None)[0]
        np.testing.assert_allclose(Q @ w, model.coef_[label], atol=1e-9)
        value += 0.5 * w @ w
    value += total_loss(model, X, Y)
    loss = value / whole.obj_alpha_ - 1
    assert model.rounding_loss_ == pytest.approx(loss, abs=1e-7)
    assert model.fit_report_["rounding_loss"] == model.rounding_loss_ >= -whole.gap_
    assert whole.rounding_loss_ is None
    assert "rounding_loss" not in whole.fit_report_


def test_it_is_a_transformer_in_a_pipeline():
    X, Y, new = example()
    projection = MLSVMTL1(r=2)
    np.testing.assert_array_equal(projection.fit_transform(X, Y), projection.transform(X))
    assert list(projection.get_feature_names_out()) == ["mlsvmtl10", "mlsvmtl11"]
    piped = make_pipeline(MLSVMTL1(r=2), LogisticRegression()).fit(X, Y[:, 0])
    assert piped.predict(new).shape == (9,)


@every_method
def test_the_map_does_not_depend_on_where_the_origin_is(method):
    X, Y, new = example()
    scores = method(r=2).fit(X, Y).decision_function(new)
    moved = method(r=2).fit(X + 7, Y).decision_function(new + 7)
    np.testing.assert_allclose(moved, scores, atol=1e-8)


@pytest.mark.slow
@every_method
@pytest.mark.parametrize("solver", ["primal_dual", "fw", "paper"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_equal_labels_and_labels_of_one_class(method, solver):
    X, Y, new = example()
    Y = np.column_stack([Y[:, [0, 1, 0]], np.zeros(len(X), int), np.ones(len(X), int)])
    model = method(r=2, solver=solver, random_state=0).fit(X, Y)
    scores = model.decision_function(new)
    np.testing.assert_allclose(scores[:, 0], scores[:, 2], atol=1e-8)
    assert (scores[:, 3] == -1).all()
    assert (scores[:, 4] == 1).all()
    assert model.constant_labels_.tolist() == [3, 4]
    assert len(model.components_) <= model.r_effective_ == 2
    alone = method(r=2, solver=solver, random_state=0).fit(X, Y[:, :3])
    np.testing.assert_allclose(alone.decision_function(new), scores[:, :3], atol=1e-8)


def test_r_is_cut_to_what_there_is():
    X, Y, _ = example(k=3)
    Y = np.column_stack([Y, np.ones(len(X), int)])
    assert MLSVMTL1(r=9).fit(X, Y).r_effective_ == 3
    assert MLSVMTL1(r=0.5).fit(X, Y).r_effective_ == 2  # of three labels of two classes
    flat = X[:, :1] @ np.ones((1, 4))
    model = MLSVMTL1(r=9).fit(flat, Y)
    assert model.r_effective_ == 1
    assert model.components_.shape == (1, 4)
    nothing = MLSVMTL1(r=2).fit(np.ones((30, 4)), Y)
    assert nothing.r_effective_ == 0
    assert nothing.transform(X).shape == (30, 0)
    # two equal labels need one direction only
    twice = MLSVMTL2(r=2, **TIGHT).fit(X, Y[:, [0, 0, 0]])
    assert twice.r_effective_ == 2
    assert len(twice.components_) == 1


@pytest.mark.slow
@every_method
def test_a_path_shares_one_decomposition_and_finds_what_fits_find(method, monkeypatch):
    X, Y, new = example(40, 6, k=4)
    calls = []
    plain = mlsvm_problem.centered_svd
    monkeypatch.setattr(mlsvm_problem, "centered_svd", lambda X: calls.append(1) or plain(X))
    grid = [{"C": C, "r": r} for r in (3, 1, 4) for C in (10.0, 0.01, 1.0)]
    if "mu" in method().get_params():
        grid += [{"C": 1.0, "r": 2, "mu": mu} for mu in (1.0, 1e-3)]
    models = dict(method(**TIGHT).fit_path(X, Y, grid))
    assert len(calls) == 1
    assert sorted(models) == list(range(len(grid)))
    for index, point in enumerate(grid):
        alone = method(**TIGHT, **point).fit(X, Y)
        model = models[index]
        assert model.gap_ <= 1e-7
        assert model.obj_alpha_ == pytest.approx(alone.obj_alpha_, rel=2e-7)
        np.testing.assert_allclose(
            model.decision_function(new), alone.decision_function(new), rtol=0, atol=0.02
        )


def test_sparse_inputs_are_not_made_dense_and_give_the_same():
    X, Y, new = example(20, 50)
    X, new = np.maximum(X - 1, 0), np.maximum(new - 1, 0)
    for method in METHODS:
        dense = method(r=2).fit(X, Y)
        slim = method(r=2).fit(sparse.csr_matrix(X), Y)
        np.testing.assert_allclose(
            slim.decision_function(sparse.csr_matrix(new)), dense.decision_function(new), atol=1e-8
        )
        np.testing.assert_allclose(slim.transform(sparse.csr_matrix(new)), dense.transform(new))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"r": 0}, "r must be a whole number of at least 1, or a share"),
        ({"r": 1.5}, "r must be"),
        ({"r": True}, "r must be"),
        ({"r": "all"}, "r must be"),
        ({"C": 0}, "C must be a number above 0"),
        ({"mu": -1.0}, "mu must be a number above 0"),
        ({"solver": "sdp"}, "solver must be one of"),
        ({"round": 2}, "round must be one of"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
        ({"max_seconds": -1}, "max_seconds must be a number above 0"),
        ({"tol": 0}, "tol must be a number above 0"),
    ],
)
def test_wrong_parameters_are_refused_in_words(parameters, words):
    X, Y, _ = example()
    with pytest.raises(MethodError, match=words):
        MLSVMFL1(**parameters).fit(X, Y)


@pytest.mark.parametrize("solver", ["primal_dual", "fw", "paper"])
@pytest.mark.parametrize("limit", [{"max_iter": 1}, {"max_seconds": 1e-9}])
def test_a_fit_that_ends_on_a_limit_says_so(solver, limit):
    X, Y, _ = example(40, 6, k=5)
    model = MLSVMTL1(r=2, solver=solver, tol=1e-9, random_state=0, **limit)
    with pytest.warns(ConvergenceWarning, match=f"ended on {next(iter(limit))}"):
        model.fit(X, Y)
    assert not model.fit_report_["converged"]
    assert model.fit_report_["gap"] > 1e-9
    assert model.fit_report_["obj_alpha"] > model.fit_report_["obj_Q"]


def test_no_bound_is_above_an_objective_at_an_extreme_strength():
    """Iterates of 1e12 took the dual point out of its domain, and the gap was said to be 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    Y = (rng.random((40, 4)) < 0.4).astype(int)
    Y[0], Y[1] = 1, 0
    weaker = MLSVMTL1(C=1e7, r=1).fit(X, Y).fit_report_
    model = MLSVMTL1(C=1e8, r=1).fit(X, Y)
    assert 0 <= model.gap_ <= 1e-3
    assert model.fit_report_["obj_Q"] <= 10 * weaker["obj_alpha"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(("seed", "scale"), [(23, 1e4), (9, 1e3), (2, 1e3)])
def test_plain_svms_that_are_not_solved_are_not_called_converged(seed, scale):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(60, 12)))
    Y = (rng.random((60, 3)) < 0.1).astype(int)
    Y[0], Y[1] = 1, 0
    model = MLSVMTL2(C=1.0, r=3).fit(scale * X, Y)
    assert 0 <= model.gap_ <= 1
    assert model.converged_ == (model.gap_ <= model.tol)


@pytest.mark.slow
@every_method
@every_shape
@pytest.mark.parametrize("C", [1e6, 1e8])
def test_a_large_C_converges(method, n, d, C):
    X, Y, _ = example(n, d)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model = method(C=C, r=2).fit(X, Y)
    assert model.converged_
    assert model.obj_Q_ <= model.obj_alpha_ * (1 + 1e-9)
    if d > n:  # the labels can be separated: C plays no part any more
        smaller = method(C=C / 100, r=2, tol=1e-5).fit(X, Y)
        np.testing.assert_allclose(model.obj_alpha_, smaller.obj_alpha_, rtol=2e-3)
        assert model.obj_Q_ <= smaller.obj_alpha_ * (1 + 1e-3)


def test_limits_hold_for_all_values_of_C_on_the_way_together():
    X, Y, _ = example(30, 4)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = MLSVMTL1(C=1e8, r=2, max_iter=60).fit(X, Y)
    assert model.n_iter_ == 60
    with pytest.warns(ConvergenceWarning, match="max_seconds"):
        MLSVMTL1(C=1e8, r=2, max_seconds=1e-9).fit(X, Y)


@every_method
@every_shape
@pytest.mark.parametrize("C", [1e4, 1e8, 1e12])
@pytest.mark.filterwarnings("ignore")
def test_bounds_from_plain_svms_are_bounds_at_any_C(method, n, d, C):
    X, Y, _ = example(n, d)
    plain = method(C=C, r=1.0).fit(X, Y)
    damped = method(C=C, r=2, solver="fw", max_iter=3).fit(X, Y)
    assert plain.obj_Q_ <= plain.obj_alpha_ * (1 + 1e-12)
    assert damped.obj_Q_ <= damped.obj_alpha_ * (1 + 1e-12)
    splitting = method(C=C, r=2).fit(X, Y)
    assert damped.obj_Q_ <= splitting.obj_alpha_ * (1 + 1e-9)
    assert plain.obj_Q_ <= splitting.obj_alpha_ * (1 + 1e-9)
