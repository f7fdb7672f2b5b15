"""RAkEL: an ensemble of label powersets of few labels each."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from mlbench.hashing import random_state as stream
from mlbench.methods.base import RandomState
from mlbench.methods.parameters import require_count, require_one_of
from mlbench.methods.problem_transformation.base_fits import FitCache
from mlbench.methods.problem_transformation.lp import Powerset
from mlbench.methods.problem_transformation.nested_ensemble import NestedEnsemble
from mlbench.solvers.arrays import Floats, Ints, Matrix
from mlbench.steps import steps


@dataclass(eq=False, repr=False)
class RAkEL(NestedEnsemble):
    """RAkEL: an ensemble of label powersets over random sets of labels.

    Every labelset, a random set of labels, has a label powerset classifier, fitted to all rows. A
    label is predicted if at least half of the classifiers whose labelset contains it predict it.
    One labelset of all labels is label powerset; labelsets of one label are binary relevance.

    Parameters
    ----------
    labelset_size : int, default=3
        The number of labels in a labelset. If it is at least the number of labels, there is one
        labelset of all labels.
    n_labelsets : int, optional
        The number of labelsets; twice the number of labels by default, and at most the number of
        distinct labelsets.
    cover : bool, default=True
        The first ``ceil(k / labelset_size)`` labelsets cover all labels, and only the others are
        drawn independently. The paper and MULAN draw all of them (False): a label in no labelset
        then scores 0 and is never predicted.
    scores : {"votes", "marginal"}, default="votes"
        ``votes``: the share of the classifiers of a label that predict it, as in the paper and
        MULAN. It is not a probability and has few values, so many rows tie. ``marginal``: the
        mean of their probabilities, which ranks better. Labels are predicted by votes either way.
    random_state : int, optional
        Seed of the labelsets; labelset i depends on it and on the labelsets before. A
        ``random_state`` of the base that is None is derived from it.

    Attributes
    ----------
    labelsets_ : list of int arrays
        The labels of every labelset, ascending.
    members_ : list of LabelsetModel
    n_fits_ : int
        How many times the base was fitted; labelsets that partition the rows equally share a fit.

    References
    ----------
    Tsoumakas, Katakis & Vlahavas (2011), Random k-labelsets for multi-label classification.
    IEEE Transactions on Knowledge and Data Engineering 23, 1079-1089.
    """

    labelset_size: int = 3
    n_labelsets: int | None = None
    cover: bool = True
    scores: str = "votes"
    random_state: RandomState = None

    example_grid = tuple(
        {"labelset_size": size, "n_labelsets": number, "scores": kind}
        for size in (1, 2)
        for number in (1, 3, 2)
        for kind in ("votes", "marginal")
    )
    path_tolerance = 0.0
    _prediction_parameters = ("n_labelsets", "scores")
    label_order_counts = True
    """The position of a label in Y decides which labelsets contain it."""

    @property
    def labelsets_(self) -> list[Ints]:
        """The labels of every labelset."""
        return [member.labels for member in self.members_]

    def _check_parameters(self) -> None:
        require_count(self, "labelset_size")
        if self.n_labelsets is not None:
            require_count(self, "n_labelsets")
        require_one_of(self, "cover", (True, False))
        require_one_of(self, "scores", ("votes", "marginal"))

    def _prepare(self, X: Matrix, Y: Ints) -> tuple[Matrix, Ints]:
        X, Y = super()._prepare(X, Y)
        if Y.shape[1] == 1:
            warnings.warn("RAkEL of one label is binary relevance", stacklevel=4)
        return X, Y

    def _size(self, n_labels: int) -> int:
        number = 2 * n_labels if self.n_labelsets is None else self.n_labelsets
        return min(number, comb(n_labels, min(self.labelset_size, n_labels)))

    def _fit_members(
        self, fits: FitCache, Y: Ints, size: int, seed: int
    ) -> Sequence[LabelsetModel]:
        width = min(self.labelset_size, Y.shape[1])
        labelsets = draw_labelsets(Y.shape[1], width, size, self.cover, seed)
        return [LabelsetModel(fits, Y, labelset) for labelset in steps("labelset", labelsets)]

    def _scores_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        total = self._total(X)
        known = np.maximum(total.times, 1)
        votes = total.votes / known
        scores = votes.copy() if self.scores == "votes" else total.probabilities / known
        return scores, (votes >= 0.5).astype(np.int64)


class LabelsetModel:
    """A label powerset of some of the labels."""

    def __init__(self, fits: FitCache, Y: Ints, labels: Ints) -> None:
        self.labels = labels
        self.powerset = Powerset(Y[:, labels], fits)

    def probabilities_and_labels(self, X: Matrix) -> tuple[Floats, Ints]:
        """Return the marginal probabilities and the most likely labelset, (m, s) each."""
        probabilities = self.powerset.probabilities(X)
        return self.powerset.marginals(probabilities), self.powerset.labels(probabilities)


def draw_labelsets(n_labels: int, size: int, number: int, cover: bool, seed: int) -> list[Ints]:
    """Return distinct random sets of labels; a smaller number gives the first of a larger number.

    Parameters
    ----------
    n_labels
    size
        The number of labels in a set.
    number
        The number of sets, at most the number of distinct ones.
    cover
        Whether the first sets cover all labels; the last of these is completed at random.
    seed
    """
    drawn: dict[tuple[int, ...], None] = {}
    if cover:
        permuted = stream("deal", seed).permutation(n_labels)
        short = -n_labels % size
        for start in range(0, n_labels, size):
            part = permuted[start : start + size]
            rest = permuted[:short] if len(part) < size else permuted[:0]
            drawn[tuple(sorted([*part.tolist(), *rest.tolist()]))] = None
    while len(drawn) < number:
        random = stream("labelset", seed, len(drawn))
        before = len(drawn)
        while len(drawn) == before:
            drawn[tuple(sorted(random.choice(n_labels, size, replace=False).tolist()))] = None
    return [np.array(labelset) for labelset in list(drawn)[:number]]
