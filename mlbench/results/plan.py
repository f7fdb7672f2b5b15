"""The plan of a results folder: the experiment, its data sets and its cells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    ValidationError,
    model_validator,
)

from mlbench.config.schema import ExperimentConfig, Limits
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import StoreError
from mlbench.metrics import Metric
from mlbench.results.origin import Origin
from mlbench.store import Store, Summary
from mlbench.store.paths import is_key
from mlbench.store.plain_values import gc_paused


class PlannedCell(NamedTuple):
    """A cell by its names in tables, and the key of its row."""

    dataset: str
    method: str
    split: int
    key: str


_SLACK = 1.1
"""How many times its limit a cell may seem to take, as clocks and samples of memory differ."""


def beyond_limit(row: Summary, limits: Limits) -> str:
    """Say which limit of today a result is beyond; empty if none.

    It ran under a higher one, or in several tries, which resume from the folds of its search.
    """
    if not row.is_ok:
        return ""
    for name, used, unit in (
        ("time", row.seconds.get("total", 0.0), "s"),
        ("memory", row.peak_memory_mb or 0.0, "MB"),
    ):
        most = getattr(limits, name)
        if most is not None and used > _SLACK * most:
            return f"took {used:.4g} {unit}, and `limits.{name}` is {most:g} {unit}"
    return ""


def _own_metric(value: Any) -> Metric:
    try:
        return Metric.from_plain(value)
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"not a metric ({type(error).__name__}: {error})") from None


OwnMetric = Annotated[Metric, PlainValidator(_own_metric), PlainSerializer(Metric.as_plain)]


class StoredPlan(BaseModel):
    """The content of ``plan.json``."""

    model_config = ConfigDict(frozen=True, strict=True)

    experiment: ExperimentConfig
    n_splits: int = Field(ge=1)
    datasets: dict[str, DatasetFacts]
    """By their names in tables, in the order of the experiment."""
    methods: tuple[str, ...]
    """Their names in tables, in the order of the experiment."""
    cells: tuple[PlannedCell, ...]
    """Those to run here."""
    user_metrics: tuple[OwnMetric, ...] = ()
    """The user's metrics as the run declared them; they cannot be computed."""
    folder: str | None = None
    """The folder of the experiment, as seen from the results folder, where it is known."""
    taken_over: tuple[Origin, ...] = ()
    """Exports whose cells count as well; they stand in a file beside the plan."""

    @model_validator(mode="after")
    def _of_one_piece(self) -> StoredPlan:
        """Refuse names that the experiment does not have, and keys that could be paths."""
        if not self.cells and not self.taken_over:
            raise ValueError("cells: there are none")
        if len(self.datasets) != len(self.experiment.datasets):
            raise ValueError("its data sets are not those of its experiment")
        if set(self.methods) != set(self.experiment.methods):
            raise ValueError("its methods are not those of its experiment")
        methods = set(self.methods)
        for dataset, method, split, key in self.cells:
            if dataset not in self.datasets or method not in methods:
                raise ValueError(f"a cell of unknown data or method: {dataset}/{method}")
            if not is_key(key):
                raise ValueError(f"not the split and key of a cell: {split!r}, {key!r}")
        return self

    @property
    def not_run(self) -> frozenset[tuple[str, str]]:
        """Data set and method of the pairs that the experiment leaves out."""
        methods = self.experiment.methods.items()
        return frozenset((name, method) for method, each in methods for name in each.not_on)

    @property
    def limits(self) -> dict[str, Limits]:
        """Of each method; a stored plan has null for a limit that the method leaves to all."""
        found = {}
        for name in self.methods:
            own = self.experiment.methods[name].limits
            stated = {key: value for key, value in own or () if value is not None}
            found[name] = self.experiment.limits.model_copy(update=stated)
        return found

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> StoredPlan:
        """Return a plan from the plain values of its file.

        Raises
        ------
        ValueError
            If they are not those of a plan.
        """
        return cls.model_validate_json(json.dumps(plain))

    @classmethod
    @gc_paused()
    def read(cls, store: Store) -> StoredPlan:
        """Read the plan of a results folder.

        Raises
        ------
        StoreError
            If the folder holds no results, or its plan is damaged.
        """
        plain = store.read_plan()
        try:
            return cls.from_plain(plain)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            problem = first["msg"].removeprefix("Value error, ")
            told = f"{place}: {problem}" if place else problem
            raise StoreError(
                f"{store.root / 'plan.json'}: damaged ({told[:200]}); "
                "`mlbench run` on the same folder writes it again"
            ) from None

    def as_plain(self) -> dict[str, Any]:
        """Return the plain values that :meth:`mlbench.store.Store.write_plan` takes."""
        optional = {
            "user_metrics": self.user_metrics,
            "folder": self.folder,
            "taken_over": self.taken_over,
        }
        unset = {name for name, value in optional.items() if not value}
        return self.model_dump(mode="json", by_alias=True, exclude=unset)
