"""Models along a path of the base are those of independent fits."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

from mlbench.methods.base_learners import make_base
from mlbench.methods.problem_transformation.base_path import BasePath
from mlbench.methods.problem_transformation.base_paths import path_kind
from mlbench.methods.problem_transformation.br import BinaryRelevance
from mlbench.methods.problem_transformation.ecc import EnsembleOfClassifierChains
from mlbench.registry import make_method

PATHS = {
    "knn": ("n_neighbors", [4, 1, 29, 7], 0),
    "ridge": ("alpha", [3.0, 1e-3, 100], 1e-9),
    "naive_bayes": ("var_smoothing", [1e-9, 0.5, 1e-3], 0),
    "multinomial_nb": ("alpha", [1, 1e-10, 20.0], 0),
    "forest": ("n_estimators", [3, 1, 5], 0),
}
METHODS = ("br", "lp", "rakel", "ecc", "homer", "mlcssp")


@pytest.fixture
def counts(labelled):
    """The same with features that are small counts, so that many distances are equal."""
    X, Y, new = labelled
    return np.floor(np.abs(2 * X)), Y, np.floor(np.abs(2 * new))


def seeded(name, base):
    model = make_method(name, base=base)
    seeds = {each for each in model.get_params() if each.endswith("random_state")}
    return model.set_params(**dict.fromkeys(seeds, 0))


def assert_as_alone(model, data, grid, tolerance=0.0, **tasks):
    """Compare scores along a path with those of independent fits, and return the path's order."""
    X, Y, new = data
    seen = []
    for index, fitted in model.fit_path(X, Y, grid, **tasks):
        seen.append(index)
        alone = clone(model).set_params(**grid[index]).fit(X, Y, **tasks)
        np.testing.assert_allclose(
            fitted.decision_function(new, *tasks.values()),
            alone.decision_function(new, *tasks.values()),
            rtol=0,
            atol=tolerance,
        )
    assert sorted(seen) == list(range(len(grid)))
    return seen


@pytest.mark.slow
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("base", PATHS)
def test_every_model_is_that_of_an_independent_fit(counts, base, name, form):
    if base == "naive_bayes" and form is sparse.csr_matrix:
        pytest.skip("GaussianNB takes no sparse X")
    X, Y, new = counts
    parameter, values, tolerance = PATHS[base]
    grid = [{f"base__{parameter}": value} for value in values]
    assert_as_alone(seeded(name, base), (form(X), Y, form(new)), grid, tolerance)


@pytest.mark.parametrize("base", PATHS)
def test_every_task_has_its_own_path(tasked, base):
    X, Y, tasks, _, _ = tasked
    X = np.abs(X)
    parameter, values, tolerance = PATHS[base]
    grid = [{f"base__{parameter}": min(value, 5)} for value in values]
    assert_as_alone(seeded("br", base), (X, Y, X), grid, tolerance, tasks=tasks)


def test_more_features_than_rows_are_solved_in_the_dual(labelled):
    _, Y, _ = labelled
    X = np.random.RandomState(0).randn(60, 90)
    grid = [{"base__alpha": alpha} for alpha in (0.1, 10.0)]
    assert_as_alone(BinaryRelevance("ridge"), (X, Y, X[::-1] / 2), grid, 1e-9)


def test_a_grid_of_several_parameters_has_a_path_for_each_of_the_others(labelled):
    grid = [
        {"n_chains": n_chains, "base__var_smoothing": smoothing, "scores": kind}
        for smoothing in (1e-9, 0.5)
        for n_chains in (2, 1)
        for kind in ("probability", "votes")
    ]
    model = EnsembleOfClassifierChains("naive_bayes", random_state=0)
    assert assert_as_alone(model, labelled, grid) == list(range(8))
    grid = [{"base__n_neighbors": k, "base__p": p} for k in (3, 40, 5) for p in (1, 2)]
    assert assert_as_alone(BinaryRelevance("knn"), labelled, grid) == [0, 2, 4, 1, 3, 5]


@pytest.mark.parametrize(
    ("base", "most"),
    [("knn", 3), ("ridge", 0), ("naive_bayes", 3), ("multinomial_nb", 3), ("forest", 3)],
)
def test_every_label_is_fitted_once_at_most(counts, base, most, monkeypatch):
    X, Y, _ = counts
    kind = type(make_base(base))
    fits = []
    monkeypatch.setattr(
        kind,
        "fit",
        lambda self, X, y, fit=kind.fit: fits.append(len(X)) or fit(self, X, y),
    )
    parameter, values, _ = PATHS[base]
    list(seeded("br", base).fit_path(X, Y, [{f"base__{parameter}": v} for v in values]))
    assert fits.count(len(X)) == most


@pytest.mark.parametrize("name", ["br", "rakel"])
def test_one_search_for_neighbors_serves_all_labels_and_numbers(labelled, name, monkeypatch):
    X, Y, new = labelled
    X, new = (
        np.hstack([X] * 4),
        np.hstack([new] * 4),
    )  # from 16 features on, all distances are taken
    searches = []
    search = KNeighborsClassifier.kneighbors
    monkeypatch.setattr(
        KNeighborsClassifier,
        "kneighbors",
        lambda self, *given, **kwargs: searches.append(0) or search(self, *given, **kwargs),
    )
    grid = [{"base__n_neighbors": k} for k in (1, 9, 4)]
    for _, model in seeded(name, "knn").fit_path(X, Y, grid):
        model.predict(new)
    assert len(searches) == 1


def test_a_classifier_of_neighbors_can_be_used_outside_its_path(counts):
    X, Y, new = counts
    path = BinaryRelevance("knn").fit_path(X, Y, [{"base__n_neighbors": k} for k in (5, 2)])
    for _, model in path:
        one = pickle.loads(pickle.dumps(model)).estimators_[0]
        alone = clone(one).fit(X, Y[:, 0])
        np.testing.assert_array_equal(one.predict_proba(new.tolist()), alone.predict_proba(new))
        np.testing.assert_array_equal(one.predict(new), alone.predict(new))


def test_without_a_path_a_model_is_fitted_when_its_turn_comes(labelled, monkeypatch):
    X, Y, _ = labelled
    fits = []
    kind = type(make_base("ridge"))
    monkeypatch.setattr(
        kind, "fit", lambda self, X, y, fit=kind.fit: fits.append(self.alpha) or fit(self, X, y)
    )
    grid = [{"base__alpha": alpha} for alpha in (3.0, 4.0)]
    next(BinaryRelevance("ridge").fit_path(sparse.csr_matrix(X), Y, grid))
    assert fits == [3.0] * 3


@pytest.mark.parametrize(
    "base",
    [
        {"use": "knn", "weights": "distance"},
        {"use": "knn", "n_neighbors": 0},
        {"use": "ridge", "solver": "svd"},
        {"use": "ridge", "class_weight": "balanced"},
        {"use": "ridge", "alpha": 0},
        {"use": "forest", "oob_score": True},
        {"use": "forest", "n_estimators": "many"},
        {"use": "multinomial_nb", "alpha": 0},
        {"use": "naive_bayes", "var_smoothing": -1},
        {"use": "logistic"},
    ],
    ids=str,
)
def test_what_a_path_does_not_cover_is_fitted_alone(base):
    assert path_kind(make_base(base)) is BasePath


def test_an_invalid_value_is_refused_as_without_a_path(labelled):
    X, Y, _ = labelled
    grid = [{"base__n_estimators": number} for number in (2, 0, 3)]
    path = seeded("br", "forest").fit_path(X, Y, grid)
    assert [next(path)[0], next(path)[0]] == [0, 2]
    with pytest.raises(ValueError, match="n_estimators"):
        next(path)
