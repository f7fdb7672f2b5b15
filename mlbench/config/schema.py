"""The experiment file as typed models."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    WithJsonSchema,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema

from mlbench.config.grids import NAMED_GRIDS, RANGES, expand
from mlbench.config.quantities import megabytes, seconds
from mlbench.data.own_files import is_path, own_name

Threshold = Literal["native", "train_f1_global", "train_f1_label", "cv_f1_label"]
Test = Literal["t", "corrected_t", "two_sample_t", "wilcoxon", "wilcoxon_normal"]
EffectSize = Literal["difference", "cohen_d", "a12", "cliffs_delta"]
OverDatasets = Literal["ranks", "wins"]
Step = Literal["impute", "standardize", "minmax", "unit-norm", "dense"]

_BOUNDS = {"type": "array", "minItems": 3, "maxItems": 3}
_GRID_SCHEMA = {
    "anyOf": [
        {"type": "array", "minItems": 1},
        {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "properties": dict.fromkeys(RANGES, _BOUNDS),
            "additionalProperties": False,
        },
        {"enum": sorted(NAMED_GRIDS)},
    ]
}


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _as_steps(value: Any) -> Any:
    if value is None or value == "none":
        return ()
    steps = [value] if isinstance(value, str) else value
    if not isinstance(steps, list | tuple):
        raise ValueError(f"preprocessing is a step or a list of steps, not {value!r}")
    for i, step in enumerate(steps):
        if step in steps[:i]:
            raise ValueError(f"the step {step!r} stands twice")
    return tuple(steps)


def _as_number(value: Any) -> Any:
    """Keep counts and fractions apart: 1000 is rows, 0.6 is a share; true is neither."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(
            f"give a share between 0 and 1 (0.6) or a number of samples (1000), not {value!r}"
        )
    if isinstance(value, float) and not 0 < value < 1:
        raise ValueError(f"a share lies strictly between 0 and 1, not {value!r}")
    if isinstance(value, int) and value < 1:
        raise ValueError(f"a number of samples is at least 1, not {value!r}")
    return value


Grid = Annotated[list[Any], BeforeValidator(expand), WithJsonSchema(_GRID_SCHEMA)]
Steps = Annotated[
    tuple[Step, ...],
    BeforeValidator(_as_steps),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": [*get_args(Step), "none", None]},
                {"type": "array", "items": {"enum": list(get_args(Step))}},
            ]
        }
    ),
]
Part = Annotated[
    int | float,
    BeforeValidator(_as_number),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0}),
]
Seconds = Annotated[float, BeforeValidator(seconds), WithJsonSchema({"type": ["number", "string"]})]
Megabytes = Annotated[float, BeforeValidator(megabytes), WithJsonSchema({"type": "string"})]
Seed = Annotated[int, Field(ge=0, lt=2**32)]


class Imbalance(_Model):
    """Samples of every task drawn with replacement, with a stated share of positives."""

    ratio: float = Field(gt=0, allow_inf_nan=False, description="negatives per positive")


class DatasetReference(BaseModel):
    """A data set by name, with the subset that is meant."""

    model_config = ConfigDict(extra="allow", frozen=True)

    use: str = Field(min_length=1, description="a name from `mlbench data list`, or a path")
    alias: str | None = Field(None, alias="as", description="the name in tables")
    imbalance: Imbalance | None = None
    train: Part | None = Field(None, description="the training part, if not the protocol's")

    @property
    def options(self) -> dict[str, Any]:
        """The subset and the generator's parameters."""
        return dict(self.model_extra or {})

    def resolved(self, folder: Path) -> str | dict[str, Any]:
        """Return what `mlbench.load_dataset` takes; a relative path starts in the folder."""
        use = self.use
        if is_path(use) and not use.startswith("~"):
            use = str(folder / use)
        return {"use": use, **self.options} if self.options else use

    @property
    def canonical(self) -> str:
        """A name for exactly this data: the same for every way of writing it.

        It does not tell of an imbalance: the data are the same, and divided in the same way.
        A path is known by the file's own name, so that it may be written in any way, and the
        file may move.
        """
        name = (own_name(self.use) or self.use) if is_path(self.use) else self.use
        options = ",".join(f"{key}={self.options[key]}" for key in sorted(self.options))
        return f"{name}[{options}]" if options else name

    @property
    def display(self) -> str:
        """The name in tables."""
        if self.alias:
            return self.alias
        name = self.canonical
        if self.imbalance is not None:
            name += f"[imbalance=1:{self.imbalance.ratio:g}]"
        if self.train is not None:
            name += f"[train={self.train:g}]"
        return name


DATASET_WORDS = tuple(field.alias or name for name, field in DatasetReference.model_fields.items())
"""The keys of a data set that say nothing of its subset."""


def _as_dataset(value: Any) -> Any:
    if isinstance(value, str):
        return {"use": value}
    if not isinstance(value, dict):
        raise ValueError(f"a data set is a name or {{use: name, ...}}, not {value!r}")
    return value


Dataset = Annotated[
    DatasetReference,
    BeforeValidator(_as_dataset),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "required": ["use"],
                    "properties": {
                        "use": {"type": "string"},
                        "as": {"type": "string"},
                        "imbalance": {
                            "type": "object",
                            "required": ["ratio"],
                            "properties": {"ratio": {"type": "number", "exclusiveMinimum": 0}},
                            "additionalProperties": False,
                        },
                        "train": {"type": "number", "exclusiveMinimum": 0},
                        "labels": {"type": "integer", "minimum": 1},
                        "rows": {"type": "integer", "minimum": 1},
                        "min_positives": {"type": "integer", "minimum": 0},
                        "seed": {"type": "integer", "minimum": 0},
                        "missing": {"enum": ["refuse", "keep"]},
                        "row_ids": {"enum": ["refuse", "keep"]},
                        "ignore": {"type": "array", "items": {"type": "string"}},
                    },
                },
            ]
        }
    ),
]


class RandomSplits(_Model):
    """Repeated random partitions into a training and a test part."""

    kind: Literal["random"] = "random"
    train: Part = Field(0.6, description="a share, or a number of samples")
    test: Part | None = Field(None, description="all the others, if not given")
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


class KFoldSplits(_Model):
    """Repeated k-fold cross-validation: every fold is a test part once."""

    kind: Literal["kfold"]
    folds: int = Field(10, ge=2, le=10_000)
    repeats: int = Field(1, ge=1, le=10_000)
    seed: Seed = 0

    @property
    def number(self) -> int:
        """How many splits there are."""
        return self.folds * self.repeats


class PublishedSplit(_Model):
    """The training and test part that the data set was published with."""

    kind: Literal["published"]
    seed: Seed = 0

    @property
    def number(self) -> int:
        """How many splits there are."""
        return 1


class TransferSplits(_Model):
    """A projection learned on some rows and labels, for the same labels or for all others."""

    kind: Literal["transfer"]
    projection: Part = Field(description="rows of the projection: a share, or a number of samples")
    seen: int = Field(ge=1, description="labels of the projection, drawn at random each time")
    learn: Literal["seen", "unseen"] = Field(description="the labels that are learned and scored")
    folds: int | None = Field(
        None, ge=2, le=10_000, description="of the other rows; unseen labels are learned from one"
    )
    repeats: int = Field(10, ge=1, le=10_000)
    seed: Seed = 0

    @model_validator(mode="after")
    def _folds_of_unseen_labels(self) -> TransferSplits:
        if self.learn == "unseen" and self.folds is None:
            raise ValueError("learn: unseen learns from one fold of the other rows: add folds: 5")
        if self.learn == "seen" and self.folds is not None:
            raise ValueError(
                "learn: seen learns from the rows of the projection and tests on all others: "
                "leave folds out"
            )
        return self

    @property
    def number(self) -> int:
        """How many splits there are."""
        return (self.folds or 1) * self.repeats


class RatingSplits(_Model):
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


class Tuning(_Model):
    """Cross-validation inside the training part."""

    folds: int = Field(5, ge=2, le=1000)
    scope: Literal["every-split", "first-split"] = "every-split"
    select: str = Field("macro_f1", description="the metric that chooses")
    patience: int | None = Field(
        None, ge=1, description="stop after so many candidates in a row without gain"
    )


class Protocol(_Model):
    """How data is divided, prepared and tuned."""

    splits: Splits = Field(default_factory=RandomSplits, discriminator="kind")
    tuning: Tuning = Field(default_factory=Tuning)
    preprocess: Steps = ()
    threshold: Threshold = "native"

    @field_validator("splits", mode="before")
    @classmethod
    def _random_by_default(cls, value: Any) -> Any:
        return {"kind": "random", **value} if isinstance(value, dict) else value


class Limits(_Model):
    """What one cell may take."""

    time: Seconds | None = None
    memory: Megabytes | None = None


class Method(BaseModel):
    """A method with fixed parameters, and the grids of those that are tuned."""

    model_config = ConfigDict(extra="allow", frozen=True)

    use: str = Field(min_length=1, description="a short name, a dotted name, or path.py:Class")
    tune: dict[str, Grid] = Field(default_factory=dict)
    select: str | None = None
    threshold: Threshold | None = None
    preprocess: Steps | None = None
    limits: Limits | None = None
    params: dict[str, Any] = Field(
        default_factory=dict, description="for parameters whose names are taken, such as `tune`"
    )

    @property
    def parameters(self) -> dict[str, Any]:
        """All fixed parameters."""
        return {**(self.model_extra or {}), **self.params}

    @property
    def needs_folds(self) -> bool:
        """Whether the training part is divided into folds, the threshold being filled in."""
        return bool(self.tune) or self.threshold == "cv_f1_label"


METHOD_WORDS = tuple(Method.model_fields)
"""The keys of a method that are not parameters."""


def _as_method(value: Any) -> Any:
    if isinstance(value, str):
        return {"use": value}
    if not isinstance(value, dict):
        raise ValueError(f"a method is a name or {{use: name, ...}}, not {value!r}")
    return value


class _OrName:
    """Says in the JSON schema that a name alone will do."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"anyOf": [{"type": "string"}, handler(schema)]}


MethodEntry = Annotated[Method, BeforeValidator(_as_method), _OrName()]


class Comparison(_Model):
    """One method against others, with the tests that are wanted."""

    method: str
    against: list[str] | None = Field(None, description="all the others, if not given")
    tests: list[Test] = Field(
        default_factory=lambda: list[Test](["corrected_t", "t", "wilcoxon"]), min_length=1
    )
    correction: Literal["holm", "none"] = "holm"
    effect: list[EffectSize] = Field(
        default_factory=lambda: list[EffectSize](), description="how large differences are"
    )
    over_datasets: list[OverDatasets] = Field(
        default_factory=lambda: list[OverDatasets](),
        description="mean ranks with Friedman's test; wins and losses with Wilcoxon's test",
    )
    layout: Literal["long", "wide"] = Field(
        "long", description="a table per metric, or a table per test with a row per method"
    )


class Report(_Model):
    """How numbers are printed."""

    unit: Literal["percent", "fraction"] = "percent"
    decimals: int = Field(2, ge=0, le=10)


class Experiment(_Model):
    """A table of data sets, splits and methods, and how it is to be filled and read."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$")
    title: str | None = None
    description: str | None = None
    datasets: list[Dataset] = Field(min_length=1)
    protocol: Protocol = Field(default_factory=Protocol)
    methods: dict[str, MethodEntry] = Field(min_length=1)
    metrics: list[str] = Field(
        default_factory=lambda: ["macro_f1", "micro_f1", "macro_auc"], min_length=1
    )
    compare: list[Comparison] = Field(default_factory=list)
    limits: Limits = Field(default_factory=Limits)
    report: Report = Field(default_factory=Report)
    published: Literal["ke", "han2010", "ji2009", "nam", "yu2005"] | None = Field(
        None, description="the paper whose printed figures belong here"
    )
    keep_predictions: bool = False
    threads: int = Field(1, ge=1, le=1024, description="BLAS threads of one worker")

    def splits_of(self, dataset: DatasetReference) -> Splits:
        """Return the protocol's splits with the training part that a data set states."""
        splits = self.protocol.splits
        if dataset.train is None or not isinstance(splits, RandomSplits):
            return splits
        return splits.model_copy(update={"train": dataset.train})

    def settings_of(self, method: str) -> Method:
        """Return a method with the experiment's defaults filled in, limit by limit."""
        own = self.methods[method]
        limits = {name: getattr(own.limits, name) for name in _given(own.limits)}
        return own.model_copy(
            update={
                "select": own.select or self.protocol.tuning.select,
                "threshold": own.threshold or self.protocol.threshold,
                "preprocess": (
                    own.preprocess if own.preprocess is not None else self.protocol.preprocess
                ),
                "limits": self.limits.model_copy(update=limits),
            }
        )


def _given(model: BaseModel | None) -> set[str]:
    return set() if model is None else model.model_fields_set
