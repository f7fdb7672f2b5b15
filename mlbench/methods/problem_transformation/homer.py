"""HOMER: a tree of label clusters, with binary relevance at every node."""

from __future__ import annotations

import warnings
from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any

import numpy as np

from mlbench.hashing import random_state as stream
from mlbench.methods.base import RandomState
from mlbench.methods.parameters import require_count, require_one_of
from mlbench.methods.problem_transformation.base_fits import FitCache, positive_probability
from mlbench.methods.problem_transformation.base_learner_method import ProblemTransformationMethod
from mlbench.solvers.arrays import Flags, Floats, Ints, Matrix

BLOCK = 1024
"""Labels whose distances are computed together."""

ITERATIONS = 20
"""The largest number of rounds of the clustering, as in MULAN."""


@dataclass(eq=False, repr=False)
class HOMER(ProblemTransformationMethod):
    """HOMER: a tree of label clusters, with a classifier for every node.

    Labels that share rows are clustered into clusters of nearly equal size, recursively, until a
    node has at most ``n_clusters`` labels. A cluster is positive for a row if one of its labels
    is. A node fits one classifier to every cluster and label below it, on the rows for which the
    node is positive (the root: on all rows). In prediction a row descends from the root into every
    cluster whose probability is at least 1/2, and gets the labels that it reaches in this way.

    With one cluster, or as many clusters as labels, this is binary relevance.

    Parameters
    ----------
    n_clusters : int, default=3
        The largest number of clusters of a node; the paper does not fix it.
    scores : {"path", "mulan"}, default="path"
        ``path``: the product of the probabilities on the path from the root. ``mulan``: the
        confidences of MULAN, which are the probability of the label if it is predicted, 0 if its
        own classifier rejects it, and the probability of the first rejected cluster above it
        otherwise. They are not probabilities of the label and have many ties. The paper defines
        no score. The predicted labels are the same.
    clustering : {"balanced", "random"}, default="balanced"
        ``random``: labels are dealt to the clusters at random, an option of MULAN's.
    random_state : int, optional
        Seed of the initial cluster centers, or of the deal. A ``random_state`` of the base that
        is None is derived from it.

    Attributes
    ----------
    hierarchy_ : Node
        The root.
    n_fits_ : int
        How many times the base was fitted; labels and clusters with equal targets in a node
        share a fit.

    References
    ----------
    Tsoumakas, Katakis & Vlahavas (2008), Effective and efficient multilabel classification in
    domains with large number of labels. ECML PKDD Workshop on Mining Multidimensional Data.
    """

    n_clusters: int = 3
    scores: str = "path"
    clustering: str = "balanced"
    random_state: RandomState = None

    example_grid = tuple(
        {"n_clusters": n_clusters, "scores": kind}
        for n_clusters in (2, 3)
        for kind in ("path", "mulan")
    )
    path_tolerance = 0.0
    takes_bytes = True
    _prediction_parameters = ("scores",)
    label_order_counts = True
    """The position of a label in Y decides its initial cluster."""

    def _check_parameters(self) -> None:
        require_count(self, "n_clusters")
        require_one_of(self, "scores", ("path", "mulan"))
        require_one_of(self, "clustering", ("balanced", "random"))

    def _prepare(self, X: Matrix, Y: Ints) -> tuple[Matrix, Ints]:
        X, Y = super()._prepare(X, Y)
        if Y.shape[1] == 1:
            warnings.warn("HOMER of one label is binary relevance", stacklevel=4)
        return X, Y

    def _learn(self, fits: FitCache, Y: Ints, seed: int) -> None:
        self.hierarchy_ = Node(np.arange(Y.shape[1]))
        split = partial(_split, n_clusters=self.n_clusters, at_random=self.clustering == "random")
        _build_tree(self.hierarchy_, Y, np.arange(len(Y)), split, seed, fits)
        self.n_fits_ = fits.n_fits

    def _scores_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        predictions = _Predictions(X, len(self.hierarchy_.labels))
        everyone = np.ones(X.shape[0])
        predictions.descend(self.hierarchy_, everyone, everyone > 0, 0 * everyone)
        return predictions.path if self.scores == "path" else predictions.mulan, predictions.labels


@dataclass
class Node:
    """A cluster of labels, or a single one.

    Attributes
    ----------
    labels : int array
        The labels in it.
    model
        The classifier of rows that have at least one of them; None for the root.
    children : list of Node
        Empty for a single label below the root.
    """

    labels: Ints
    model: Any = None
    children: list[Node] = field(default_factory=list)


def _build_tree(
    node: Node, Y: Ints, rows: Ints, split: Callable[..., list[Ints]], seed: int, fits: FitCache
) -> None:
    """Split a node, fit its classifiers on its rows, and do the same for its children."""
    here = Y[rows][:, node.labels]
    shared = None if len(rows) == len(Y) else rows
    clusters = split(here, stream("clusters", seed, *node.labels.tolist()))
    has = [here[:, cluster].max(axis=1) for cluster in clusters]
    node.children = [
        Node(node.labels[cluster], fits(target, shared))
        for cluster, target in zip(clusters, has, strict=True)
    ]
    for child, target in zip(node.children, has, strict=True):
        if len(child.labels) > 1:
            _build_tree(child, Y, rows[target == 1], split, seed, fits)


def _split(Y: Ints, random: np.random.RandomState, n_clusters: int, at_random: bool) -> list[Ints]:
    n_labels = Y.shape[1]
    if n_clusters == 1 or n_labels <= n_clusters:
        return list(np.arange(n_labels)[:, None])
    if at_random:
        dealt = random.permutation(n_labels)
        return [np.sort(dealt[first::n_clusters]) for first in range(n_clusters)]
    return balanced_clusters(np.ascontiguousarray(Y.T), n_clusters, random)


def balanced_clusters(points: Matrix, n_clusters: int, random: np.random.RandomState) -> list[Ints]:
    """Cluster points by k-means, no cluster larger than its even share rounded up.

    Points are assigned one after the other to the nearest center. If a cluster becomes too large,
    its farthest point (the last one of several) moves to its nearest center among those that it
    has not been assigned to. The initial centers are distinct points if there are enough. The
    clustering ends when no assignment changes, or after `ITERATIONS` rounds.

    Parameters
    ----------
    points : (L, n) array
        Of any numbers; those of 0 and 1 may be bytes.
    n_clusters
        At least 2 and less than L.
    random

    Returns
    -------
    list of ascending int arrays
        The points of every nonempty cluster.
    """
    capacity = -(-len(points) // n_clusters)
    draw = random.permutation(len(points))
    first: dict[bytes, int] = {}
    for place, point in enumerate(draw):
        first.setdefault(blake2b(points[point].tobytes()).digest(), place)
    distinct = np.array([*first.values()])
    chosen = np.concatenate([distinct, np.setdiff1d(np.arange(len(draw)), distinct)])
    centers = points[draw[chosen[:n_clusters]]].astype(np.float64)
    clusters: list[list[int]] = []
    for _ in range(ITERATIONS):
        distances = np.concatenate(
            [
                _squared_distances(points[start : start + BLOCK].astype(np.float64), centers)
                for start in range(0, len(points), BLOCK)
            ]
        )
        before, clusters = clusters, _assign(distances, capacity)
        if clusters == before:
            break
        for center, members in zip(centers, clusters, strict=True):
            if members:
                center[:] = points[members].mean(axis=0, dtype=np.float64)
    return [np.array(members) for members in clusters if members]


def _squared_distances(points: Floats, centers: Floats) -> Floats:
    lengths = (points**2).sum(axis=1)[:, None] + (centers**2).sum(axis=1)
    return np.asarray(lengths - 2 * points @ centers.T)


def _assign(distances: Floats, capacity: int) -> list[list[int]]:
    """Return the points of every cluster, ascending; ``distances`` (L, c) is overwritten."""
    clusters: list[list[tuple[float, int]]] = [[] for _ in range(distances.shape[1])]
    for start in range(len(distances)):
        point = start
        while True:
            nearest = int(np.argmin(distances[point]))
            insort(clusters[nearest], (float(distances[point, nearest]), point))
            if len(clusters[nearest]) <= capacity:
                break
            _, point = clusters[nearest].pop()
            distances[point, nearest] = np.inf
    return [sorted(point for _, point in cluster) for cluster in clusters]


class _Predictions:
    """Predictions for new rows: labels and both kinds of scores, (m, k) each."""

    def __init__(self, X: Matrix, n_labels: int) -> None:
        self.X = X
        self.path = np.empty((X.shape[0], n_labels))
        self.mulan = np.empty((X.shape[0], n_labels))
        self.labels = np.empty((X.shape[0], n_labels), dtype=np.int64)

    def descend(
        self, node: Node, path_probability: Floats, inside: Flags, mulan_score: Floats
    ) -> None:
        """Predict all labels below a node.

        Parameters
        ----------
        node
        path_probability : (m,) array
            The product of the probabilities down to the node.
        inside : (m,) bool array
            Whether a row reaches the node.
        mulan_score : (m,) array
            MULAN's score of the labels for the rows that do not reach the node.
        """
        for child in node.children:
            own = positive_probability(child.model, self.X)
            yes = inside & (own >= 0.5)
            if child.children:
                self.descend(child, path_probability * own, yes, np.where(inside, own, mulan_score))
            else:
                label = child.labels[0]
                self.path[:, label] = path_probability * own
                self.mulan[:, label] = np.where(inside, np.where(yes, own, 0), mulan_score)
                self.labels[:, label] = yes
