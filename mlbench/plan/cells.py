"""Cells and the plan that lists them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, cast

from mlbench.config.schema import Experiment, Limits
from mlbench.dataset_facts import DatasetFacts
from mlbench.hashing import digest_of_parts
from mlbench.options import Stratify
from mlbench.plan.identity import PROTOCOL_REVISION
from mlbench.plan.specs import ChosenPoint, DatasetSpec, MethodSpec, MetricSpec, TuningSpec
from mlbench.protocol.splitters import Splitter
from mlbench.protocol.thresholds import POLICIES
from mlbench.store import search_key
from mlbench.store.plain_values import Plain


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One method on one split of one data set."""

    data: DatasetSpec
    splitter: Splitter
    split: int
    """The number of the split."""
    recipe: MethodSpec
    tuning: TuningSpec | None
    chosen: ChosenPoint | None = None
    """The candidate that an earlier run chose, in place of a search."""
    folds: int | None
    """Folds inside the training part, where they matter."""
    stratify_folds: Stratify | None = None
    """What occurs equally often in these folds."""
    steps: tuple[str, ...]
    """Preparation of features."""
    threshold: str
    """The policy by which scores become labels."""
    threads: int = 1
    """BLAS threads: sums in another order can change scores."""
    limits: Limits = field(default_factory=Limits)
    keep_predictions: bool = False
    metrics: tuple[MetricSpec, ...] = ()
    """Those to compute besides what every row has: the user's own, and ``precision_at_7``."""
    shares_search: bool = False
    """Whether another cell of the plan needs the same search for parameters."""
    after: str | None = None
    """The key of the cell that does that search, where it is not this one."""
    key: str = field(init=False)
    """The hash of the identity."""

    def __post_init__(self) -> None:
        texts = {"method": self.recipe.canonical_identity}
        if self.tuning is not None:
            texts["tuning"] = self.tuning.canonical_identity
        object.__setattr__(self, "key", digest_of_parts(self.identity, texts))

    @property
    def dataset(self) -> str:
        """The data set's name in tables."""
        return self.data.name

    @property
    def method(self) -> str:
        """The method's name in tables."""
        return self.recipe.name

    @property
    def code(self) -> dict[str, str]:
        """The provenance of the method's classes and of own metrics: no part of the key."""
        return {**self.recipe.code, **{each.name: each.code for each in self.metrics if each.code}}

    @property
    def name(self) -> str:
        """The cell as people write it: ``data set/method/split``."""
        return f"{self.dataset}/{self.method}/{self.split}"

    @property
    def identity(self) -> dict[str, Plain]:
        """All that the result depends on, and nothing else."""
        identity = {
            "revision": PROTOCOL_REVISION,
            "dataset": {"name": self.data.canonical, "fingerprint": self.data.fingerprint},
            **self.splitter.identity(self.split),
            "preprocess": list(self.steps),
            "method": self.recipe.identity,
            "tuning": None if self.tuning is None else self.tuning.identity,
            **({"chosen": self.chosen.identity} if self.chosen else {}),
            "threshold": _threshold_identity(self.threshold),
            "folds": self.folds,
            **({"stratify_folds": self.stratify_folds} if self.stratify_folds else {}),
            **({"threads": self.threads} if self.threads > 1 else {}),
            **({"metrics": [each.identity for each in self.metrics]} if self.metrics else {}),
        }
        return cast("dict[str, Plain]", identity)

    @property
    def search(self) -> str | None:
        """The name of the search for parameters, which other cells may share."""
        return None if self.tuning is None else search_key(self.identity)


def _threshold_identity(name: str) -> str | dict[str, object]:
    """Return a policy's name; with its revision where that was raised."""
    revision = POLICIES[name].revision if name in POLICIES else 1
    return name if revision == 1 else {"policy": name, "revision": revision}


@dataclass(frozen=True)
class Plan:
    """The cells of an experiment, in the order of the file, and what reports need to know."""

    experiment: Experiment
    cells: list[Cell]
    facts: dict[str, DatasetFacts]
    n_splits: int
    own_metrics: tuple[dict[str, Any], ...] = ()

    def as_plain(self) -> dict[str, object]:
        """Return the plan as it is kept beside the rows."""
        return {
            "experiment": self.experiment.model_dump(mode="json", by_alias=True),
            "n_splits": self.n_splits,
            "datasets": {name: asdict(facts) for name, facts in self.facts.items()},
            "methods": list(self.experiment.methods),
            "cells": [[cell.dataset, cell.method, cell.split, cell.key] for cell in self.cells],
            **({"own_metrics": list(self.own_metrics)} if self.own_metrics else {}),
        }
