"""How data is divided: the kinds of splits that an experiment file may ask for."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field, model_validator

from mlbench.config.fields import Part, Seed
from mlbench.config.strict_model import StrictModel
from mlbench.options import Stratify

STRATIFY = Field(None, description="what occurs equally often in all parts")


class RandomSplits(StrictModel):
    """Repeated random partitions into a training and a test part."""

    kind: Literal["random"] = "random"
    train: Part = Field(0.6, description="a share, or a number of samples")
    test: Part | None = Field(None, description="all the others, if not given")
    stratify: Stratify | None = STRATIFY
    repeats: int = Field(10, ge=1, le=100_000)
    seed: Seed = 0

    @property
    def number(self) -> int:
        """How many splits there are."""
        return self.repeats

    @model_validator(mode="after")
    def _within_the_whole(self) -> RandomSplits:
        if isinstance(self.train, float) and isinstance(self.test, float):
            total = self.train + self.test
            if total > 1 and not math.isclose(total, 1):
                raise ValueError(f"train and test are more than the whole together: {total:g}")
        return self


class KFoldSplits(StrictModel):
    """Repeated k-fold cross-validation: every fold is a test part once."""

    kind: Literal["kfold"]
    folds: int = Field(10, ge=2, le=10_000)
    stratify: Stratify | None = STRATIFY
    repeats: int = Field(1, ge=1, le=10_000)
    seed: Seed = 0

    @property
    def number(self) -> int:
        """How many splits there are."""
        return self.folds * self.repeats


class PublishedSplit(StrictModel):
    """The training and test part that the data set was published with."""

    kind: Literal["published"]
    seed: Seed = 0

    @property
    def number(self) -> int:
        """How many splits there are."""
        return 1


class TransferSplits(StrictModel):
    """A projection learned on some rows and labels, for the same labels or for all others."""

    kind: Literal["transfer"]
    source_rows: Part = Field(description="rows of the projection: a share, or a number of samples")
    source_labels: int = Field(
        ge=1, description="labels of the projection, drawn at random each time"
    )
    target: Literal["source_labels", "other_labels"] = Field(
        description="the labels that are learned and scored"
    )
    folds: int | None = Field(
        None, ge=2, le=10_000, description="of the other rows; other labels are learned from one"
    )
    repeats: int = Field(10, ge=1, le=10_000)
    seed: Seed = 0

    @model_validator(mode="after")
    def _folds_of_other_labels(self) -> TransferSplits:
        if self.target == "other_labels" and self.folds is None:
            raise ValueError(
                "target: other_labels learns from one fold of the other rows: add folds: 5"
            )
        if self.target == "source_labels" and self.folds is not None:
            raise ValueError(
                "target: source_labels learns from the rows of the projection and tests on all "
                "others: leave folds out"
            )
        return self

    @property
    def number(self) -> int:
        """How many splits there are."""
        return (self.folds or 1) * self.repeats


class RatingSplits(StrictModel):
    """Labels are users: those of a fold are learned from a few of their ratings each."""

    kind: Literal["ratings"]
    given: int = Field(20, ge=2, description="ratings of a test user to learn from")
    folds: int = Field(10, ge=2, le=10_000, description="of the users; one is the test users")
    repeats: int = Field(10, ge=1, le=10_000, description="draws of the ratings that are given")
    seed: Seed = 0

    @property
    def number(self) -> int:
        """How many splits there are."""
        return self.folds * self.repeats


Splits = RandomSplits | KFoldSplits | PublishedSplit | TransferSplits | RatingSplits
