"""Cells, what they are made of, and the plan that lists them."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from sklearn.base import BaseEstimator

from mlbench import hashing, registry
from mlbench.config.fields import KeepBest
from mlbench.config.schema import ExperimentConfig, Limits
from mlbench.dataset_facts import DatasetFacts
from mlbench.methods.large_arrays import LargeArray
from mlbench.methods.parameters import set_seed
from mlbench.metrics import Metric
from mlbench.metrics.user_metrics import load_metric
from mlbench.options import Stratify
from mlbench.plan.identity import PROTOCOL_REVISION
from mlbench.protocol.arrays import Point
from mlbench.protocol.halving import LEAST_ROWS
from mlbench.protocol.splitters import Splitter
from mlbench.protocol.splitters.stratification import revision_of
from mlbench.protocol.thresholds import POLICIES
from mlbench.registry.value_forms import without_types
from mlbench.store import search_key
from mlbench.store.plain_values import Plain
from mlbench.store.row import key_of


@dataclass(frozen=True)
class PlannedDataset:
    """A data set of the plan."""

    name: str
    """The name in tables."""
    reference: str | dict[str, object]
    """The argument of :func:`mlbench.data.load_dataset`."""
    canonical: str
    """The name of exactly this data, however it was written. All random draws depend on it."""
    fingerprint: str
    """SHA-256 of the content."""


@dataclass(frozen=True)
class PlannedMethod:
    """A method of the plan, with its fixed parameters."""

    name: str
    """The name in tables."""
    use: str
    """A short name, a dotted name, or ``path.py:Class``."""
    parameters: Mapping[str, object]
    folder: Path
    """The folder that relative paths start from."""
    identity: dict[str, object] = field(repr=False)
    """What results depend on; see :func:`mlbench.plan.identity.method_identity`."""
    code: dict[str, str] = field(repr=False)
    """The provenance of every class in the method, recorded with results."""
    large_arrays: tuple[tuple[LargeArray, ...], ...] = ()
    """See :class:`mlbench.plan.code_facts.MethodFacts`."""

    @cached_property
    def canonical_identity(self) -> str:
        """The identity as canonical JSON."""
        return hashing.canonical_json(self.identity)

    def make(self) -> BaseEstimator:
        """Return a new, unfitted estimator."""
        return registry.make_method(self.use, self.folder, **self.parameters)

    def translate(self, point: Mapping[str, object], model: BaseEstimator) -> Point:
        """Return a grid point as parameters for ``set_params`` of the model that `make` returns."""
        return registry.method_parameters(self.use, point, self.folder, model)

    def seed(self, axes: tuple[str | int, ...]) -> int:
        """Return the seed of the method on a split that has these axes."""
        return hashing.seed_from("method", *axes, str(self.identity["name"]))

    def model(self, point: Mapping[str, object], seed: int) -> BaseEstimator:
        """Return an unfitted model with the parameters of a grid point."""
        model = self.make()
        return set_seed(model.set_params(**self.translate(point, model)), seed)


@dataclass(frozen=True)
class PlannedMetric:
    """A metric that not every row has: a user's own, or one such as ``precision_at_7``."""

    name: str
    """The name in experiments and in results."""
    folder: Path
    """The folder that relative paths start from."""
    identity: dict[str, object] = field(repr=False)
    """What results depend on; see :func:`mlbench.plan.identity.metric_identity`."""
    code: str = field(repr=False)
    """The provenance of the user's code, recorded with results."""

    def load(self) -> Metric:
        """Import the metric."""
        return load_metric(self.name, self.folder)


@dataclass(frozen=True)
class ChosenPoint:
    """A candidate that an earlier run chose."""

    point: Point
    estimators: object = None
    """The identity of the candidate, if it may contain estimators."""

    @property
    def identity(self) -> object:
        """What results depend on."""
        return without_types(self.point) if self.estimators is None else self.estimators


@dataclass(frozen=True)
class NoChoice:
    """An earlier run chose no candidate: the cell fails, and the others run."""

    reason: str
    """Why, as its row says it."""

    @property
    def identity(self) -> object:
        """What results depend on: with another file, the cell has another key."""
        return None


@dataclass(frozen=True)
class PlannedSearch:
    """A search for parameters."""

    grid: list[Point]
    """The candidates, as plain values."""
    scoring: str
    """The metric that decides."""
    scope: str
    """``every-split``, or ``first-split``: all splits use the parameters found on the first."""
    others: tuple[str, ...] = ()
    """More metrics. By each the best candidate is chosen, and each is that of its own model."""
    patience: int | None = None
    halving: int | None = None
    """See :func:`mlbench.protocol.tuning.tune` for both."""
    estimators: list[object] | None = field(default=None, repr=False)
    """The identities of the candidates, if the grid contains estimators."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """All metrics that decide, the first first."""
        return self.scoring, *self.others

    def split(self, index: int) -> int:
        """Return the number of the split whose training part is searched."""
        return 0 if self.scope == "first-split" else index

    def candidate(self, index: int) -> ChosenPoint:
        """Return a candidate as a fixed choice."""
        return ChosenPoint(self.grid[index], self.estimators and self.estimators[index])

    @cached_property
    def canonical_identity(self) -> str:
        """The identity as canonical JSON."""
        return hashing.canonical_json(self.identity)

    @cached_property
    def identity(self) -> dict[str, object]:
        """What the search depends on, as plain values."""
        optional = {
            "patience": self.patience,
            "halving": self.halving and {"factor": self.halving, "least_rows": LEAST_ROWS},
            "estimators": self.estimators,
        }
        return {
            "grid": without_types(self.grid),
            "scoring": [*self.metrics] if self.others else self.scoring,
            "scope": self.scope,
            **{name: value for name, value in optional.items() if value is not None},
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Cell:
    """One method on one split of one data set."""

    data: PlannedDataset
    splitter: Splitter
    split: int
    """The number of the split."""
    planned_method: PlannedMethod
    tuning: PlannedSearch | None
    chosen: ChosenPoint | NoChoice | None = None
    """The candidate that an earlier run chose; it replaces the search."""
    chosen_by: Mapping[str, ChosenPoint] = field(default_factory=dict)
    """By metric, where several decide: the candidates that it chose, the first included."""
    folds: int | None
    """The number of folds inside the training part, or None if the cell needs none."""
    stratify_folds: Stratify | None = None
    """What is spread evenly over these folds."""
    steps: tuple[str, ...]
    """The preprocessing of features."""
    threshold: str
    """The policy that turns scores into labels."""
    threshold_for_f1: bool = False
    """Whether the policy is for F1 and its kind alone, and a method's own labels for the rest."""
    threads: int = 1
    """BLAS threads. They are part of the key, because sums in another order can change scores."""
    limits: Limits = field(default_factory=Limits)
    keep_predictions: bool | KeepBest = False
    metrics: tuple[PlannedMetric, ...] = ()
    """The metrics to compute in addition to those of every row."""
    judged_by: tuple[str, ...] = ()
    """The metrics by which the experiment compares methods. A search keeps the scores by each."""
    shares_search: bool = False
    """Whether another cell of the plan needs the same search."""
    after: str | None = None
    """The key of the cell that runs the shared search, or None if this cell does."""
    key: str = field(init=False)
    """The hash of the identity."""

    def __post_init__(self) -> None:
        texts = {"method": self.planned_method.canonical_identity}
        if self.tuning is not None:
            texts["tuning"] = self.tuning.canonical_identity
        object.__setattr__(self, "key", key_of(self.identity, texts))

    @property
    def dataset(self) -> str:
        """The name of the data set in tables."""
        return self.data.name

    @property
    def method(self) -> str:
        """The name of the method in tables."""
        return self.planned_method.name

    @property
    def code(self) -> dict[str, str]:
        """The provenance of the method's classes and of user metrics; it is not in the key."""
        metrics = {metric.name: metric.code for metric in self.metrics if metric.code}
        return {**self.planned_method.code, **metrics}

    @property
    def name(self) -> str:
        """The cell as people write it: ``data set/method/split``."""
        return f"{self.dataset}/{self.method}/{self.split}"

    @property
    def identity(self) -> dict[str, Plain]:
        """Everything that the result depends on, and nothing else."""
        threshold = threshold_identity(self.threshold)
        identity = {
            "revision": PROTOCOL_REVISION,
            "dataset": {"name": self.data.canonical, "fingerprint": self.data.fingerprint},
            **self.splitter.identity(self.split),
            "preprocess": list(self.steps),
            "method": self.planned_method.identity,
            "tuning": None if self.tuning is None else self.tuning.identity,
            **({"chosen": self._chosen_identity} if self.chosen else {}),
            "threshold": {"f1": threshold} if self.threshold_for_f1 else threshold,
            "folds": self.folds,
            **({"stratify_folds": self.stratify_folds} if self.stratify_folds else {}),
            **revision_of(self.stratify_folds),
            **({"threads": self.threads} if self.threads > 1 else {}),
            **({"metrics": [metric.identity for metric in self.metrics]} if self.metrics else {}),
        }
        return cast("dict[str, Plain]", identity)

    @property
    def _chosen_identity(self) -> object:
        assert self.chosen is not None
        if not self.chosen_by:
            return self.chosen.identity
        return [[metric, point.identity] for metric, point in self.chosen_by.items()]

    @property
    def search(self) -> str | None:
        """The name of the search, which several cells may share."""
        return None if self.tuning is None else search_key(self.identity)


def without_parameters(cells: Iterable[Cell]) -> str:
    """Say of which cells an earlier run chose no parameters; empty if it chose all."""
    reasons = [cell.chosen.reason for cell in cells if isinstance(cell.chosen, NoChoice)]
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return reasons[0] + more if reasons else ""


def threshold_identity(name: str) -> str | dict[str, object]:
    """Return the name of a policy, with its revision if that is not 1."""
    revision = POLICIES[name].revision if name in POLICIES else 1
    return name if revision == 1 else {"policy": name, "revision": revision}


@dataclass(frozen=True)
class Plan:
    """The cells of an experiment, in the order of the file, and what reports need to know."""

    experiment: ExperimentConfig
    cells: list[Cell]
    facts: dict[str, DatasetFacts]
    n_splits: int
    user_metrics: tuple[dict[str, Any], ...] = ()

    def as_plain(self) -> dict[str, object]:
        """Return the plan as the results folder keeps it."""
        return {
            "experiment": self.experiment.model_dump(mode="json", by_alias=True),
            "n_splits": self.n_splits,
            "datasets": {name: asdict(facts) for name, facts in self.facts.items()},
            "methods": list(self.experiment.methods),
            "cells": [[cell.dataset, cell.method, cell.split, cell.key] for cell in self.cells],
            **({"user_metrics": list(self.user_metrics)} if self.user_metrics else {}),
        }
