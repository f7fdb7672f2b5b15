from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, directed_hausdorff

from mlbench.data import load_dataset
from mlbench.errors import MethodError
from mlbench.methods.adaptation import insdif
from mlbench.methods.adaptation.insdif import InsDif, bag_distances, first_of_equal_rows, k_medoids
from mlbench.methods.adaptation.mlknn import MLkNN


def hausdorff(x, z, prototypes):
    """From the definition, by SciPy."""
    one, other = x - prototypes, z - prototypes
    return max(directed_hausdorff(one, other)[0], directed_hausdorff(other, one)[0])


@pytest.fixture
def points():
    """Two sets of rows, one row in both."""
    random = np.random.RandomState(2)
    X, Z = random.randn(15, 3), random.randn(8, 3)
    Z[0] = X[0]
    return X, Z


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("spread", [0.01, 1.0, 100.0])
def test_the_hausdorff_distance_of_bags_is_that_of_their_rows(points, as_matrix, count, spread):
    X, Z = points
    V = spread * np.random.RandomState(count).randn(count, 3)
    found = bag_distances(as_matrix(X), as_matrix(Z))
    by_definition = [[hausdorff(x, z, V) for z in Z] for x in X]
    np.testing.assert_allclose(found, by_definition, rtol=0, atol=1e-12)
    assert found[0, 0] == 0


def test_blocks_change_nothing(points, monkeypatch):
    X, Z = points
    whole = bag_distances(X, Z)
    medoids = k_medoids(X, np.array([0, 7]))[0]
    monkeypatch.setattr(insdif, "_BLOCK", 20)
    np.testing.assert_allclose(bag_distances(X, Z), whole, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(k_medoids(X, np.array([0, 7]))[0], medoids)


def test_rows_far_from_the_origin_lose_nothing(labelled):
    X, Y, new = labelled
    X, new = np.round(X, 2), np.round(new, 2)
    scores = InsDif(random_state=0).fit(X, Y).decision_function(new)
    far = InsDif(random_state=0).fit(X + 2.0**20, Y).decision_function(new + 2.0**20)
    np.testing.assert_allclose(scores, far, atol=1e-6)


def test_every_medoid_is_the_center_of_the_rows_nearest_to_it(labelled):
    X, _, _ = labelled
    whole = cdist(X, X)
    start = np.arange(0, 60, 12)
    medoids, distances, rounds, settled = k_medoids(X, start)
    assert settled
    assert rounds > 1
    np.testing.assert_allclose(distances, whole[:, medoids], atol=1e-13)
    nearest = distances.argmin(axis=1)
    for place, medoid in enumerate(medoids):
        members = np.flatnonzero(nearest == place)
        sums = whole[np.ix_(members, members)].sum(axis=1)
        assert medoid in members
        assert sums[members == medoid] == pytest.approx(sums.min(), abs=1e-12)
    assert distances.min(axis=1).sum() < whole[:, start].min(axis=1).sum()


@pytest.mark.slow
def test_scores_are_least_squares_on_the_distances_to_the_medoids(labelled):
    X, Y, new = labelled
    model = InsDif(ratio=0.3, random_state=1).fit(X, Y)
    V = np.array([X[y == 1].mean(axis=0) for y in Y.T])
    assert len(model.medoids_) == 18
    far = [[hausdorff(x, X[m], V) for m in model.medoids_] for x in np.vstack([X, new])]
    weights = np.linalg.pinv(far[:60]) @ (2 * Y - 1)
    np.testing.assert_allclose(model.decision_function(new), far[60:] @ weights, atol=1e-8)
    np.testing.assert_array_equal(model.predict(new), far[60:] @ weights > 0)


def test_an_intercept_is_one_more_column(labelled):
    X, Y, _ = labelled
    model = InsDif(intercept=True, random_state=1).fit(X, Y)
    design = np.column_stack([cdist(X, X[model.medoids_]), np.ones(60)])
    weights = np.linalg.pinv(design) @ (2 * Y - 1)
    np.testing.assert_allclose(model.coef_, weights[:-1].T, atol=1e-8)
    np.testing.assert_allclose(model.intercept_, weights[-1], atol=1e-8)


def test_labels_do_not_influence_each_other(labelled):
    X, Y, new = labelled
    together = InsDif(random_state=0).fit(X, Y).decision_function(new)
    alone = InsDif(random_state=0).fit(X, Y[:, [1]]).decision_function(new)
    np.testing.assert_allclose(together[:, [1]], alone, atol=1e-10)


def test_labels_of_one_class_are_not_fitted(labelled):
    X, Y, new = labelled
    wide = np.column_stack([np.zeros(60, dtype=int), Y, np.ones(60, dtype=int)])
    scores = InsDif(random_state=0).fit(X, wide).decision_function(new)
    np.testing.assert_array_equal(scores[:, [0, -1]], np.tile([-1, 1], (20, 1)))
    alone = InsDif(random_state=0).fit(X, Y).decision_function(new)
    np.testing.assert_allclose(scores[:, 1:-1], alone, atol=1e-10)


def test_no_more_medoids_than_different_rows(labelled):
    X, Y, new = labelled
    twice = np.vstack([X[:7], X[:7], X[:7]])
    model = InsDif(ratio=0.9, random_state=0).fit(twice, np.vstack([Y[:7]] * 3))
    assert len(model.medoids_) == 7
    assert np.isfinite(model.decision_function(new)).all()
    assert len(InsDif(ratio=0.001).fit(X, Y).medoids_) == 1


def test_rows_are_equal_whatever_way_they_are_stored():
    stored_zero = sparse.csr_matrix(([1.0, 0.0, 1.0], ([0, 0, 1], [0, 1, 0])), shape=(3, 2))
    assert first_of_equal_rows(stored_zero, np.array([1, 0, 2])).tolist() == [1, 2]
    assert first_of_equal_rows(np.array([[0.0], [-0.0], [2.0]]), np.arange(3)).tolist() == [0, 2]


def test_the_toy_problem_is_easier_than_for_neighbors():
    toy = load_dataset({"use": "nam-toy", "tasks": 8, "samples": 600, "dimensions": 20})
    X, Y, new, truth = toy.X[:200], toy.Y[:200], toy.X[200:], toy.Y[200:]
    ours, theirs = (
        (model.fit(X, Y).predict(new) != truth).mean()
        for model in (InsDif(random_state=0), MLkNN())
    )
    assert ours < 0.75 * theirs


@pytest.mark.parametrize("parameters", [{"ratio": 0}, {"ratio": 1.5}, {"intercept": "yes"}])
def test_impossible_parameters_are_named(labelled, parameters):
    X, Y, _ = labelled
    with pytest.raises(MethodError, match=f"InsDif: {next(iter(parameters))} must be"):
        InsDif(**parameters).fit(X, Y)
