"""Projections and the classifiers on them: together, apart, in a Pipeline, and on a path."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline

from mlbench.methods.kernel_projection import projected_svms
from mlbench.methods.kernel_projection.gaussian import KCCASVM, KPCASVM, MORPSVM
from mlbench.methods.kernel_projection.morp import LinearMORPSVM
from mlbench.methods.svm.one_vs_rest import LabelSVMs

METHODS = [MORPSVM, KCCASVM, KPCASVM, LinearMORPSVM]
pytestmark = pytest.mark.filterwarnings("ignore:.*was cut to", "ignore:.*directions of the labels")


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


def test_a_fit_is_a_projection_and_svms_on_its_features(method, labelled):
    X, Y, new = labelled
    model = method(C=3.0).fit(X, Y)
    svms = LabelSVMs(C=3.0).fit(model.transform(X), Y)
    np.testing.assert_allclose(
        model.decision_function(new), svms.decision_function(model.transform(new)), atol=1e-7
    )


def test_the_parts_can_be_fitted_apart(method, labelled):
    X, Y, new = labelled
    whole = method().fit(X, Y)
    parts = method().fit_projection(X, Y)
    np.testing.assert_allclose(parts.transform(new), whole.transform(new), atol=1e-9)
    with pytest.raises(NotFittedError, match="no classifiers yet"):
        parts.decision_function(new)
    parts.fit_classifiers(X, Y)
    np.testing.assert_allclose(
        parts.decision_function(new), whole.decision_function(new), atol=1e-7
    )


def test_a_projection_can_serve_other_labels_of_other_rows(method, labelled):
    X, Y, new = labelled
    projection = method().fit_projection(X[:35], Y[:35, :2])
    Z = projection.transform(new)
    projection.fit_classifiers(X[35:], Y[35:, 2:])
    np.testing.assert_array_equal(projection.transform(new), Z)
    assert projection.decision_function(new).shape == (20, 1)
    alone = LabelSVMs().fit(projection.transform(X[35:]), Y[35:, 2:])
    np.testing.assert_allclose(
        projection.decision_function(new), alone.decision_function(Z), atol=1e-12
    )


def test_a_frozen_projection_is_a_step_of_a_pipeline(method, labelled):
    X, Y, new = labelled
    projection = method().fit_projection(X[:35], Y[:35, :2])
    rows, y = X[35:], Y[35:, 2]
    pipe = make_pipeline(FrozenEstimator(projection), LogisticRegression()).fit(rows, y)
    alone = LogisticRegression().fit(projection.transform(rows), y)
    np.testing.assert_array_equal(
        pipe.decision_function(new), alone.decision_function(projection.transform(new))
    )


def test_a_pipeline_fits_a_projection_without_classifiers_of_its_own(method, labelled):
    X, Y, new = labelled
    pipe = make_pipeline(method(), MultiOutputClassifier(LogisticRegression())).fit(X, Y)
    assert not hasattr(pipe[0], "svms_")
    np.testing.assert_array_equal(
        pipe[0].transform(new), method().fit_projection(X, Y).transform(new)
    )
    assert len(pipe[:1].get_feature_names_out()) == pipe[0].n_components_


def test_missing_outputs_count_as_0(method, labelled):
    X, Y, new = labelled
    ratings = 2.0 * Y - 1
    ratings[::3, 0] = np.nan
    known = np.nan_to_num(ratings)
    one, other = (method().fit_projection(X, outputs) for outputs in (ratings, known))
    np.testing.assert_array_equal(one.transform(new), other.transform(new))


def test_outputs_may_be_any_numbers_and_nothing_else(method, labelled):
    X, Y, new = labelled
    one, other = (method().fit_projection(X, scale * Y) for scale in (1, -2.5))
    np.testing.assert_allclose(np.abs(one.transform(new)), np.abs(other.transform(new)), atol=1e-8)
    for outputs, words in (
        (Y[:-1], "one row for each of the 60 rows"),
        (np.where(Y, np.inf, 0.0), "finite, or NaN"),
        (np.array([["yes", "no"]] * 60), "a matrix of numbers"),
    ):
        with pytest.raises(ValueError, match=words):
            method().fit_projection(X, outputs)


def test_rows_of_another_width_are_refused_by_the_classifiers(method, labelled):
    X, Y, _ = labelled
    model = method().fit_projection(X, Y)
    with pytest.raises(ValueError, match="features"):
        model.fit_classifiers(X[:, :2], Y)


def test_a_path_shares_what_its_models_have_in_common(monkeypatch, labelled):
    X, Y, _ = labelled
    spaces, problems, svms = [], [], []
    space, directions = MORPSVM._eigenbasis, MORPSVM._directions
    path = projected_svms.label_svms_path
    monkeypatch.setattr(MORPSVM, "_eigenbasis", lambda *a: spaces.append(1) or space(*a))
    monkeypatch.setattr(MORPSVM, "_directions", lambda *a: problems.append(1) or directions(*a))
    monkeypatch.setattr(
        projected_svms, "label_svms_path", lambda *a, **k: svms.append(1) or path(*a, **k)
    )
    grid = [
        {"n_components": r, "beta": beta, "C": C}
        for r in (2, 5, 9)
        for beta in (0.1, 0.5)
        for C in (1.0, 0.1)
    ]
    models = dict(MORPSVM().fit_path(X, Y, grid))
    assert len(models) == len(grid)
    assert (len(spaces), len(problems), len(svms)) == (1, 2, 6)
    assert models[0].features_ is models[8].features_


def test_it_warns_of_nothing_without_cause(labelled):
    X, Y, _ = labelled
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MORPSVM(5).fit(X, Y)
        KCCASVM().fit(X, Y)
        KPCASVM(None).fit(X, Y)
        LinearMORPSVM(None, form="direct").fit(X, Y)


def test_a_path_of_projections_is_that_of_single_fits(method, labelled):
    X, Y, new = labelled
    ratings = np.where(Y, 1.0, np.nan)
    grid = [{"n_components": n, "C": C} for n in (1, 3) for C in (0.1, 10.0)]
    grid += [{name: 0.5} for name in ("width", "gamma", "kappa") if hasattr(method(), name)]
    found = dict(method().fit_projection_path(X, ratings, grid))
    assert sorted(found) == list(range(len(grid)))
    for index, point in enumerate(grid):
        alone = method(**point).fit_projection(X, ratings)
        np.testing.assert_allclose(found[index].transform(new), alone.transform(new), atol=1e-8)
        assert found[index].C == alone.C
        assert not hasattr(found[index], "svms_")


def test_a_path_of_projections_decomposes_each_space_once(monkeypatch, labelled):
    X, Y, _ = labelled
    spaces, problems = [], []
    space, directions = MORPSVM._eigenbasis, MORPSVM._directions
    monkeypatch.setattr(MORPSVM, "_eigenbasis", lambda *a: spaces.append(a) or space(*a))
    monkeypatch.setattr(MORPSVM, "_directions", lambda *a: problems.append(a) or directions(*a))
    grid = [
        {"width": width, "gamma": gamma, "n_components": n, "C": C}
        for width in (0.5, 1.0)
        for gamma in (0.001, 0.1)
        for n in range(1, 8)
        for C in (0.1, 1.0, 10.0)
    ]
    assert len(list(MORPSVM().fit_projection_path(X, Y, grid))) == 84
    assert (len(spaces), len(problems)) == (2, 4)


def test_classifiers_of_a_copy_leave_the_projection_without(labelled):
    X, Y, new = labelled
    projection = MORPSVM().fit_projection(X[:35], Y[:35, :2])
    one = copy.copy(projection).fit_classifiers(X[35:], Y[35:, 2:])
    other = copy.copy(projection).fit_classifiers(X[35:], 1 - Y[35:, 2:])
    assert not hasattr(projection, "svms_")
    np.testing.assert_allclose(one.decision_function(new), -other.decision_function(new), atol=1e-7)


def test_classifiers_of_tasks_are_those_of_their_rows(method, labelled):
    X, Y, new = labelled
    tasks = np.arange(len(X)) % 3
    projection = method().fit_projection(X, Y)
    together = copy.copy(projection).fit_classifiers(X, Y[:, :1], tasks)
    scores = together.decision_function(new, np.arange(len(new)) % 3)
    assert scores.shape == (len(new), 1)
    for task in range(3):
        own = tasks == task
        alone = copy.copy(projection).fit_classifiers(X[own], Y[own, :1])
        expected = alone.decision_function(new[task::3])
        np.testing.assert_allclose(scores[task::3], expected, atol=1e-8)
    assert together.fit_report_["converged"]
    with pytest.raises(ValueError, match="give each row's task"):
        together.decision_function(new)
