"""Folds of a training part, and the fitting of models on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.options import Stratify
from mlbench.protocol.arrays import Indices, Part
from mlbench.protocol.fitting import ModelFitter
from mlbench.protocol.preprocess import Preparation
from mlbench.protocol.splitters import DrawnSplit, TrainTest


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Folds of a training part."""

    part: Part
    """The training part, not yet prepared."""
    folds: Sequence[TrainTest]
    preparation: Preparation
    """What is fitted inside each fold."""
    fitter: ModelFitter

    @classmethod
    def of(
        cls, split: DrawnSplit, folds: int, seed: int, stratify: Stratify | None = None
    ) -> CrossValidation:
        """Divide the training part of a split."""
        return cls(split.train, split.folds(folds, stratify), split.preparation, split.fitter(seed))

    @property
    def held(self) -> Indices:
        """The samples that some fold holds out; in time order the first are held out by none."""
        return np.sort(np.concatenate([fold.test for fold in self.folds]))

    def parts(self, fold: TrainTest) -> tuple[Part, Part]:
        """Return the learned and the held-out part of a fold, both prepared."""
        learned, held = self.part.take(fold.train), self.part.take(fold.test)
        return self.preparation.parts(learned, held)
