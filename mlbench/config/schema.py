"""The experiment file as typed models."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from mlbench import plugins
from mlbench.config.acceptance import Audit
from mlbench.config.base import BaseEntry
from mlbench.config.comparison import Comparison
from mlbench.config.datasets import DatasetField, DatasetReference
from mlbench.config.fields import (
    EACH,
    ForF1,
    GridField,
    KeepPredictions,
    Megabytes,
    Metrics,
    OneOrMore,
    OrAlone,
    RandomSearch,
    Scoring,
    Seconds,
    Steps,
    ThresholdPolicy,
    by_use,
)
from mlbench.config.grids import Distribution, combinations, drawn
from mlbench.config.splits import STRATIFY, RandomSplits, Splits
from mlbench.config.strict_model import StrictModel
from mlbench.errors import MlbenchError
from mlbench.metrics import Metric, get_metric
from mlbench.options import (
    FRAME,
    Input,
    Stratify,
    Threshold,
    Unit,
    is_published_file,
)
from mlbench.spelling import did_you_mean


class Tuning(StrictModel):
    """Cross-validation inside the training part."""

    folds: int = Field(5, ge=2, le=1000)
    stratify: Stratify | None = STRATIFY
    scope: Literal["every-split", "first-split"] = "every-split"
    scoring: Scoring = Field(
        "macro_f1",
        description="the metric that tuning maximizes (or minimizes, for losses); of a list, or of "
        "`each` metric shown, each shows the model that was tuned by it",
    )
    draws: RandomSearch | None = Field(
        None, description="random search: how many candidates to draw instead of whole grids"
    )
    halving: int | None = Field(
        None,
        ge=2,
        le=100,
        description="successive halving: each round keeps one in so many candidates",
    )
    patience: int | None = Field(
        None, ge=1, description="stop after this many candidates in a row without gain"
    )
    params: str | None = Field(
        None,
        min_length=1,
        description="no search: the CSV file of the parameters that an earlier run chose, as "
        "`mlbench export --what params` prints them",
    )

    @model_validator(mode="after")
    def _ends_in_one_way(self) -> Self:
        if self.halving is not None and self.patience is not None:
            raise ValueError("patience and halving are two ways to end a search; keep one")
        return self


class Protocol(StrictModel):
    """Splits, preprocessing, tuning and thresholds."""

    splits: Splits = Field(default_factory=RandomSplits)
    tuning: Tuning = Field(default_factory=Tuning)
    preprocess: Steps = ()
    threshold: ThresholdPolicy = "default"

    @field_validator("splits", mode="before")
    @classmethod
    def _random_by_default(cls, value: object) -> object:
        return {"kind": "random", **value} if isinstance(value, dict) else value


class Limits(StrictModel):
    """Limits of one cell, and of failures in a row."""

    time: Seconds | None = None
    memory: Megabytes | None = None
    failures: int | None = Field(
        None,
        ge=1,
        le=10_000,
        description="cells of a method on a data set that may fail in a row; the rest is given up",
    )


MAX_GRID = 100_000


class Method(BaseModel):
    """A method with its fixed parameters and the grids of the tuned ones."""

    model_config = ConfigDict(extra="allow", frozen=True)

    use: str = Field(min_length=1, description="a short name, a dotted name, or path.py:Class")
    tune: dict[str, GridField] = Field(default_factory=dict)
    scoring: Scoring | None = None
    draws: RandomSearch | None = None
    threshold: ThresholdPolicy | None = None
    preprocess: Steps | None = None
    input: Input | None = Field(
        None,
        description="frame: the columns of the data as a data frame, not yet encoded or prepared",
    )
    limits: Limits | None = None
    not_on: OneOrMore[str] = Field(
        default_factory=list,
        description="data sets, by their names in tables, on which the method is not run",
    )
    params: dict[str, Any] = Field(
        default_factory=dict, description="parameters with the name of a key, such as `tune`"
    )

    @property
    def parameters(self) -> dict[str, Any]:
        """All fixed parameters."""
        return {**(self.model_extra or {}), **self.params}

    @property
    def candidates(self) -> list[dict[str, object]]:
        """The points of the search (with the draws filled in)."""
        if self.draws is not None:
            return drawn(self.tune, self.draws.number, self.draws.seed)
        return combinations({name: list(grid) for name, grid in self.tune.items()})

    @property
    def searched_by(self) -> tuple[str, ...]:
        """The metrics of the search, by their names in results (with `each` filled in)."""
        scoring = self.scoring or ()
        names = (scoring,) if isinstance(scoring, str) else scoring
        known = [(_known(name), name) for name in names]
        return tuple(dict.fromkeys(metric.name if metric else name for metric, name in known))

    @property
    def needs_folds(self) -> bool:
        """Whether the training part is divided into folds (with the threshold filled in)."""
        return bool(self.tune) or self.policy == "cv_f1_label"

    @property
    def policy(self) -> Threshold:
        """The rule that turns scores into labels (with the threshold filled in)."""
        threshold = self.threshold or "default"
        return threshold.f1 if isinstance(threshold, ForF1) else threshold

    @model_validator(mode="after")
    def _prepares_its_frame(self) -> Method:
        if self.input == "frame" and self.preprocess:
            raise ValueError(
                "input: frame hands the columns over as they are, so preprocess has no place here; "
                "take it out, and prepare them in the method"
            )
        return self

    @field_validator("tune")
    @classmethod
    def _can_be_searched(cls, grids: dict[str, GridField]) -> dict[str, GridField]:
        lists = [grid for grid in grids.values() if not isinstance(grid, Distribution)]
        if (size := math.prod(map(len, lists))) > MAX_GRID:
            raise ValueError(
                f"a grid of {size} points (the product of {', '.join(grids)}) is more than can be "
                f"searched; the most is {MAX_GRID}"
            )
        return grids


QUICK = "-quick"
"""What a first try adds to the name of an experiment."""

METHOD_WORDS = tuple(Method.model_fields)
"""The keys of a method that are not parameters."""


MethodEntry = Annotated[Method, by_use("a method is a name"), OrAlone({"type": "string"})]


class Report(StrictModel):
    """How numbers are printed."""

    unit: Unit = "percent"
    decimals: int | None = Field(
        None, ge=0, le=10, description="by default 2 in percent, 4 for fractions, 3 for others"
    )
    metrics: Metrics | None = Field(
        None, min_length=1, description="metrics of the tables; default: all of the experiment"
    )


MAX_METHODS = 10_000
DEFAULT_METRICS = ("macro_f1", "micro_f1", "macro_auc")


def _base_or_datasets(schema: dict[str, Any]) -> None:
    """Let an experiment with a base have no data sets of its own in the file."""
    schema["required"].remove("datasets")
    schema["anyOf"] = [{"required": ["datasets"]}, {"required": ["base"]}]


class ExperimentConfig(StrictModel):
    """Data sets, splits and methods, and how their results are reported."""

    model_config = ConfigDict(title="Experiment", json_schema_extra=_base_or_datasets)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    title: str | None = None
    description: str | None = None
    base: BaseEntry | None = Field(
        None,
        description="published results that the methods are compared with; data sets, protocol, "
        "metrics and limits are theirs",
    )
    datasets: list[DatasetField] = Field(min_length=1)
    protocol: Protocol = Field(default_factory=Protocol)
    methods: dict[str, MethodEntry] = Field(min_length=1)
    metrics: Metrics = Field(default_factory=lambda: list(DEFAULT_METRICS), min_length=1)
    tests: OneOrMore[Comparison] = Field(default_factory=list)
    limits: Limits = Field(default_factory=Limits)
    report: Report = Field(default_factory=Report)
    audit: Audit = Field(default_factory=Audit)
    published: str | None = Field(
        None,
        description="the paper that the results are compared with, or a CSV file of printed values",
        json_schema_extra=lambda schema: schema.update(examples=[*plugins.names(plugins.PAPERS)]),
    )
    claims: str | None = Field(
        None,
        min_length=1,
        description="a YAML file of what a paper claims, for mlbench paper claims",
    )
    keep_predictions: KeepPredictions = Field(
        False,
        description="{top: 10} keeps the 10 best scores of each row; for thousands of labels",
    )
    quick: dict[str, Any] | None = Field(
        None,
        min_length=1,
        description="for --quick: keys with dots, and the values that a first try has instead",
    )
    threads: int = Field(
        1,
        ge=1,
        le=1024,
        description="BLAS threads of one worker; scores can depend on it, so keys do too",
    )

    @property
    def is_quick(self) -> bool:
        """Whether it is a first try, with the values that the whole one lists under ``quick:``."""
        return self.name.endswith(QUICK)

    @model_validator(mode="before")
    @classmethod
    def _data_have_times(cls, value: Any) -> Any:
        """Let data sets that state no time of their own have that of splits in time order."""
        try:
            splits, datasets = value["protocol"]["splits"], value["datasets"]
            if splits["kind"] != "time" or not isinstance(splits["by"], str):
                return value
        except (TypeError, LookupError):
            return value
        if not isinstance(datasets, list):
            return value
        known = [
            {"use": each} if isinstance(each, str) else {**each} if isinstance(each, dict) else each
            for each in datasets
        ]
        for each in known:
            if isinstance(each, dict):
                each.setdefault("time", splits["by"])
        return {**value, "datasets": known}

    @field_validator("methods", mode="before")
    @classmethod
    def _have_names(cls, methods: object) -> object:
        if isinstance(methods, dict):
            if len(methods) > MAX_METHODS:
                raise ValueError(f"there are {len(methods)} methods; the most is {MAX_METHODS}")
            if not all(map(_is_visible, map(str, methods))):
                raise ValueError("a method has an empty name; write a name before the colon")
            if lines := [name for name in map(str, methods) if len(name.splitlines()) > 1]:
                raise ValueError(f"the name of a method is one line, not {lines[0]!r}")
        return methods

    @field_validator("published")
    @classmethod
    def _is_paper_or_file(cls, published: str | None) -> str | None:
        papers = plugins.names(plugins.PAPERS)
        if published is None or published in papers or is_published_file(published):
            return published
        raise ValueError(
            f"{published!r} is neither a paper ({', '.join(papers)}) nor a CSV file of printed "
            f"values{did_you_mean(published, papers)}"
        )

    def splits_of(self, dataset: DatasetReference) -> Splits:
        """Return the protocol's splits with the training part that a data set states."""
        splits = self.protocol.splits
        if dataset.train is None or "train" not in type(splits).model_fields:
            return splits
        return splits.model_copy(update={"train": dataset.train})

    @property
    def judged_metrics(self) -> tuple[str, ...]:
        """The metrics by which methods are compared, by their names in results."""
        known = [(_known(name), name) for name in self.metrics]
        return tuple(
            dict.fromkeys(
                metric.name if metric else name
                for metric, name in known
                if metric is None or metric.is_quality
            )
        )

    def metrics_of(self, scoring: str | tuple[str, ...]) -> tuple[str, ...]:
        """Return the metrics of a search (with `each` filled in)."""
        names = (scoring,) if isinstance(scoring, str) else scoring
        return self.judged_metrics if scoring == EACH else names

    def settings_of(self, method: str) -> Method:
        """Return a method with the experiment's defaults filled in, limit by limit."""
        own = self.methods[method]
        scoring = own.scoring or self.protocol.tuning.scoring
        limits = {name: getattr(own.limits, name) for name in _given(own.limits)}
        return own.model_copy(
            update={
                "scoring": self.metrics_of(scoring) if scoring == EACH else scoring,
                "draws": own.draws or self.protocol.tuning.draws,
                "threshold": own.threshold or self.protocol.threshold,
                "preprocess": self._preprocess_of(own),
                "limits": self.limits.model_copy(update=limits),
            }
        )

    def _preprocess_of(self, method: Method) -> tuple[str, ...]:
        if method.input == "frame":
            return (FRAME,)
        return method.preprocess if method.preprocess is not None else self.protocol.preprocess


def _is_visible(text: str) -> bool:
    return any(character.isprintable() and not character.isspace() for character in text)


def _known(metric: str) -> Metric | None:
    """Return a built-in metric, or None for another name: a metric of the user's own."""
    try:
        return get_metric(metric)
    except MlbenchError:
        return None


def _given(model: BaseModel | None) -> set[str]:
    return set() if model is None else model.model_fields_set
