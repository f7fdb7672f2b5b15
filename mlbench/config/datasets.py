"""Data sets in an experiment file."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from mlbench.config.fields import OrAlone, TrainPart, by_use
from mlbench.config.strict_model import StrictModel
from mlbench.data.dataset_reference import (
    ROW_KEYS,
    SUBSET_KEYS,
    is_path,
    is_row_file,
    name_of_file,
    with_lists,
)


class Imbalance(StrictModel):
    """Samples of every task drawn with replacement, at a given ratio of negatives to positives."""

    ratio: float = Field(gt=0, allow_inf_nan=False, description="negatives per positive")


_NAMES = {"type": ["array", "string"], "items": {"type": "string"}}
_OPTIONS: dict[str, dict[str, Any]] = {
    "labels": {"type": "integer", "minimum": 1},
    "labels_by": {"enum": ["frequency", "position"]},
    "rows": {"type": "integer", "minimum": 1},
    "min_positives": {"type": "integer", "minimum": 0},
    "drop_unlabeled": {"type": "boolean"},
    "min_documents": {"type": "integer", "minimum": 1},
    "seed": {"type": "integer", "minimum": 0},
    "missing": {"enum": ["refuse", "keep"]},
    "row_ids": {"enum": ["refuse", "keep"]},
    "groups": {"type": "string", "minLength": 1},
    "time": {"type": "string", "minLength": 1},
    "ignore": _NAMES,
    "numeric": _NAMES,
}
"""The keys of every data set, for editors; readers and generators have others."""


class DatasetReference(BaseModel):
    """A data set by name, with its subset."""

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        json_schema_extra=lambda schema: schema["properties"].update(_OPTIONS),
    )

    use: str = Field(min_length=1, description="a name from `mlbench data list`, or a path")
    alias: str | None = Field(
        None,
        alias="as",
        min_length=1,
        pattern=r"^[^\n]*$",
        description="the name in tables, of one line",
    )
    imbalance: Imbalance | None = None
    train: TrainPart | None = Field(
        None, description="the training part, instead of the protocol's"
    )

    @property
    def options(self) -> dict[str, Any]:
        """The subset and the generator's parameters."""
        return with_lists(self.model_extra or {})

    def resolved(self, folder: Path) -> str | dict[str, Any]:
        """Return the argument for `mlbench.load_dataset`; paths are relative to the folder."""
        use = self.use
        if is_path(use) and not use.startswith("~"):
            use = str(folder / use)
        options = {
            key: str(folder / value) if self._is_file(key) and not value.startswith("~") else value
            for key, value in self.options.items()
        }
        return {"use": use, **options} if options else use

    @property
    def canonical(self) -> str:
        """A name for exactly this data, however it is written.

        It does not include an imbalance, which changes neither the data nor the splits. A path
        counts by its file name, so that the file may move.
        """
        return self._named(self.options)

    def _named(self, keys: Iterable[str]) -> str:
        name = (name_of_file(self.use) or self.use) if is_path(self.use) else self.use
        options = ",".join(
            f"{key}={Path(self.options[key]).name if self._is_file(key) else self.options[key]}"
            for key in sorted(keys)
        )
        return f"{name}[{options}]" if options else name

    def _is_file(self, key: str) -> bool:
        return key in ROW_KEYS and is_row_file(self.options[key])

    @property
    def display(self) -> str:
        """The name in tables; it does not say how a file is read."""
        if self.alias:
            return self.alias
        how = set(ROW_KEYS)
        if is_path(self.use):
            how = set(self.options) - set(SUBSET_KEYS)
        name = self._named(key for key in self.options if key not in how)
        if self.imbalance is not None:
            name += f"[imbalance=1:{self.imbalance.ratio:g}]"
        if self.train is not None:
            name += f"[train={self.train:g}]"
        return name


DATASET_WORDS = tuple(field.alias or name for name, field in DatasetReference.model_fields.items())
"""The keys of a data set that do not select a subset."""


DatasetField = Annotated[
    DatasetReference, by_use("a data set is a name"), OrAlone({"type": "string"})
]
