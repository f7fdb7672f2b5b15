"""An experiment's ``base:``: published results that its own methods are compared with.

Data sets, protocol, metrics and limits come from there, and so do the scores of its methods.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, TypeAdapter, model_validator

from mlbench.config.fields import OrAlone, by_use
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


BaseEntry = Annotated[Base, by_use("a base is a name, a folder"), OrAlone({"type": "string"})]
BASE: TypeAdapter[Base] = TypeAdapter(BaseEntry)
