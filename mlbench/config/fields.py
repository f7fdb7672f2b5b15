"""What the models of an experiment file are made of: their base, and kinds of values."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from mlbench.config.grids import NAMED_GRIDS, RANGES, expand
from mlbench.config.quantities import megabytes, seconds

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


class StrictModel(BaseModel):
    """A part of an experiment: unknown keys and other types are refused."""

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
