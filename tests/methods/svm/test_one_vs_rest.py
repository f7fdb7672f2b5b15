"""Linear support vector machines with a free bias, against libsvm and a quadratic program."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from mlbench.errors import MethodError
from mlbench.methods.svm import one_vs_rest
from mlbench.methods.svm.one_vs_rest import LabelSVMs, TaskSVMs, label_svms_path

LOSSES = ("hinge", "squared_hinge")
SHAPES = {"tall": (80, 4), "wide": (30, 70), "square": (40, 40)}


def example(shape, seed=0, k=3):
    n, d = SHAPES[shape]
    random = np.random.RandomState(seed)
    Z = random.randn(n, d) + 2
    Y = ((Z - 2) @ random.randn(d, k) + np.sqrt(d) * random.randn(n, k) > 0.4).astype(int)
    Y[0], Y[1] = 0, 1
    return Z, Y, random.randn(9, d) + 2


def centered_example(shape):
    Z, Y, new = example(shape)
    return Z - Z.mean(axis=0), Y, new - Z.mean(axis=0)


def objective(model, Z, Y, label):
    short = np.maximum(0, 1 - (2 * Y[:, label] - 1) * model.decision_function(Z)[:, label])
    loss = short if model.loss == "hinge" else short**2
    return model.coef_[label] @ model.coef_[label] / 2 + model.C * loss.sum()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_hinge_is_libsvm(shape, C):
    """Which has kernels in single precision."""
    Z, Y, new = centered_example(shape)
    model = LabelSVMs(C).fit(Z, Y)
    for label in range(3):
        theirs = SVC(C=C, kernel="linear", tol=1e-9).fit(Z, Y[:, label])
        np.testing.assert_allclose(
            model.decision_function(new)[:, label],
            theirs.decision_function(new),
            atol=3e-6 * max(1, C),
        )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_squared_hinge_is_libsvm_with_a_diagonal(shape, C):
    Z, Y, new = centered_example(shape)
    model = LabelSVMs(C, "squared_hinge").fit(Z, Y)
    K = Z @ Z.T + np.eye(len(Z)) / (2 * C)
    for label in range(3):
        theirs = SVC(C=1e7, kernel="precomputed", tol=1e-9).fit(K, Y[:, label])
        np.testing.assert_allclose(
            model.decision_function(new)[:, label],
            theirs.decision_function(new @ Z.T),
            atol=1e-5,
        )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_conditions_of_the_optimum_hold(shape, loss, C):
    Z, Y, _ = example(shape)
    model = LabelSVMs(C, loss).fit(Z, Y)
    signs = 2 * Y.T - 1
    margins = signs * model.decision_function(Z).T
    alpha = signs * model.dual_coef_
    np.testing.assert_allclose(model.coef_, model.dual_coef_ @ Z, atol=1e-10 * C + 1e-12)
    np.testing.assert_allclose(model.dual_coef_.sum(axis=1), 0, atol=1e-10 * C)
    if loss == "squared_hinge":
        np.testing.assert_allclose(alpha, 2 * C * np.maximum(0, 1 - margins), atol=1e-8 * C)
    else:
        assert (alpha >= 0).all()
        assert (alpha <= C).all()
        np.testing.assert_allclose(alpha * np.maximum(0, margins - 1), 0, atol=1e-8 * C)
        np.testing.assert_allclose((C - alpha) * np.maximum(0, 1 - margins), 0, atol=1e-8 * C)
    assert model.gap_ <= 1e-8
    assert model.converged_


@pytest.mark.parametrize("loss", LOSSES)
def test_no_other_point_is_better(loss):
    Z, Y, _ = example("tall")
    model = LabelSVMs(0.3, loss).fit(Z, Y)
    least = objective(model, Z, Y, 1)
    random = np.random.RandomState(1)
    coef, intercept = model.coef_.copy(), model.intercept_.copy()
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(20):
            model.coef_ = coef + size * random.randn(*coef.shape)
            model.intercept_ = intercept + size * random.randn(*intercept.shape)
            assert objective(model, Z, Y, 1) >= least * (1 - 1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", LOSSES)
def test_a_path_is_independent_fits(shape, loss):
    Z, Y, new = example(shape)
    Cs = [0.01, 10.0, 0.3]
    for C, model in zip(Cs, label_svms_path(Z, Y, Cs, loss), strict=True):
        assert model.C == C
        alone = LabelSVMs(C, loss).fit(Z, Y)
        np.testing.assert_allclose(
            model.decision_function(new), alone.decision_function(new), atol=1e-8
        )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", LOSSES)
def test_sparse_rows_and_other_orders_change_nothing(shape, loss):
    Z, Y, new = example(shape)
    Z, new = np.maximum(Z - 2, 0), np.maximum(new - 2, 0)
    scores = LabelSVMs(1.0, loss).fit(Z, Y).decision_function(new)
    slim = LabelSVMs(1.0, loss).fit(sparse.csr_matrix(Z), Y)
    np.testing.assert_allclose(slim.decision_function(sparse.csr_matrix(new)), scores, atol=1e-9)
    order = np.random.RandomState(1).permutation(len(Z))
    moved = LabelSVMs(1.0, loss).fit(Z[order], Y[order])
    np.testing.assert_allclose(moved.decision_function(new), scores, atol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_equal_labels_get_equal_scores_and_those_of_one_class_a_constant(loss):
    Z, Y, new = example("tall")
    Y = np.column_stack([Y[:, 0], np.zeros(80, int), Y[:, 1], Y[:, 0], np.ones(80, int)])
    scores = LabelSVMs(1.0, loss).fit(Z, Y).decision_function(new)
    np.testing.assert_array_equal(scores[:, 0], scores[:, 3])
    np.testing.assert_array_equal(scores[:, 1], -1)
    np.testing.assert_array_equal(scores[:, 4], 1)
    assert np.ptp(scores[:, 0] - scores[:, 2]) > 0.01


@pytest.mark.parametrize("loss", LOSSES)
def test_all_labels_of_one_class_and_rows_that_are_all_equal(loss):
    Z, Y, new = example("tall")
    nothing = LabelSVMs(1.0, loss).fit(Z, np.zeros((80, 2), int))
    np.testing.assert_array_equal(nothing.decision_function(new), -1)
    assert nothing.gap_ == 0
    flat = LabelSVMs(1.0, loss).fit(np.ones_like(Z), Y)
    np.testing.assert_allclose(flat.coef_, 0, atol=1e-9)
    share = Y.mean(axis=0)
    expected = np.sign(share - 0.5) if loss == "hinge" else 2 * share - 1
    np.testing.assert_allclose(flat.intercept_, expected, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("unit", [1e-5, 1e5])
def test_the_unit_of_the_features_goes_into_the_weight_of_the_loss(shape, loss, unit):
    Z, Y, new = example(shape)
    scores = LabelSVMs(1.0, loss).fit(Z, Y).decision_function(new)
    other = LabelSVMs(1.0 / unit**2, loss).fit(Z * unit, Y)
    np.testing.assert_allclose(other.decision_function(new * unit), scores, atol=1e-8)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", LOSSES)
def test_beyond_what_doubles_can_tell_it_warns_or_is_right(shape, loss):
    Z, Y, _ = example(shape)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = LabelSVMs(1e16, loss).fit(Z, Y)
    assert np.isfinite(model.coef_).all()
    told = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    assert told == (not model.converged_)


def test_the_bias_is_not_penalized():
    Z, Y, new = example("tall")
    far = LabelSVMs().fit(Z + 100, Y).decision_function(new + 100)
    np.testing.assert_allclose(far, LabelSVMs().fit(Z, Y).decision_function(new), atol=1e-9)


@pytest.mark.parametrize("shape", ["wide", "tall"])
def test_a_fit_that_did_not_get_there_says_so(monkeypatch, shape):
    Z, Y, _ = example(shape)
    monkeypatch.setattr("mlbench.methods.svm.hinge.MAX_STEPS", 4)
    monkeypatch.setattr("mlbench.methods.svm.hinge.MAX_ROUNDS", 0)
    monkeypatch.setattr("mlbench.solvers.hinge.interior_point.MAX_STEPS", 4)
    with pytest.warns(ConvergenceWarning, match=r"relative gap of .*scale the features"):
        model = LabelSVMs(10.0).fit(Z, Y)
    assert not model.converged_
    assert model.gap_ > one_vs_rest.MAX_GAP


@pytest.mark.parametrize(
    ("parameters", "words"),
    [({"C": 0}, "C must be a number above 0"), ({"loss": "log"}, "loss must be one of 'hinge'")],
)
def test_wrong_parameters_are_refused(parameters, words):
    Z, Y, _ = example("tall")
    with pytest.raises(MethodError, match=words):
        LabelSVMs(**parameters).fit(Z, Y)


def test_rows_and_labels_must_agree():
    Z, Y, _ = example("tall")
    with pytest.raises(MethodError, match="Z has 80 rows and Y has 79"):
        LabelSVMs().fit(Z, Y[:79])


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_each_task_is_fitted_and_read_by_itself(loss):
    random = np.random.RandomState(0)
    Z, tasks = random.randn(60, 3), random.randint(0, 4, 60)
    Y = (Z[:, :1] + random.randn(60, 1) > 0).astype(int)
    Y[tasks == 2] = 1
    model = TaskSVMs(C=3.0, loss=loss).fit(Z, Y, tasks)
    new, of = random.randn(30, 3), random.randint(0, 4, 30)
    scores = model.decision_function(new, of)
    gaps = []
    for task in range(4):
        alone = LabelSVMs(C=3.0, loss=loss).fit(Z[tasks == task], Y[tasks == task])
        np.testing.assert_array_equal(scores[of == task], alone.decision_function(new[of == task]))
        gaps.append(alone.gap_)
    assert (scores[of == 2] == 1).all()
    assert model.gap_ == max(gaps)
    assert model.converged_
