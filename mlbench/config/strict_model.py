"""The base of the models of an experiment file."""

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """A part of an experiment; unknown keys and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
