"""The base class of splitters, and the splits that they draw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from sklearn.base import BaseEstimator

from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import DataError
from mlbench.estimator_adapter import check_tasks
from mlbench.options import Stratify
from mlbench.protocol.arrays import Indices, Part
from mlbench.protocol.fitting import ModelFitter
from mlbench.protocol.preprocess import Preparation
from mlbench.protocol.splitters.rows import Axes, TrainTest, tuning_folds
from mlbench.protocol.splitters.stratification import revision_of
from mlbench.solvers.arrays import Ints

if TYPE_CHECKING:
    from mlbench.data import Dataset
    from mlbench.data.frame_columns import FrameColumns
    from mlbench.data.texts import Texts

UNSTRATIFIED = ("stratify", None)
"""An option that is no part of a split's identity unless it is chosen."""


@dataclass(frozen=True, eq=False, kw_only=True)
class DrawnSplit:
    """One split of a data set, and the fitting and scoring of models on it."""

    train: Part
    test: Part
    axes: Axes
    """Seed, data set and number of the split: all that random draws inside it depend on."""
    steps: Sequence[str] = ()
    """The preparation that is fitted to training parts; empty where other rows did it already."""
    columns: Indices | None = None
    """The labels that are meant by 0, 1, ..., where they may be others; ascending."""
    groups: Ints | None = None
    """Of each row of the data set, where there are groups that no part or fold divides."""
    texts: Texts | None = None
    """The text columns of the data set, where it has some."""
    columns_as_frame: FrameColumns | None = None
    """What makes a data frame of features, for methods that get one."""
    keeps_tasks: ClassVar[bool] = False
    """Whether a row may occur in the test part for several tasks."""

    def folds(self, number: int, stratify: Stratify | None = None) -> list[TrainTest]:
        """Divide the training part for tuning."""
        Y, tasks = self.train.Y, self.train.tasks
        groups = None if self.groups is None else self.groups[self.train.rows]
        return tuning_folds(len(Y), number, self.axes, tasks, Y, stratify, groups)

    @property
    def preparation(self) -> Preparation:
        """What is fitted to training parts before a method sees them."""
        return Preparation(self.steps, self.texts, self.columns_as_frame)

    def fitter(self, seed: int) -> ModelFitter:
        """Return a new object that fits and reads models."""
        return ModelFitter(seed)

    @property
    def counts(self) -> dict[str, int]:
        """Sizes that a result states in addition to the samples of both parts."""
        return {}

    @property
    def kept(self) -> dict[str, Indices]:
        """Arrays that say which entries of the data set the predictions are for."""
        tasks = self.test.tasks if self.keeps_tasks else None
        arrays = {"rows": self.test.rows, "tasks": tasks, "columns": self.columns}
        return {name: array for name, array in arrays.items() if array is not None}


@dataclass(frozen=True)
class Division:
    """What drawing the splits of a data set on trial has told."""

    note: str = ""
    """What to tell of it, or nothing."""
    uncorrected: str = ""
    """Why the corrected t-test is refused, if it is."""


@dataclass(frozen=True, kw_only=True)
class Splitter(ABC):
    """Divides a data set into training and test parts, the same for every method.

    Its fields are its parameters in experiments. With the number of the split they are the split's
    identity.
    """

    kind: ClassVar[str] = ""
    """Its name in experiments; if empty, the name of the class."""
    makes_tasks: ClassVar[bool] = False
    """Whether each sample has one task, even if the data set has none."""
    allows_imbalance: ClassVar[bool] = True
    """Whether each task may draw its samples separately from the parts."""
    expects_unknown_labels: ClassVar[bool] = False
    """Whether it is made for data with unknown labels; tables then need no note on them."""
    heeds_groups: ClassVar[bool] = False
    """Whether its parts, and the folds of its splits, divide no group of rows."""
    prepares_features: ClassVar[bool] = False
    """Whether its splits have features that are prepared already; texts then have no place."""

    @abstractmethod
    def draw(self, data: Dataset, index: int, steps: Sequence[str] = ()) -> DrawnSplit:
        """Draw a split.

        Parameters
        ----------
        data : Dataset
        index : int
            The number of the split, from 0.
        steps : sequence of str
            Preparation, see :func:`mlbench.protocol.preprocess.prepare`.

        Raises
        ------
        DataError
            If the data cannot be divided so.
        """

    def check(self, facts: DatasetFacts, dataset: str, tuning_folds: int) -> None:
        """Refuse data that cannot be divided so, and training parts with too few samples.

        Raises
        ------
        DataError
        """
        if facts.fewest_known is not None:
            raise DataError(
                f"{dataset}: not all labels of all rows are known, and these splits cannot do "
                "without any; use splits of the kind random, kfold, or published"
            )

    def examine(
        self, data: Dataset, n_splits: int, folds: int, stratify: Stratify | None
    ) -> Division:
        """Refuse data that cannot be divided so, which only the data themselves can tell.

        Parameters
        ----------
        data : Dataset
        n_splits : int
            How many splits are wanted.
        folds : int
            How many tuning folds, or 0.
        stratify
            What is spread evenly over these folds.

        Raises
        ------
        DataError
        """
        if data.groups is not None and not self.heeds_groups:
            raise DataError(
                f"{data.name}: the data set has groups, which these splits do not keep together; "
                "use splits of the kind random or kfold, or leave `groups` out. (A splitter of "
                "your own that keeps them together states `heeds_groups = True`.)"
            )
        if data.texts is not None and self.prepares_features:
            raise DataError(
                f"{data.name}: the data set has text columns, which splits of the kind {self.kind} "
                "cannot use; leave `text` out, or use other splits"
            )
        return Division()

    def training_rows(self, facts: DatasetFacts) -> int:
        """Return the most rows that a training part may have."""
        return facts.n_samples

    def check_method(self, model: BaseEstimator, n_tasks: int) -> None:
        """Refuse a method that cannot learn from the samples.

        Raises
        ------
        MethodError
        """
        check_tasks(model, self.makes_tasks or n_tasks > 0)

    def identity(self, index: int) -> dict[str, object]:
        """Return what a split depends on, as entries of a cell's identity."""
        return {"split": {**self._own_identity, "index": index}}

    @cached_property
    def _own_identity(self) -> dict[str, object]:
        own = {name: value for name, value in asdict(self).items() if (name, value) != UNSTRATIFIED}
        revision = revision_of(getattr(self, "stratify", None))
        return {"kind": self.kind or type(self).__name__, **own, **revision}

    def describe(self, repeats: int) -> str:
        """Return the splits in words for the notes of tables; by default kind and parameters."""
        return ""
