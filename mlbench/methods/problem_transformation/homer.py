"""HOMER: a tree of label clusters, with binary relevance at every node."""

from __future__ import annotations

import warnings
from bisect import insort
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from mlbench.hashing import random_state as stream
from mlbench.methods.parameters import require_count, require_one_of
from mlbench.methods.problem_transformation.base import (
    ProblemTransformationMethod,
    draw_seed,
    seeded_fit_cache,
)
from mlbench.methods.problem_transformation.base_fits import FitCache, positive_probability
from mlbench.solvers.arrays import Floats, Ints, Matrix

ITERATIONS = 20
"""Rounds of the clustering at most, as in MULAN."""


class HOMER(ProblemTransformationMethod):
    """HOMER: a hierarchy of labels, each level telling which cluster of labels a row needs.

    Labels are split into clusters of nearly equal size by what rows they share, and those again,
    until a node has no more than ``n_clusters`` labels. A row has a cluster if it has one of its
    labels. A node fits one classifier to each of its clusters and labels, on the rows that have
    the node (the root: on all rows). In prediction a row goes down from the root into every
    cluster at least as likely as not, and gets the labels it reaches by that rule.

    With one cluster, or as many as labels, this is binary relevance.

    Parameters
    ----------
    base : str or estimator, default="logistic"
        The classifier: a short name (logistic, tree, linear_svc, ...), a dotted name,
        ``file.py:Class``, or an estimator. Its parameters are reached as ``base__C``; in an
        experiment plain ``C`` does. Margins go through the logistic link.
    n_clusters : int, default=3
        How many clusters a node has at most; the paper leaves it open.
    scores : {"path", "mulan"}, default="path"
        What ranks a label: the product of the probabilities on its path from the root, with all
        nodes asked; or MULAN's confidences, which ask only the nodes that a row gets to. There
        the score is the label's own probability where it is predicted, 0 where its own
        classifier turns it down, and where a cluster above was turned down, that cluster's
        probability, the same for all its labels: no probability of the label, and with many
        ties. The paper states no score. Labels are the same either way.
    random_state : int, optional
        The seed of the clusters' first centers. Where the base has an open ``random_state``, it
        is derived from this one, and the same for all fits.

    Attributes
    ----------
    hierarchy_ : Node
        The root.
    n_fits_ : int
        How many fits of the base there were; labels and clusters that divide a node's rows alike
        share one.
    constant_labels_ : int array
        The labels that had one class in training.

    References
    ----------
    Tsoumakas, Katakis & Vlahavas (2008), Effective and efficient multilabel classification in
    domains with large number of labels. ECML PKDD Workshop on Mining Multidimensional Data.
    """

    label_order_counts = True
    """A label's place in Y decides which cluster it starts in."""

    def __init__(
        self,
        base: Any = "logistic",
        n_clusters: int = 3,
        scores: str = "path",
        random_state: Any = None,
    ) -> None:
        self.base = base
        self.n_clusters = n_clusters
        self.scores = scores
        self.random_state = random_state

    def _check_parameters(self) -> None:
        require_count(self, "n_clusters")
        require_one_of(self, "scores", ("path", "mulan"))

    def fit(self, X: Matrix, Y: Ints) -> Self:
        """Cluster the labels and fit the classifiers of every node.

        Parameters
        ----------
        X : (n, d) array or CSR matrix
        Y : (n, k) array of 0 and 1
        """
        X, Y = self._prepare(X, Y)
        if Y.shape[1] == 1:
            warnings.warn("HOMER of one label is binary relevance", stacklevel=2)
        seed = draw_seed(self.random_state)
        fits = seeded_fit_cache(self.base, X, seed)
        self.hierarchy_ = Node(np.arange(Y.shape[1]))
        _build_tree(self.hierarchy_, Y, np.arange(len(Y)), self.n_clusters, seed, fits)
        self.n_fits_ = fits.n_fits
        return self

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
        The classifier that tells whether a row has one of them; None for the root.
    children : list of Node
        What it is split into; empty for a single label that has a node above it.
    """

    labels: Ints
    model: Any = None
    children: list[Node] = field(default_factory=list)


def _build_tree(
    node: Node, Y: Ints, rows: Ints, n_clusters: int, seed: int, fits: FitCache
) -> None:
    """Split a node and fit its classifiers on its rows, and so on downwards."""
    here = Y[rows][:, node.labels]
    shared = None if len(rows) == len(Y) else rows
    clusters = _split(here, n_clusters, stream("clusters", seed, *node.labels.tolist()))
    has = [here[:, cluster].max(axis=1) for cluster in clusters]
    node.children = [
        Node(node.labels[cluster], fits(target, shared))
        for cluster, target in zip(clusters, has, strict=True)
    ]
    for child, target in zip(node.children, has, strict=True):
        if len(child.labels) > 1:
            _build_tree(child, Y, rows[target == 1], n_clusters, seed, fits)


def _split(Y: Ints, n_clusters: int, random: np.random.RandomState) -> list[Ints]:
    n_labels = Y.shape[1]
    if n_clusters == 1 or n_labels <= n_clusters:
        return list(np.arange(n_labels)[:, None])
    return balanced_clusters(Y.T.astype(np.float64), n_clusters, random)


def balanced_clusters(points: Floats, n_clusters: int, random: np.random.RandomState) -> list[Ints]:
    """Cluster points by k-means, no cluster larger than its even share rounded up.

    Points come one after the other and go to the nearest center. Where that makes a cluster too
    large, its farthest point (the last one of several) moves on to its nearest center among
    those that it has not been to. The first centers are distinct points, as far as there are
    enough. It ends when nothing changes, or after `ITERATIONS` rounds.

    Parameters
    ----------
    points : (L, n) array
    n_clusters
        At least 2 and less than L.
    random

    Returns
    -------
    list of ascending int arrays
        The points of every cluster that has any.
    """
    capacity = -(-len(points) // n_clusters)
    draw = random.permutation(len(points))
    _, first = np.unique(points[draw], axis=0, return_index=True)
    distinct = np.sort(first)
    chosen = np.concatenate([distinct, np.setdiff1d(np.arange(len(draw)), distinct)])
    centers = points[draw[chosen[:n_clusters]]]
    clusters: list[list[int]] = []
    for _ in range(ITERATIONS):
        distances = _squared_distances(points, centers)
        before, clusters = clusters, _assign(distances, capacity)
        if clusters == before:
            break
        for center, members in zip(centers, clusters, strict=True):
            if members:
                center[:] = points[members].mean(axis=0)
    return [np.array(members) for members in clusters if members]


def _squared_distances(points: Floats, centers: Floats) -> Floats:
    lengths = (points**2).sum(axis=1)[:, None] + (centers**2).sum(axis=1)
    return np.asarray(lengths - 2 * points @ centers.T)


def _assign(distances: Floats, capacity: int) -> list[list[int]]:
    """Return the points of every cluster, ascending; ``distances`` (L, c) is used up."""
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
    """What the hierarchy says of new rows: labels, and both kinds of scores, (m, k) each."""

    def __init__(self, X: Matrix, n_labels: int) -> None:
        self.X = X
        self.path = np.empty((X.shape[0], n_labels))
        self.mulan = np.empty((X.shape[0], n_labels))
        self.labels = np.empty((X.shape[0], n_labels), dtype=np.int64)

    def descend(
        self, node: Node, path_probability: Floats, inside: Any, mulan_score: Floats
    ) -> None:
        """Ask the classifiers below a node.

        Parameters
        ----------
        node
        path_probability : (m,) array
            The probability of the path so far.
        inside : (m,) bool array
            Whether a row gets to the node.
        mulan_score : (m,) array
            MULAN's score of the node's labels for the rows that do not.
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
