"""The kinds of splits that an experiment file may ask for."""

from __future__ import annotations

import dataclasses
import math
import operator
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, reduce
from typing import Annotated, Any, ClassVar, Literal, Self, get_type_hints

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    PydanticUserError,
    SerializationInfo,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    create_model,
    model_validator,
)
from pydantic_core import core_schema

from mlbench import plugins
from mlbench.config.fields import Seed, TrainPart
from mlbench.config.strict_model import StrictModel
from mlbench.errors import MlbenchError
from mlbench.options import Stratify

STRATIFY = Field(None, description="what occurs equally often in all parts")


class _BuiltIn(StrictModel):
    """Splits of a kind that comes with mlbench."""

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the splitter."""
        return self.model_dump(exclude={"kind", "repeats"})


class RandomSplits(_BuiltIn):
    """Repeated random partitions into a training and a test part."""

    kind: Literal["random"] = "random"
    train: TrainPart = Field(0.6, description="a share, or a number of samples")
    test: TrainPart | None = Field(None, description="all the others, if not given")
    stratify: Stratify | None = STRATIFY
    repeats: int = Field(10, ge=1, le=100_000)
    seed: Seed = 0

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        return self.repeats

    @model_validator(mode="after")
    def _within_the_whole(self) -> RandomSplits:
        if isinstance(self.train, float) and isinstance(self.test, float):
            total = self.train + self.test
            if total > 1 and not math.isclose(total, 1):
                raise ValueError(f"train and test are more than the whole together: {total:g}")
        return self


class KFoldSplits(_BuiltIn):
    """Repeated k-fold cross-validation: every fold is a test part once."""

    kind: Literal["kfold"]
    folds: int = Field(10, ge=2, le=10_000)
    stratify: Stratify | None = STRATIFY
    repeats: int = Field(1, ge=1, le=10_000)
    seed: Seed = 0

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        return self.folds * self.repeats


class PublishedSplit(_BuiltIn):
    """The training and test part that the data set was published with."""

    kind: Literal["published"]
    seed: Seed = 0

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        return 1


class TimeSplits(_BuiltIn):
    """Windows in time order: the last rows test what rows before them have trained."""

    kind: Literal["time"]
    by: str | None = Field(
        None, min_length=1, description="the column of times, of data sets that state no `time`"
    )
    windows: Literal["expanding", "rolling"] = Field(
        "expanding", description="train on all rows before, or on as many as the first window"
    )
    folds: int = Field(5, ge=1, le=10_000, description="test windows")
    train: TrainPart | None = Field(None, description="share or number of rows of the first window")
    test: TrainPart | None = Field(None, description="share or number of rows of each test window")
    gap: int = Field(0, ge=0, description="rows before a test window that are not trained on")
    seed: Seed = 0

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        return self.folds

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the splitter; the column is a matter of the data set."""
        return self.model_dump(exclude={"kind", "by"})

    @model_validator(mode="after")
    def _sizes_agree(self) -> TimeSplits:
        if self.windows == "expanding" and None not in (self.train, self.test):
            raise ValueError(
                "expanding windows have either `train`, the first training part, or `test`, the "
                "size of each test part; the other follows from it"
            )
        return self


DATASET = "{dataset}"
"""Stands for the name of a data set in tables, in the name of a file."""


class FileSplits(_BuiltIn):
    """Splits that stand in a file."""

    kind: Literal["file"]
    file: str = Field(
        min_length=1,
        description="a CSV file with the columns row, split and part, or a file of folds of "
        f"OpenML; {DATASET} stands for the data set",
    )
    number: int | None = Field(None, ge=1, description="the first so many; all, if not given")
    seed: Seed = 0

    @property
    def n_splits(self) -> int:
        """The number of splits (which is filled in when the file is read)."""
        assert self.number is not None
        return self.number

    def file_of(self, dataset: str) -> str:
        """Return the file of a data set."""
        return self.file.replace(DATASET, dataset)


class PluginSplits(BaseModel):
    """Splits of a kind that a plug-in or a user's file defines; other keys are its parameters."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    kind: str = Field(pattern=r"\.")
    repeats: int = Field(10, ge=1, le=10_000)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the splitter."""
        return self.model_dump(exclude={"kind", "repeats"})

    @property
    def n_splits(self) -> int:
        """The number of splits."""
        folds = self.parameters.get("folds")
        return (folds if isinstance(folds, int) else 1) * self.repeats


class CheckedSplits(PluginSplits):
    """Splits with the parameters of the splitter's class."""

    model_config = ConfigDict(extra="forbid")

    splitter: ClassVar[type]

    @model_validator(mode="after")
    def _make_a_splitter(self) -> Self:
        try:
            self.splitter(**self.parameters)
        except (ValueError, MlbenchError) as error:
            raise ValueError(str(error)) from error
        except Exception as error:  # the class may be a user's
            raise ValueError(f"the splitter fails: {type(error).__name__}: {error}") from error
        return self


@cache
def splits_model(kind: str, splitter: type) -> type[CheckedSplits]:
    """Return the model of a splitter's parameters, which are the fields of its class.

    Raises
    ------
    MlbenchError
        If the class is no splitter, or a field has a type that no experiment can state.
    """
    if not (is_dataclass(splitter) and hasattr(splitter, "draw")):
        raise MlbenchError(
            f"{kind}: {splitter.__name__} is no splitter; it must be a dataclass, and inherit from "
            "mlbench.protocol.splitters.Splitter"
        )
    try:
        types = get_type_hints(splitter, include_extras=True)
        parameters: Any = {
            each.name: (types[each.name], _default(each)) for each in fields(splitter)
        }
        parameters["kind"] = (Literal[kind], ...)
        model = create_model(
            splitter.__name__,
            __base__=CheckedSplits,
            __doc__=splitter.__doc__,
            **parameters,
        )
    except (PydanticUserError, NameError) as error:
        raise MlbenchError(f"{kind}: its parameters have no usable types: {error}") from None
    model.splitter = splitter
    return model


def _default(parameter: dataclasses.Field[Any]) -> Any:
    if parameter.default is not MISSING:
        return parameter.default
    if parameter.default_factory is not MISSING:
        return Field(default_factory=parameter.default_factory)
    return ...


_BUILT_IN = RandomSplits | KFoldSplits | PublishedSplit | TimeSplits | FileSplits
KINDS = ("random", "kfold", "published", "time", "file")


def installed_models() -> list[type[CheckedSplits]]:
    """Return the models of the splits that installed packages announce, except broken ones."""
    models = []
    for kind in plugins.names(plugins.SPLITTERS):
        with suppress(MlbenchError):
            models.append(_installed_model(kind))
    return models


def _installed_model(kind: str) -> type[CheckedSplits]:
    return splits_model(kind, plugins.load(plugins.SPLITTERS, kind))


@cache
def _all_splits() -> TypeAdapter[Any]:
    kinds: Any = reduce(operator.or_, installed_models(), _BUILT_IN)
    return TypeAdapter(Annotated[kinds, Field(discriminator="kind")])


class _ByKind:
    """Validates splits by the model of their kind; a user's file is imported later."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_wrap_validator_function(
            _validated,
            handler(Annotated[_BUILT_IN, Field(discriminator="kind")]),
            serialization=core_schema.plain_serializer_function_ser_schema(_plain, info_arg=True),
        )

    def __get_pydantic_json_schema__(
        self, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        users = handler(TypeAdapter(PluginSplits).core_schema)
        return {"anyOf": [handler(_all_splits().core_schema), users]}


def _validated(value: object, handler: ValidatorFunctionWrapHandler) -> object:
    kind = value.get("kind", "random") if isinstance(value, dict) else "random"
    if kind in KINDS:
        return handler(value)
    if kind in plugins.names(plugins.SPLITTERS):
        try:
            _installed_model(kind)
        except MlbenchError as error:
            raise ValueError(str(error)) from error
    elif isinstance(kind, str) and "." in kind:
        return PluginSplits.model_validate(value)
    return _all_splits().validate_python(value)


def _plain(splits: BaseModel, info: SerializationInfo) -> dict[str, Any]:
    return splits.model_dump(mode=info.mode)


Splits = Annotated[_BUILT_IN | PluginSplits, _ByKind()]
