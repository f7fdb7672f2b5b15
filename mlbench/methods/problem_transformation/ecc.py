"""Ensemble of classifier chains."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.hashing import random_state as stream
from mlbench.methods.base import RandomState
from mlbench.methods.parameters import require_count, require_one_of
from mlbench.methods.problem_transformation.base_fits import (
    FitCache,
    ProblemFeatures,
    positive_probability,
)
from mlbench.methods.problem_transformation.growing_features import growing_features
from mlbench.methods.problem_transformation.nested_ensemble import NestedEnsemble
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.steps import steps

SUBSAMPLE = 0.67
"""The share of the rows that a subsample holds."""


@dataclass(eq=False, repr=False)
class EnsembleOfClassifierChains(NestedEnsemble):
    """Ensemble of classifier chains (ECC).

    A chain orders the labels and fits one classifier per label, with the features and the true
    values of the labels before it as inputs; in prediction the predicted values (0 or 1) replace
    the true ones. Every chain has its own order and its own sample of rows. A label is predicted
    if its score is at least 1/2, in a chain as in the ensemble. A label with a single class in the
    sample of a chain is predicted as that class there.

    Parameters
    ----------
    n_chains : int, default=10
        The number of chains.
    order : {"random", "natural"}, default="random"
        The order of the labels in a chain: drawn for every chain, or the order of the columns of Y.
    sampling : {"bag", "subsample", None}, default="bag"
        The rows of a chain: n with replacement (Read et al. 2011; MULAN's default), 67 %
        without replacement (Read et al. 2009; an option of MULAN's), or all of them.
    scores : {"probability", "votes"}, default="probability"
        The mean of the probabilities of the chains, as in MULAN, or the share of chains that
        predict the label, as in the papers. The share is not a probability, and has at most
        n_chains + 1 values, so many rows tie. The papers choose the threshold so that as many
        labels are predicted as in training; here it is 1/2, as in MULAN.
    random_state : int, optional
        Seed of the orders and samples; chain i depends only on it and on i. A ``random_state``
        of the base that is None is derived from it.

    Attributes
    ----------
    members_ : list of Chain
        The chains.
    n_fits_ : int
        How many times the base was fitted. Without sampling, chains share the classifier of a
        label that follows the same set of labels.

    References
    ----------
    Read, Pfahringer, Holmes & Frank (2009), Classifier chains for multi-label classification.
    ECML PKDD, 254-269; (2011), Machine Learning 85, 333-359.
    """

    n_chains: int = 10
    order: str = "random"
    sampling: str | None = "bag"
    scores: str = "probability"
    random_state: RandomState = None

    example_grid = tuple(
        {"n_chains": n_chains, "scores": kind}
        for n_chains in (1, 4, 2)
        for kind in ("probability", "votes")
    )
    path_tolerance = 0.0
    _prediction_parameters = ("n_chains", "scores")
    label_order_counts = True
    """The position of a label in Y decides the inputs of its classifiers."""

    def _check_parameters(self) -> None:
        require_count(self, "n_chains")
        require_one_of(self, "order", ("random", "natural"))
        require_one_of(self, "sampling", ("bag", "subsample", None))
        require_one_of(self, "scores", ("probability", "votes"))

    def _size(self, n_labels: int) -> int:
        return self.n_chains

    def _fit_members(self, fits: FitCache, Y: Ints, size: int, seed: int) -> Sequence[Chain]:
        return [
            Chain(fits, Y, self._draw_order(seed, i, Y.shape[1]), self._draw_rows(seed, i, len(Y)))
            for i in steps("chain", range(size))
        ]

    def _draw_order(self, seed: int, chain: int, n_labels: int) -> Ints:
        if self.order == "natural":
            return np.arange(n_labels)
        return stream("order", seed, chain).permutation(n_labels)

    def _draw_rows(self, seed: int, chain: int, n: int) -> Ints | None:
        random = stream("rows", seed, chain)
        if self.sampling == "bag":
            return np.sort(random.randint(n, size=n))
        if self.sampling == "subsample":
            return np.sort(random.permutation(n)[: max(1, round(SUBSAMPLE * n))])
        return None

    def _scores_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        total = self._total(X)
        summed = total.probabilities if self.scores == "probability" else total.votes
        scores = summed / len(self.members_)
        return scores, (scores >= 0.5).astype(np.int64)


class Chain:
    """One chain of classifiers.

    The labels among the inputs of a classifier are sorted by their columns in training, so that
    chains with the same set of preceding labels pose the same problem.

    Parameters
    ----------
    fits : FitCache
    Y : (n, k) array of 0 and 1
    order : (k,) int array
    rows : (r,) int array, or None for all
        The rows of the chain's sample.

    Attributes
    ----------
    labels : (k,) int array
        All labels, in order of their columns.
    order : (k,) int array
    rows : (r,) int array or None
    models : list of length k
        The classifier of each label of the order.
    """

    def __init__(self, fits: FitCache, Y: Ints, order: Ints, rows: Ints | None) -> None:
        self.labels = np.arange(Y.shape[1])
        self.order = order
        self.rows = rows
        Y = np.asfortranarray(Y if rows is None else Y[rows])
        rank = _first_equal_column(Y)
        growth = growing_features(fits.select_rows(rows), len(order))
        self.models = []
        self._places: list[int] = []
        seen: list[tuple[int, int]] = []
        known_as = np.empty(0, dtype=np.int64)
        for label in order.tolist():
            self.models.append(fits(Y[:, label], rows, ProblemFeatures(growth, known_as)))
            place = bisect(seen, (rank[label], label))
            seen.insert(place, (rank[label], label))
            known_as = np.insert(known_as, place, rank[label])
            growth.insert(Y[:, label], place)
            self._places.append(place)

    def probabilities_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        """Return probabilities and predicted labels, (m, k) each."""
        probabilities = np.empty((X.shape[0], len(self.order)))
        labels = np.zeros(probabilities.shape, dtype=np.int64)
        growth = growing_features(X, len(self.order))
        for label, place, model in zip(self.order, self._places, self.models, strict=True):
            probabilities[:, label] = positive_probability(model, growth.features())
            labels[:, label] = probabilities[:, label] >= 0.5
            growth.insert(labels[:, label], place)
        return probabilities, labels


def _first_equal_column(Y: Ints) -> list[int]:
    """Return for every column of 0 and 1 the index of the first column equal to it."""
    first: dict[bytes, int] = {}
    columns = np.packbits(Y.T.astype(np.bool_), axis=1)
    return [first.setdefault(column.tobytes(), place) for place, column in enumerate(columns)]
