"""A projection learned on some rows and labels, for the same labels or for all others.

Source: Yu, Yu & Tresp (2005), section 4.2, settings (I) and (II).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field
from sklearn.base import BaseEstimator

from mlbench.config.fields import Seed
from mlbench.config.fields import TrainPart as PartSize
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError
from mlbench.hashing import random_state
from mlbench.number_text import counted
from mlbench.protocol.arrays import Indices, Part, Point
from mlbench.protocol.fitting import ModelFitter, Source
from mlbench.protocol.preprocess import prepare
from mlbench.protocol.splitters.base import DrawnSplit, Splitter
from mlbench.protocol.splitters.rows import fold_sizes, identity_of_shares, number_of, take_fold
from mlbench.solvers.arrays import Ints, Matrix

if TYPE_CHECKING:
    from mlbench.data import Dataset


@dataclass(frozen=True, kw_only=True)
class Transfer(Splitter):
    """Draws the rows and the labels of a projection, and what is learned with it.

    With ``target="source_labels"`` the projection's labels are learned from its own rows and
    tested on all others. With ``target="other_labels"`` the other rows are divided into folds,
    and the other labels are learned from one fold and tested on all other folds; the number of
    a split counts the folds of the first repetition, then of the second. Both draw the
    same rows and labels.
    """

    kind = "transfer"
    allows_imbalance = False  # labels share their rows
    prepares_features = True

    source_rows: Annotated[
        PartSize, Field(description="rows of the projection: a share, or a number of samples")
    ]
    source_labels: Annotated[
        int, Field(ge=1, description="labels of the projection, drawn at random each time")
    ]
    target: Annotated[
        Literal["source_labels", "other_labels"],
        Field(description="the labels that are learned and scored"),
    ]
    folds: Annotated[
        int | None,
        Field(ge=2, le=10_000, description="of the other rows; other labels are learned from one"),
    ] = None
    seed: Seed = 0

    def __post_init__(self) -> None:
        if self.target == "other_labels" and self.folds is None:
            raise ValueError(
                "target: other_labels learns from one fold of the other rows: add folds: 5"
            )
        if self.target == "source_labels" and self.folds is not None:
            raise ValueError(
                "target: source_labels learns from the rows of the projection and tests on all "
                "others: leave folds out"
            )

    @cached_property
    def _own_identity(self) -> dict[str, object]:
        return {**super()._own_identity, **identity_of_shares(self.source_rows)}

    def draw(self, data: Dataset, index: int, steps: Sequence[str] = ()) -> DrawnSplit:
        """Draw a split; see :class:`~mlbench.protocol.splitters.base.Splitter`."""
        axes = (self.seed, data.name, index)
        n_samples, n_labels = data.Y.shape
        drawn = self.divide(n_samples, n_labels, data.name, index)
        Y = data.Y[:, drawn.labels]
        if drawn.source_rows is None or drawn.source_labels is None:
            train, test = (
                Part(data.X[rows], Y[rows], None, rows) for rows in (drawn.train, drawn.test)
            )
            return DrawnSplit(train=train, test=test, axes=axes, steps=steps, columns=drawn.labels)
        rows, labels = drawn.source_rows, drawn.source_labels
        source, learned = prepare(steps, data.X[rows], data.X[drawn.train])
        _, tested = prepare(steps, data.X[rows], data.X[drawn.test])
        return TransferSplit(
            train=Part(learned, Y[drawn.train], None, drawn.train),
            test=Part(tested, Y[drawn.test], None, drawn.test),
            axes=axes,
            columns=drawn.labels,
            source=Part(source, data.Y[rows][:, labels], None, rows),
        )

    def divide(self, n_samples: int, n_labels: int, dataset: str, index: int) -> RowsAndLabels:
        """Return the rows and labels of a split.

        Raises
        ------
        DataError
            If there are too few samples or labels.
        """
        folds = self.folds or 1
        repeat, fold = divmod(index, folds)
        rng = random_state("transfer", self.seed, dataset, repeat)
        labels, rows = rng.permutation(n_labels), rng.permutation(n_samples)
        n_source = number_of(self.source_rows, n_samples)
        few_labels, few_rows = (0, 1) if self.target == "source_labels" else (1, 2 * folds)
        if self.source_labels + few_labels > n_labels:
            raise DataError(
                f"{dataset}: of {n_labels} labels a projection cannot see {self.source_labels} "
                f"and leave {few_labels} or more; change protocol.splits"
            )
        if n_source < 1 or n_source + few_rows > n_samples:
            raise DataError(
                f"{dataset}: of {n_samples} samples a projection cannot have {n_source} and "
                f"leave {few_rows} or more; change protocol.splits"
            )
        source_rows, others = np.sort(rows[:n_source]), rows[n_source:]
        source_labels = np.sort(labels[: self.source_labels])
        other_labels = np.sort(labels[self.source_labels :])
        if self.target == "source_labels":
            return RowsAndLabels(source_rows, np.sort(others), source_labels)
        tested, learned = take_fold(others, fold_sizes(len(others), folds, dataset), fold)
        return RowsAndLabels(
            np.sort(learned), np.sort(tested), other_labels, source_rows, source_labels
        )

    def describe(self, repeats: int) -> str:
        """Return the splits in words."""
        n = self.source_rows
        rows = f"{n} samples" if isinstance(n, int) else f"{100 * n:g} %"
        drawn = (
            f"{counted(repeats, 'random draw')} of {rows} and {self.source_labels} labels for "
            f"projections (seed {self.seed})"
        )
        if self.target == "source_labels":
            return f"{drawn}, these labels learned from the same samples and tested on all others"
        return (
            f"{drawn}, all other labels learned from each of {self.folds} folds of the other "
            "samples and tested on the other folds; methods without a projection see that fold "
            "alone"
        )

    def check(self, facts: DatasetFacts, dataset: str, tuning_folds: int) -> None:
        """Refuse data with tasks, and too few samples or labels."""
        super().check(facts, dataset, tuning_folds)
        if facts.n_tasks:
            raise DataError(
                f"{dataset}: every task has separate rows, and splits of the kind transfer "
                "choose among labels that share theirs; use splits of the kind random or kfold"
            )
        last = (self.folds or 1) - 1  # no fold is smaller
        n = len(self.divide(facts.n_samples, facts.n_labels, dataset, last).train)
        if n < tuning_folds:
            raise DataError(
                f"{dataset}: training parts of {n} samples cannot be divided into {tuning_folds} "
                "folds for tuning; change protocol.splits or protocol.tuning.folds"
            )


@dataclass(frozen=True, eq=False)
class RowsAndLabels:
    """Rows of both parts, the labels that are learned, and the source where it is apart."""

    train: Indices
    test: Indices
    labels: Indices
    source_rows: Indices | None = None
    source_labels: Indices | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class TransferSplit(DrawnSplit):
    """A split with a source that projections are fitted to; its rows are in neither part."""

    source: Part

    def fitter(self, seed: int) -> TransferFitter:
        """Return a new object that fits projections to the source, and reads models."""
        return TransferFitter(seed, self.source.X, self.source.Y)

    @property
    def counts(self) -> dict[str, int]:
        """Samples of the source."""
        return {"projection_samples": len(self.source.rows)}


class TransferFitter(ModelFitter):
    """Fits the projections of methods that have one to a source first, to other rows and labels.

    A method has one if it has ``fit_projection(X, Y)`` and ``fit_classifiers(X, Y)``. All others
    see the training part alone. Where a method has ``fit_projection_path(X, Y, grid)``, too, all
    folds of a search share the projections of its candidates.

    Parameters
    ----------
    seed : int
    X : (n, d) array or CSR matrix
        The source's rows, prepared.
    Y : (n, k) array
        Its labels.
    """

    def __init__(self, seed: int, X: Matrix, Y: Ints) -> None:
        super().__init__(seed)
        self.source = X, Y
        self._search: tuple[BaseEstimator, Sequence[Point]] | None = None
        self._found: list[tuple[int, BaseEstimator]] = []

    def _source(self, X: Matrix, Y: Ints, tasks: Ints | None) -> Source:
        return self.source

    def _projections(
        self, model: BaseEstimator, source: Source, grid: Sequence[Point]
    ) -> list[tuple[int, BaseEstimator]]:
        if self._search is None or self._search[0] is not model or self._search[1] is not grid:
            self._found = super()._projections(model, source, grid)
            self._search = model, grid
        return self._found
