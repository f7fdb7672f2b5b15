"""The row, the result of one cell. Every field is described here, once."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar, cast

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, ValidationInfo
from pydantic.dataclasses import dataclass
from pydantic_core import from_json

from mlbench.hashing import canonical_json, digest, digest_of_parts
from mlbench.store.checksum import DamagedFileError
from mlbench.store.label_scores import Count, LabelScores
from mlbench.store.paths import Key
from mlbench.store.plain_values import INTERNED, InternTable, Plain, interned

SCHEMA: Literal[2] = 2

FailureKind = Literal["error", "invalid", "timeout", "memory", "crash", "data", "given up"]
Status = Literal["ok", FailureKind]
Step = Literal["tune", "fit", "predict", "threshold", "total", "cpu"]
GIVEN_UP: Final = "given up"
LIMITS: dict[Status, str] = {"timeout": "time", "memory": "memory"}
"""The limit of a cell that it ran into, by its status."""
RUNS_AGAIN: tuple[Status, ...] = ("crash", "data")
"""Failures that may have had a cause outside the cell, so that the cell runs again."""

COUNTS_OF_RESULT = (
    "train_samples",
    "test_samples",
    "labels",
    "labels_scored_auc",
    "labels_skipped_f1",
)
"""Counts that the row of every result has."""

STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

Amount = Annotated[float, Field(ge=0, le=1e15)]
Score = Annotated[float, Field(ge=-1e100, le=1e100)]
TextFields = Annotated[dict[str, str], INTERNED]
Value = TypeVar("Value")
Infinite = Annotated[str, Field(pattern="^-?inf$")]
Point = dict[str, Plain]


def check_identity(value: Mapping[str, Any]) -> None:
    """Check the parts of an identity that readers rely on."""
    dataset, split, tuning = (value.get(name) for name in ("dataset", "split", "tuning"))
    if not isinstance(dataset, dict) or not isinstance(dataset.get("fingerprint"), str):
        raise ValueError("dataset is a mapping with the data's fingerprint")
    if not isinstance(split, dict):
        raise ValueError("split is a mapping")
    method = value.get("method", {})
    if not isinstance(method, dict) or not isinstance(method.get("params", {}), dict):
        raise ValueError("method is a mapping, and so are its params")
    if "tuning" not in value or not (tuning is None or isinstance(tuning, dict)):
        raise ValueError("tuning is null or a mapping")
    if tuning is not None and "scope" not in tuning:
        raise ValueError("tuning names its scope")


def _identity(value: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
    """Check an identity, and intern its parts."""
    value = {name: interned(part, info.context) for name, part in value.items()}
    check_identity(value)
    return value


def key_of(identity: Mapping[str, Any], texts: Mapping[str, str] | None = None) -> str:
    """Return the key of a cell: the hash of all that its result depends on.

    Parameters
    ----------
    identity : mapping
    texts : mapping, optional
        The canonical JSON of some of its values, where many cells share them.
    """
    return digest_of_parts(identity, texts or {})


def search_key(identity: Mapping[str, Any]) -> str:
    """Return the name of the search that a cell with tuning does; cells may share it.

    Parameters
    ----------
    identity : mapping
        All that the cell's result depends on. The search does not depend on the thresholds
        afterwards nor, with the scope ``first-split``, on the number of the cell's own split.
    """
    search = {key: value for key, value in identity.items() if key != "threshold"}
    if identity["tuning"]["scope"] == "first-split":
        search["split"] = {**identity["split"], "index": 0}
    return digest(search)


def values_by(metric: str, values: Mapping[str, Value]) -> dict[str, Value]:
    """Return what belongs to the model that was tuned by a metric.

    Parameters
    ----------
    metric : str
    values : mapping
        Tuned parameters, or predictions. Those of the first model have plain names, and
        ``C@macro_auc`` is that of the model tuned by macro AUC, if it is another one.
    """
    first = {name: value for name, value in values.items() if "@" not in name}
    return {name: values.get(f"{name}@{metric}", value) for name, value in first.items()}


if TYPE_CHECKING:
    Grid = list[Point]
    Identity = Mapping[str, Plain]
    Scores = Mapping[str, float | None]
    Seconds = Mapping[Step, float]
    Counts = Mapping[str, int]
else:
    Grid = Annotated[list[dict[str, Any]], INTERNED]
    Identity = Annotated[dict[str, Any], AfterValidator(_identity)]
    Scores = dict[str, Score | None]
    Seconds = dict[Step, Amount]
    Counts = dict[str, Count]


@dataclass(frozen=True, slots=True, config=STRICT)
class Failure:
    """Why a cell has no result."""

    kind: FailureKind
    message: str  # one line
    traceback: str = ""


@dataclass(frozen=True, slots=True, config=STRICT)
class Unconverged:
    """Fits of a search that ended before they converged."""

    fits: Count
    of: Count  # the fits that say whether they converged
    largest_gap: float | None = None


@dataclass(frozen=True, slots=True, config=STRICT)
class EarlyStop:
    """Where a search ended because candidates in a row brought no gain."""

    after: Count
    of: Count
    patience: Count


@dataclass(frozen=True, slots=True, config=STRICT)
class UndefinedScores:
    """Scores of candidates in folds that a search left out, because they were undefined."""

    scores: Count
    of: Count

    @property
    def is_all(self) -> bool:
        """Whether no score is defined, so that there was nothing to choose by."""
        return self.scores == self.of


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class TuningSummary:
    """How the search for a cell's parameters ended."""

    not_converged: Unconverged | None = None
    stopped: EarlyStop | None = None
    undefined: UndefinedScores | None = None


@dataclass(frozen=True, slots=True, config=STRICT)
class TuningRecord(TuningSummary):
    """The search for a cell's parameters."""

    metric: str
    split: Count
    grid: Grid
    best: Count  # the place of the chosen point in the grid
    scores: list[list[Score | None]]  # of each grid point in each fold
    also: dict[str, list[list[Score | None]]] = dataclasses.field(default_factory=dict)
    # the same by other metrics, on the same fits; rows of older versions have none
    best_by: dict[str, Count] = dataclasses.field(default_factory=dict)
    # where several metrics decide: the place that each has chosen, the first's included

    def __post_init__(self) -> None:
        if self.best >= len(self.grid):
            raise ValueError(f"best is {self.best}, and the grid has {len(self.grid)} points")
        if self.best_by and self.best_by.get(self.metric) != self.best:
            raise ValueError(f"best_by does not agree with best for {self.metric}")
        if max(self.best_by.values(), default=0) >= len(self.grid):
            raise ValueError(
                f"best_by has a place that is not in a grid of {len(self.grid)} points"
            )
        if len(self.scores) != len(self.grid):
            raise ValueError("each point of the grid has a list of scores, one for each fold")
        if any(point.keys() != self.grid[0].keys() for point in self.grid):
            raise ValueError("all points of the grid name the same parameters")
        if len({len(folds) for folds in self.scores}) > 1:
            raise ValueError("all points of the grid have scores for the same folds")
        shape = [len(folds) for folds in self.scores]
        if any([len(folds) for folds in table] != shape for table in self.also.values()):
            raise ValueError("scores by other metrics have the shape of the scores")

    def by(self, metric: str) -> TuningRecord:
        """Return the search as seen by a metric: itself, or that of another one that decided."""
        if metric not in self.best_by:
            return self
        scores = {self.metric: self.scores, **self.also}
        return dataclasses.replace(
            self,
            metric=metric,
            best=self.best_by[metric],
            scores=scores.pop(metric),
            also=scores,
        )


@dataclass(frozen=True, slots=True, config=STRICT)
class AppliedLimits:
    """The limits that applied to a cell: seconds, and MB."""

    time: Amount | None = None
    memory: Amount | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What most commands need of a row; a pack keeps it in columns."""

    key: Key  # SHA-256 of the row's `identity`
    dataset: str  # names as they stood in the experiment that ran it
    method: str
    split: Count
    status: Status
    metrics: Scores  # None where undefined; all conventions, `name@convention`
    counts: Counts  # labels in all, labels left out and why, samples in each part
    params: Point  # what tuning chose; `C@macro_auc` where another metric chose another point
    tuning: TuningSummary | None
    fit: dict[str, Plain] | None  # what the final model says of its fit, if it does
    seconds: Seconds  # `fit` is of the final model, `total` of all, `cpu` that of all in CPU time
    peak_memory_mb: Amount | None
    limits: AppliedLimits
    warnings: list[str]  # "text (n times)"
    failure: Failure | None
    predictions: Key | None  # SHA-256 of the file with scores and labels, where it is kept
    environment: TextFields  # versions of what computed it
    code: TextFields  # what ran: each class in the method, and a hash or a version of its code
    finished: str  # UTC, ISO 8601
    identity: Identity  # all that the result depends on

    @property
    def is_ok(self) -> bool:
        """Whether the cell has a result."""
        return self.status == "ok"

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the cell's data set."""
        return cast(str, cast(dict[str, Plain], self.identity["dataset"])["fingerprint"])

    @property
    def tuned_by(self) -> tuple[str, ...]:
        """The metrics by which parameters were chosen; empty if none were, or an earlier run did.

        Each of several is that of the model that was tuned by it. All other metrics are those of
        the first one's model.
        """
        tuning, chosen = self.identity["tuning"], self.identity.get("chosen")
        if isinstance(chosen, list):
            return tuple(metric for metric, _ in cast("list[tuple[str, Plain]]", chosen))
        if tuning is None:
            return ()
        scoring = cast("dict[str, Any]", tuning).get("scoring", ())
        return (scoring,) if isinstance(scoring, str) else tuple(scoring)

    @property
    def untuned_by(self) -> tuple[str, ...]:
        """Of `tuned_by`, the metrics that had no score of any candidate: they took the first.

        Where several metrics decide, the warnings say which had none.
        """
        undefined = self.tuning and self.tuning.undefined
        if not undefined or not undefined.is_all:
            return ()
        by = self.tuned_by
        if len(by) == 1:
            return by
        return tuple(m for m in by if any(f": {m} was undefined" in told for told in self.warnings))

    @property
    def search(self) -> str:
        """The name of the cell's search, which other cells may share."""
        return search_key(self.identity)

    def check(self) -> None:
        """Refuse fields that contradict each other."""
        if self.status != ("ok" if self.failure is None else self.failure.kind):
            raise ValueError(f"the status {self.status} does not agree with the failure")
        if self.tuning is not None and self.identity["tuning"] is None:
            raise ValueError("a cell that tunes says so in its identity")
        if self.status == "ok":
            for name in COUNTS_OF_RESULT:
                if name not in self.counts:
                    raise ValueError(f"a result counts {name}")
            if not (self.counts["train_samples"] and self.counts["test_samples"]):
                raise ValueError("a result has samples in both parts")


@dataclass(frozen=True, slots=True, kw_only=True, config=STRICT)
class Row(Summary):
    """The result of one cell."""

    schema: Literal[2] = SCHEMA
    tuning: TuningRecord | None
    by_label: LabelScores | None = None  # None in rows of older versions, and of failed cells
    thresholds: list[float | Infinite] | None  # None: the method's own

    def __post_init__(self) -> None:
        self.check()


_ROW = TypeAdapter(Row)
_TUNING = TypeAdapter(TuningRecord)
_ADAPTERS: dict[type, TypeAdapter[Any]] = {Row: _ROW, TuningRecord: _TUNING}
_FIELDS = tuple(field.name for field in dataclasses.fields(Summary))


def summary_of(row: Summary) -> Summary:
    """Return the part of a row that most commands need."""
    values = {name: getattr(row, name) for name in _FIELDS}
    if row.tuning is not None:
        values["tuning"] = TuningSummary(
            not_converged=row.tuning.not_converged,
            stopped=row.tuning.stopped,
            undefined=row.tuning.undefined,
        )
    return Summary(**values)


def to_plain(value: Row | TuningRecord) -> dict[str, Any]:
    """Return a row or a search as JSON holds it."""
    return cast("dict[str, Any]", _ADAPTERS[type(value)].dump_python(value, mode="json"))


def row_from_json(text: bytes, key: str | None = None, table: InternTable | None = None) -> Row:
    """Return a row from the verified JSON text of its file.

    Parameters
    ----------
    text : bytes
    key : str, optional
        Of the cell under whose name the text was found.
    table : InternTable, optional
        The same one for all rows that are read together.

    Raises
    ------
    DamagedFileError
        If it is no row of this form, or the row of another cell.
    """
    try:
        row = _ROW.validator.validate_json(text, context=table)
    except ValidationError as error:
        raise DamagedFileError(_why_not(error, text)) from None
    if key is not None and row.key != key:
        raise DamagedFileError(f"the content belongs to the cell {row.key}")
    return cast(Row, row)


def tuning_from_plain(value: Mapping[str, object]) -> TuningRecord:
    """Return a search that was kept for other cells.

    Raises
    ------
    DamagedFileError
        If it is none.
    """
    text = canonical_json(value).encode()
    try:
        return _TUNING.validate_json(text)
    except ValidationError as error:
        raise DamagedFileError(_why_not(error, text)) from None


def _why_not(error: ValidationError, text: bytes) -> str:
    """Return a line that says why a text is not a row."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] != "json_invalid":
        value = from_json(text)
        schema = value.get("schema", SCHEMA) if isinstance(value, dict) else SCHEMA
        if schema != SCHEMA:
            return f"written in form {str(schema)[:20]}, and this is form {SCHEMA}"
    where = ".".join(map(str, first["loc"]))
    return f"not a row: {where + ': ' if where else ''}{first['msg']}"
