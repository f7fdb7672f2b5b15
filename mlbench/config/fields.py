"""The types of values in an experiment file."""

from typing import Annotated, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    Tag,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import CoreSchema

from mlbench.config.grids import KINDS, NAMED_GRIDS, RANGES, Distribution, expand
from mlbench.config.quantities import megabytes, seconds
from mlbench.config.strict_model import StrictModel
from mlbench.metrics.catalogue import without_sets
from mlbench.options import PREPROCESSING_STEPS, F1Threshold, PreprocessingStep, Threshold

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
        {
            "type": "object",
            "minProperties": 1,
            "maxProperties": 1,
            "properties": {kind: {"type": "array", "minItems": 2, "maxItems": 2} for kind in KINDS},
            "additionalProperties": False,
        },
        {"enum": sorted(NAMED_GRIDS)},
    ]
}


T = TypeVar("T")


def _as_steps(value: object) -> object:
    if value is None or value == "none":
        return ()
    steps = [value] if isinstance(value, str) else value
    if not isinstance(steps, list | tuple):
        raise ValueError(f"preprocessing is a step or a list of steps, not {value!r}")
    for i, step in enumerate(steps):
        if step in steps[:i]:
            raise ValueError(f"the step {step!r} occurs twice")
    return tuple(steps)


def _as_number(value: object) -> object:
    """Distinguish counts from shares: 1000 is rows, 0.6 a share, and true neither."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(
            f"give a share between 0 and 1 (0.6) or a number of samples (1000), not {value!r}"
        )
    if isinstance(value, float) and not 0 < value < 1:
        raise ValueError(f"a share lies strictly between 0 and 1, not {value!r}")
    if isinstance(value, int) and value < 1:
        raise ValueError(f"expected at least 1 sample, got {value!r}")
    return value


def _as_megabytes(value: object, info: ValidationInfo) -> float:
    """Require a unit, but for the plain MB of a plan that is read back from JSON."""
    if info.mode == "json" and isinstance(value, float):
        value = f"{value!r} MB"
    return megabytes(value)


def as_grid(spec: object) -> list[object] | Distribution:
    """Return the values of a parameter, or the distribution to draw them from.

    Raises
    ------
    ValueError
        With words for the reader of the configuration.
    """
    if isinstance(spec, Distribution):
        return spec
    if isinstance(spec, dict) and any(kind in spec for kind in KINDS):
        return Distribution.of(spec)
    return expand(spec)


def _as_draws(value: object) -> object:
    return {"number": value} if isinstance(value, int) and not isinstance(value, bool) else value


def _as_scoring(value: object) -> object:
    """Return the metrics of a search, which is stated as one, as a list, or as `each`."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        given = "null" if value is None else repr(value)
        raise ValueError(f"scoring is a metric, a list of metrics, or {EACH}; not {given}")
    if not names:
        raise ValueError(f"scoring names no metric; {EACH} stands for all that are shown")
    if EACH in names and len(names) > 1:
        raise ValueError(f"{EACH} stands alone, for all metrics that are shown")
    return names[0] if len(names) == 1 else tuple(names)


def as_metrics(value: object) -> object:
    """Return the metrics that are shown: one or several, and words for sets of them."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        return names
    return without_sets(names)


def _as_list(value: object) -> object:
    if isinstance(value, str | dict):
        return [value]
    return list(value) if isinstance(value, tuple) else value


class _ItemAlone:
    """Allows an item without a list in the JSON schema."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        several = handler(schema)
        return {"anyOf": [several["items"], several]}


def by_use(what: str) -> BeforeValidator:
    """Return the validator that reads a name alone as ``{use: name}``; `what` starts its error."""

    def mapping(value: object) -> object:
        if isinstance(value, str):
            return {"use": value}
        if not isinstance(value, dict | BaseModel):
            raise ValueError(f"{what} or {{use: name, ...}}, not {value!r}")
        return value

    return BeforeValidator(mapping)


class OrAlone:
    """Allows what stands for a mapping in the JSON schema, such as a name alone."""

    def __init__(self, alone: dict[str, object]) -> None:
        self.alone = alone

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, object]:
        return {"anyOf": [self.alone, handler(schema)]}


OneOrMore = Annotated[list[T], BeforeValidator(_as_list), _ItemAlone()]
GridField = Annotated[
    list[object] | Distribution, BeforeValidator(as_grid), WithJsonSchema(_GRID_SCHEMA)
]
Metrics = Annotated[list[str], BeforeValidator(as_metrics), _ItemAlone()]
EACH = "each"
"""As `scoring`: each metric that the experiment shows, and by which methods are compared."""

Scoring = Annotated[
    str | tuple[str, ...],
    BeforeValidator(_as_scoring),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
            ]
        }
    ),
]
Steps = Annotated[
    tuple[PreprocessingStep, ...],
    BeforeValidator(_as_steps),
    WithJsonSchema(
        {
            "anyOf": [
                {"enum": [*PREPROCESSING_STEPS, "none", None]},
                {"type": "array", "items": {"enum": list(PREPROCESSING_STEPS)}},
            ]
        }
    ),
]
TrainPart = Annotated[
    int | float,
    BeforeValidator(_as_number),
    WithJsonSchema({"type": "number", "exclusiveMinimum": 0}),
]
Seconds = Annotated[float, BeforeValidator(seconds), WithJsonSchema({"type": ["number", "string"]})]
Megabytes = Annotated[float, BeforeValidator(_as_megabytes), WithJsonSchema({"type": "string"})]
Seed = Annotated[int, Field(ge=0, lt=2**32)]


class ForF1(StrictModel):
    """A threshold policy for some metrics of labels."""

    f1: F1Threshold
    """For F1, Jaccard, precision, recall and cut ratio. All others take a method's own labels."""


def _kind_of_threshold(value: object) -> str:
    return "for_f1" if isinstance(value, dict | ForF1) else "for_all"


ThresholdPolicy = Annotated[
    Annotated[Threshold, Tag("for_all")] | Annotated[ForF1, Tag("for_f1")],
    Discriminator(_kind_of_threshold),
]


class KeepBest(StrictModel):
    """Keep the best scores of each row alone, and all predicted labels."""

    top: int = Field(ge=1, description="how many scores of a row")


def _as_kept(value: object) -> object:
    if not isinstance(value, bool | dict | KeepBest):
        raise ValueError(f"should be true, false, or {{top: N}} for N scores a row, not {value!r}")
    return value


KeepPredictions = Annotated[
    Annotated[bool, Tag("all")] | Annotated[KeepBest, Tag("best")],
    Discriminator(lambda value: "best" if isinstance(value, dict | KeepBest) else "all"),
    BeforeValidator(_as_kept),
]


class Draws(StrictModel):
    """A random search."""

    number: int = Field(ge=1, le=10_000, description="candidates")
    seed: Seed = 0


RandomSearch = Annotated[
    Draws,
    BeforeValidator(_as_draws),
    OrAlone({"type": "integer", "minimum": 1}),
]
