"""An experiment's ``base:``: published results that its own methods are compared with.

Data sets, protocol, metrics and limits come from there, and so do the scores of its methods.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BeforeValidator, Field, TypeAdapter, WithJsonSchema, model_validator

from mlbench.config.strict_model import StrictModel


class Base(StrictModel):
    """Published results, and which of them count."""

    use: str = Field(min_length=1, description="a folder of `mlbench export --folder`, or a name")
    datasets: list[str] | None = Field(
        None, min_length=1, description="by their names in tables; default: all"
    )
    methods: list[str] | None = Field(None, min_length=1, description="only these; default: all")
    without: list[str] = Field(default_factory=list, description="all methods but these")

    @model_validator(mode="after")
    def _chooses_once(self) -> Self:
        if self.methods is not None and self.without:
            raise ValueError("methods and without are two ways to choose methods; keep one")
        return self


def _as_base(value: object) -> object:
    if isinstance(value, str):
        return {"use": value}
    if not isinstance(value, dict | Base):
        raise ValueError(f"a base is a name, a folder or {{use: name, ...}}, not {value!r}")
    return value


_NAMES = {"type": "array", "items": {"type": "string"}, "minItems": 1}
BaseEntry = Annotated[
    Base,
    BeforeValidator(_as_base),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "required": ["use"],
                    "properties": {
                        "use": {"type": "string"},
                        "datasets": _NAMES,
                        "methods": _NAMES,
                        "without": {"type": "array", "items": {"type": "string"}},
                    },
                    "additionalProperties": False,
                },
            ]
        }
    ),
]
BASE: TypeAdapter[Base] = TypeAdapter(BaseEntry)
