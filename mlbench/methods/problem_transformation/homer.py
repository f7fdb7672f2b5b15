"""HOMER: a tree of label clusters, with binary relevance at every node."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit, logit

from mlbench.hashing import random_state as stream
from mlbench.methods.base import RandomState
from mlbench.methods.parameters import require_count, require_one_of, require_positive
from mlbench.methods.problem_transformation.base_fits import FitCache, positive_probability
from mlbench.methods.problem_transformation.base_learner_method import ProblemTransformationMethod
from mlbench.methods.problem_transformation.label_clusters import (
    balanced_clusters,
    label_centroids,
    nearest_clusters,
)
from mlbench.solvers.arrays import Flags, Floats, Ints, Matrix


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
    clustering : {"balanced", "centroids", "random"}, default="balanced"
        ``balanced``: k-means of the labels by the rows that have them, with clusters of equal
        size, as in the paper. ``centroids``: k-means of the labels by the mean features of these
        rows, with clusters of any size, as in trees for thousands of labels (Khandagale et al.);
        take 100 clusters there. ``random``: labels are dealt to the clusters at random, an
        option of MULAN's.
    temperature : float, default=1
        What the logit of every probability is divided by. It moves scores only: below 1, the
        clusters that a row does not belong to cost its scores more. A third is what
        LibMultiLabel's trees have.
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
    Khandagale, Xiao & Babbar (2020), Bonsai: diverse and shallow trees for extreme multi-label
    classification. Machine Learning 109.
    """

    n_clusters: int = 3
    scores: str = "path"
    clustering: str = "balanced"
    random_state: RandomState = None
    temperature: float = 1.0

    example_grid = tuple(
        {"n_clusters": n_clusters, "scores": kind}
        for n_clusters in (2, 3)
        for kind in ("path", "mulan")
    )
    path_tolerance = 0.0
    takes_bytes = True
    _prediction_parameters = ("scores", "temperature")
    label_order_counts = True
    """The position of a label in Y decides its initial cluster."""

    def _check_parameters(self) -> None:
        require_count(self, "n_clusters")
        require_one_of(self, "scores", ("path", "mulan"))
        require_one_of(self, "clustering", ("balanced", "centroids", "random"))
        require_positive(self, "temperature")

    def _prepare(self, X: Matrix, Y: Ints) -> tuple[Matrix, Ints]:
        X, Y = super()._prepare(X, Y)
        if Y.shape[1] == 1:
            warnings.warn("HOMER of one label is binary relevance", stacklevel=4)
        return X, Y

    def _learn(self, fits: FitCache, Y: Ints, seed: int) -> None:
        self.hierarchy_ = Node(np.arange(Y.shape[1]))
        split = partial(
            _split,
            n_clusters=self.n_clusters,
            centroids=label_centroids(fits.select_rows(None), Y)
            if self.clustering == "centroids"
            else None,
            at_random=self.clustering == "random",
        )
        _build_tree(self.hierarchy_, Y, np.arange(len(Y)), split, seed, fits)
        self.n_fits_ = fits.n_fits

    def _scores_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        predictions = _Predictions(X, len(self.hierarchy_.labels), self.scores, self.temperature)
        everyone = np.ones(X.shape[0])
        predictions.descend(self.hierarchy_, everyone, everyone > 0, 0 * everyone)
        return predictions.scores, predictions.labels


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
    clusters = split(here, node.labels, stream("clusters", seed, *node.labels.tolist()))
    has = [here[:, cluster].max(axis=1) for cluster in clusters]
    node.children = [
        Node(node.labels[cluster], fits(target, shared))
        for cluster, target in zip(clusters, has, strict=True)
    ]
    for child, target in zip(node.children, has, strict=True):
        if len(child.labels) > 1:
            _build_tree(child, Y, rows[target == 1], split, seed, fits)


def _split(
    Y: Ints,
    labels: Ints,
    random: np.random.RandomState,
    n_clusters: int,
    centroids: Matrix | None,
    at_random: bool,
) -> list[Ints]:
    """Return the clusters of the columns of Y, which are those of ``labels``."""
    n_labels = len(labels)
    if n_clusters == 1 or n_labels <= n_clusters:
        return list(np.arange(n_labels)[:, None])
    if at_random:
        dealt = random.permutation(n_labels)
        return [np.sort(dealt[first::n_clusters]) for first in range(n_clusters)]
    if centroids is not None:
        return nearest_clusters(centroids[labels], n_clusters, random)
    return balanced_clusters(np.ascontiguousarray(Y.T), n_clusters, random)


class _Predictions:
    """Predictions for new rows: labels and scores, (m, k) each."""

    def __init__(self, X: Matrix, n_labels: int, kind: str, temperature: float) -> None:
        self.X = X
        self.kind = kind
        self.temperature = temperature
        self.scores = np.empty((X.shape[0], n_labels))
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
            if self.temperature != 1:
                own = expit(logit(own) / self.temperature)
            if child.children:
                self.descend(child, path_probability * own, yes, np.where(inside, own, mulan_score))
                continue
            label = child.labels[0]
            self.labels[:, label] = yes
            self.scores[:, label] = (
                path_probability * own
                if self.kind == "path"
                else np.where(inside, np.where(yes, own, 0), mulan_score)
            )
