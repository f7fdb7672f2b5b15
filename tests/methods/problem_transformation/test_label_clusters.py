from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from mlbench.methods.problem_transformation.label_clusters import (
    _assign,
    balanced_clusters,
    label_centroids,
    nearest_clusters,
)


@pytest.mark.parametrize(("n_points", "n_clusters"), [(53, 3), (4, 3), (10, 2), (9, 3)])
def test_clusters_are_balanced_and_hold_every_point_once(n_points, n_clusters):
    for seed in range(5):
        random = np.random.RandomState(seed)
        points = random.randint(0, 2, (n_points, 6)).astype(float)
        clusters = balanced_clusters(points, n_clusters, random)
        assert sorted(np.concatenate(clusters)) == list(range(n_points))
        assert max(map(len, clusters)) <= -(-n_points // n_clusters)


def test_points_that_are_all_equal_or_empty_are_split_too():
    for points in (np.ones((7, 4)), np.zeros((7, 0))):
        clusters = balanced_clusters(points, 3, np.random.RandomState(0))
        assert sorted(np.concatenate(clusters)) == list(range(7))
        assert max(map(len, clusters)) <= 3


def test_no_point_and_nearer_cluster_would_both_gain_by_a_move():
    random = np.random.RandomState(0)
    for _ in range(20):
        distances = random.rand(11, 4)
        clusters = _assign(distances.copy(), 3)
        assert sorted(np.concatenate(clusters)) == list(range(11))
        for home, members in enumerate(clusters):
            for point in members:
                for nearer in np.flatnonzero(distances[point] < distances[point, home]):
                    assert len(clusters[nearer]) == 3
                    assert distances[clusters[nearer], nearer].max() < distances[point, nearer]


@pytest.mark.parametrize("density", [0.02, 0.9])
def test_centroids_are_mean_features_of_unit_length(density):
    random = np.random.RandomState(0)
    X = sparse.random(40, 30, density, format="csr", random_state=random)
    Y = (random.rand(40, 5) < 0.2).astype(np.int8)
    Y[:, 3] = 0
    centroids = label_centroids(X, Y)
    assert sparse.issparse(centroids) == (density < 0.1)
    dense = centroids.toarray() if sparse.issparse(centroids) else centroids
    for label in (0, 1, 2, 4):
        mean = X.toarray()[Y[:, label] == 1].mean(axis=0)
        np.testing.assert_allclose(dense[label], mean / np.linalg.norm(mean), atol=1e-12)
    assert not dense[3].any()


def test_points_are_with_their_like_in_clusters_of_any_size():
    points = np.repeat(np.eye(3), [1, 2, 5], axis=0)
    clusters = nearest_clusters(points, 3, np.random.RandomState(0))
    assert sorted(map(list, clusters)) == [[0], [1, 2], [3, 4, 5, 6, 7]]


def test_points_that_are_all_equal_are_one_cluster_each():
    clusters = nearest_clusters(np.ones((4, 2)), 3, np.random.RandomState(0))
    assert [list(each) for each in clusters] == [[0], [1], [2], [3]]
