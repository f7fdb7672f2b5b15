"""What cells are made of: data, methods and searches, as an experiment states them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sklearn.base import BaseEstimator

from mlbench.hashing import canonical_json, seed_from
from mlbench.methods.large_arrays import LargeArray
from mlbench.methods.parameters import set_seed
from mlbench.metrics import Metric
from mlbench.metrics.user_metrics import load_metric
from mlbench.protocol.arrays import Point
from mlbench.registry import make_method, method_parameters


@dataclass(frozen=True)
class DatasetSpec:
    """A data set."""

    name: str
    """Its name in tables."""
    reference: str | dict[str, object]
    """What :func:`mlbench.data.load_dataset` takes."""
    canonical: str
    """The name of exactly this data, however it was written; all random draws depend on it."""
    fingerprint: str
    """SHA-256 of its content."""


@dataclass(frozen=True)
class MethodSpec:
    """A method with its fixed parameters."""

    name: str
    """Its name in tables."""
    use: str
    """What it is found by: a short name, a dotted name, or ``path.py:Class``."""
    parameters: Mapping[str, object]
    folder: Path
    """Where relative paths start."""
    identity: dict[str, object] = field(repr=False)
    """The method as its results depend on it; see :func:`mlbench.plan.identity.method_identity`."""
    code: dict[str, str] = field(repr=False)
    """The provenance of every class in the method: told beside results."""
    large_arrays: tuple[LargeArray, ...] = ()
    """What a fit holds in memory beside the data."""

    @cached_property
    def canonical_identity(self) -> str:
        """The identity as canonical JSON."""
        return canonical_json(self.identity)

    def make(self) -> BaseEstimator:
        """Return a new, unfitted estimator."""
        return make_method(self.use, self.folder, **self.parameters)

    def translate(self, point: Mapping[str, object]) -> Point:
        """Return a grid point as the estimator's ``set_params`` takes it."""
        return method_parameters(self.use, point, self.folder)

    def seed(self, axes: tuple[str | int, ...]) -> int:
        """Return the seed of the method on a split that has these axes."""
        return seed_from("method", *axes, str(self.identity["name"]))

    def model(self, point: Mapping[str, object], seed: int) -> BaseEstimator:
        """Return an unfitted model with the parameters of a grid point."""
        return set_seed(self.make().set_params(**self.translate(point)), seed)


@dataclass(frozen=True)
class MetricSpec:
    """A metric that not every row has: the user's own, or one such as ``precision_at_7``."""

    name: str
    """What it is found by, and its name in results."""
    folder: Path
    """Where relative paths start."""
    identity: dict[str, object] = field(repr=False)
    """The metric as results depend on it."""
    code: str = field(repr=False)
    """The provenance of the user's own code: told beside results."""

    def load(self) -> Metric:
        """Import the metric."""
        return load_metric(self.name, self.folder)


@dataclass(frozen=True)
class ChosenPoint:
    """A candidate that an earlier run chose."""

    point: Point
    estimators: object = None
    """The identity of the candidate, where estimators may stand in it."""

    @property
    def identity(self) -> object:
        """What a result depends on."""
        return self.point if self.estimators is None else self.estimators


@dataclass(frozen=True)
class TuningSpec:
    """A search for parameters."""

    grid: list[Point]
    """The candidates, as plain values."""
    scoring: str
    """The metric that chooses."""
    scope: str
    """``every-split``, or ``first-split``: what is found there serves all."""
    patience: int | None = None
    halving: int | None = None
    """See :func:`mlbench.protocol.tuning.tune` for both."""
    estimators: list[object] | None = field(default=None, repr=False)
    """The identities of the candidates, where estimators stand in the grid."""

    def split(self, own: int) -> int:
        """Return the number of the split whose training part is searched."""
        return 0 if self.scope == "first-split" else own

    def candidate(self, index: int) -> ChosenPoint:
        """Return a candidate by itself."""
        return ChosenPoint(self.grid[index], self.estimators and self.estimators[index])

    @cached_property
    def canonical_identity(self) -> str:
        """The identity as canonical JSON."""
        return canonical_json(self.identity)

    @cached_property
    def identity(self) -> dict[str, object]:
        """What the search depends on, as plain values."""
        optional = {
            "patience": self.patience,
            "halving": self.halving,
            "estimators": self.estimators,
        }
        return {
            "grid": self.grid,
            "scoring": self.scoring,
            "scope": self.scope,
            **{name: value for name, value in optional.items() if value is not None},
        }
