"""Make the splitter of each data set from the splits that an experiment asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mlbench import plugins
from mlbench.config import splits as schemes
from mlbench.config.datasets import DatasetReference
from mlbench.config.schema import ExperimentConfig
from mlbench.errors import DataError
from mlbench.options import Stratify
from mlbench.plan.file_splitter import FileSplits
from mlbench.plan.identity import class_identity
from mlbench.protocol.splitters import (
    Division,
    DrawnSplit,
    KFold,
    PublishedSplit,
    RandomSplits,
    Splitter,
    TimeWindows,
)
from mlbench.registry.loading import load_class
from mlbench.registry.names import is_built_in

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

    from mlbench.data import Dataset
    from mlbench.dataset_facts import DatasetFacts

SPLITTERS: dict[str, type[Splitter]] = {
    each.kind: each for each in (RandomSplits, KFold, PublishedSplit, TimeWindows)
}
"""The splitter of each kind; its fields are the `parameters` of the model."""


@dataclass(frozen=True, kw_only=True)
class UserSplitter(Splitter):
    """A splitter whose class does not come with mlbench.

    The class is imported where a split is drawn, so that a cell can be sent to another process
    without running its code there.
    """

    target: str
    """What the class is found by."""
    folder: Path
    """Where a relative path starts."""
    parameters: Mapping[str, Any]
    code: Mapping[str, Any]
    """What vouches for the class; see :func:`mlbench.plan.identity.class_identity`."""

    @property
    def loaded(self) -> Splitter:
        """An object of the class."""
        loaded: Splitter = load_class(self.target, self.folder)(**self.parameters)
        return loaded

    @property
    def makes_tasks(self) -> bool:  # type: ignore[override]
        """Whether samples are of one task each, whatever the data set is."""
        return self.loaded.makes_tasks

    @property
    def allows_imbalance(self) -> bool:  # type: ignore[override]
        """Whether tasks may draw separate samples from its parts."""
        return self.loaded.allows_imbalance

    def draw(self, data: Dataset, index: int, steps: Sequence[str] = ()) -> DrawnSplit:
        """Draw a split.

        Raises
        ------
        DataError
            If a row is in both parts.
        """
        split = self.loaded.draw(data, index, steps)
        shared = np.intersect1d(split.train.rows, split.test.rows)
        if shared.size and not split.keeps_tasks:
            raise DataError(
                f"{data.name}: {self.target} draws row {shared[0]} for the training and for the "
                f"test part of split {index}"
            )
        return split

    def check(self, facts: DatasetFacts, dataset: str, tuning_folds: int) -> None:
        """Refuse data that cannot be divided so."""
        try:
            self.loaded.check(facts, dataset, tuning_folds)
        except DataError:
            raise
        except Exception as error:
            raise self._failed(dataset, error) from error

    def examine(
        self, data: Dataset, n_splits: int, folds: int, stratify: Stratify | None
    ) -> Division:
        """Refuse data that cannot be divided so."""
        try:
            return self.loaded.examine(data, n_splits, folds, stratify)
        except DataError:
            raise
        except Exception as error:
            raise self._failed(data.name, error) from error

    def _failed(self, dataset: str, error: Exception) -> DataError:
        return DataError(f"{dataset}: {self.target}: {type(error).__name__}: {error}")

    def training_rows(self, facts: DatasetFacts) -> int:
        """Return the most rows that a training part may have."""
        return self.loaded.training_rows(facts)

    def check_method(self, model: BaseEstimator, n_tasks: int) -> None:
        """Refuse a method that cannot learn from the samples."""
        self.loaded.check_method(model, n_tasks)

    def identity(self, index: int) -> dict[str, object]:
        """Return the class, its code and its parameters."""
        name = self.code["name"]
        return {"split": {**self.code, **self.parameters, "kind": name, "index": index}}


def splitter_of(experiment: ExperimentConfig, dataset: DatasetReference, folder: Path) -> Splitter:
    """Return the splitter of a data set.

    It does not depend on the number of repeats, so that more can be added later.

    Parameters
    ----------
    experiment : ExperimentConfig
    dataset : DatasetReference
    folder : Path
        Where a relative path to a user's splitter starts.
    """
    splits = experiment.splits_of(dataset)
    if isinstance(splits, schemes.FileSplits):
        name = Path(splits.file_of(dataset.display)).expanduser()
        splitter: Splitter = FileSplits.of(folder / name, splits.seed)
    else:
        splitter = make_splitter(splits.kind, folder, splits.parameters)
    if dataset.imbalance is None:
        return splitter
    resampler = plugins.load(plugins.RESAMPLERS, "imbalance")
    resampled: Splitter = resampler(inner=splitter, ratio=dataset.imbalance.ratio)
    return resampled


def make_splitter(kind: str, folder: Path, parameters: Mapping[str, Any]) -> Splitter:
    """Return a splitter of a built-in or installed kind, or of a class in a user's file."""
    if kind in SPLITTERS:
        return SPLITTERS[kind](**parameters)
    if kind in plugins.names(plugins.SPLITTERS):
        found, target = (
            plugins.load(plugins.SPLITTERS, kind),
            plugins.target(plugins.SPLITTERS, kind),
        )
    else:
        found, target = load_class(kind, folder), kind
    if is_built_in(found):
        built_in: Splitter = found(**parameters)
        return built_in
    return UserSplitter(
        target=target, folder=folder, parameters=parameters, code=class_identity(found)
    )
