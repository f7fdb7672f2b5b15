"""Read an experiment file into an `ExperimentConfig`, or report all of its errors at once."""

import re
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from mlbench.config.base import BASE, Base
from mlbench.config.check_names import check_names, named_metrics
from mlbench.config.find_base import BaseProblemsError, FoundBase, with_base
from mlbench.config.overrides import Setting, override
from mlbench.config.parameter_keys import has_typed_keys, with_plain_keys
from mlbench.config.schema import ExperimentConfig
from mlbench.config.split_files import with_number_of_splits
from mlbench.config.splits import FileSplits, PluginSplits, installed_models, splits_model
from mlbench.data.dataset_reference import is_path
from mlbench.errors import ConfigError, MlbenchError
from mlbench.metrics.user_metrics import canonical_name
from mlbench.registry.loading import load_class
from mlbench.resources import bundled
from mlbench.spelling import did_you_mean
from mlbench.yaml_loader import Location, YamlDocument, load_yaml

_SIMPLER_WORDS = {
    "missing": "this key is required",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "dict_type": "must be a mapping (key: value)",
    "model_type": "must be a mapping (key: value)",
    "model_attributes_type": "must be a mapping (key: value)",
    "string_too_short": "must not be empty",
    "too_short": "must have at least 1 entry",
    "string_pattern_mismatch": "must be letters, digits, '.', '_' and '-', starting with a letter"
    " or digit",
}


@dataclass(frozen=True)
class LoadedExperiment:
    """An experiment and the file it was read from."""

    experiment: ExperimentConfig
    source: YamlDocument
    base: FoundBase | None = None
    """The published results that it stands on."""

    @property
    def folder(self) -> Path:
        """The folder that the experiment's paths are relative to."""
        return self.source.path.resolve().parent


def find_config(name: str) -> Path:
    """Return the experiment file of a name: a path, or a bundled experiment.

    Raises
    ------
    ConfigError
        If there is neither; the message suggests what may be meant.
    """
    path = Path(name)
    try:
        is_file, is_folder = path.is_file(), path.is_dir()
    except OSError as error:
        raise ConfigError(f"{name[:200]!r}: cannot be read: {error.strerror or error}") from None
    if is_file and is_path(path.name):
        raise ConfigError(
            f"{name}: is data, not an experiment; `mlbench init {name}` writes an experiment for it"
        )
    if is_file:
        return path
    if is_folder and (path / "plan.json").is_file():
        raise ConfigError(
            f"{name}: is a results folder, not an experiment; `mlbench report {name}` prints its "
            f"tables, and {path / 'experiment.yaml'} is the experiment that it holds"
        )
    home = bundled("configs")
    files = sorted(home.rglob("*.yaml"))
    ready_made = {str(file.relative_to(home).with_suffix("")): file for file in files}
    if name in ready_made:
        return ready_made[name]
    what = "is a folder, not an experiment file" if is_folder else "there is no such file"
    neighbors = map(str, path.parent.glob("*.yaml") if path.parent.is_dir() else ())
    near = did_you_mean(name, [*ready_made, *neighbors])
    group, slash, _ = name.partition("/")
    listed = [one for one in ready_made if slash and one.startswith(f"{group}/")] or sorted(
        {re.sub("/.*", "/...", one) for one in ready_made}
    )
    raise ConfigError(f"{name}: {what}{near}; bundled experiments: {', '.join(listed) or 'none'}")


def load_experiment(
    path: Path,
    data_dirs: Sequence[Path] = (),
    settings: Sequence[str] = (),
    quick: bool = False,
) -> LoadedExperiment:
    """Read and check an experiment file.

    Parameters
    ----------
    path
        The file.
    data_dirs
        Folders to look for data in before the usual ones.
    settings
        Values to override, ``KEY=VALUE`` each; see :mod:`mlbench.config.overrides`.
    quick
        Whether to override first what the file lists under ``quick:``.

    Raises
    ------
    ConfigError
        With one line ``file:line:column: key: what is wrong`` for every error found.
    """
    return check_experiment(load_yaml(path, has_typed_keys), data_dirs, settings, quick)


def check_experiment(
    source: YamlDocument,
    data_dirs: Sequence[Path] = (),
    settings: Sequence[str] = (),
    quick: bool = False,
) -> LoadedExperiment:
    """Check an experiment that has been read, and what it lists under ``quick:``.

    See `load_experiment` for the parameters.
    """
    if not isinstance(source.value, dict):
        raise ConfigError(
            f"{source.at()}: an experiment is a mapping with the keys name, datasets and methods"
        )
    given, stated = source, [Setting.parse(text) for text in settings]
    source = override(source, stated, quick)
    source = replace(source, value=with_plain_keys(source.value))
    folder = source.path.resolve().parent
    source, base = _with_base(source, folder)
    for location, name in named_metrics(source.value):
        if isinstance(name, str):
            _set(source.value, location, canonical_name(name, folder))
    problems: list[tuple[Location, str]] = []
    experiment = None
    try:
        experiment = ExperimentConfig.model_validate(source.value)
    except ValidationError as error:
        problems.extend(_explain(error, source.value))
    if experiment is not None and type(experiment.protocol.splits) is PluginSplits:
        experiment, found = _with_users_splits(experiment, source.value, folder)
        problems.extend(found)
    if experiment is not None and isinstance(experiment.protocol.splits, FileSplits):
        experiment, found = with_number_of_splits(experiment, folder)
        problems.extend(found)
    others = () if base is None else base.methods
    problems.extend(check_names(source.value, folder, data_dirs, others))
    if problems or experiment is None:
        raise ConfigError(format_problems(source, problems))
    if experiment.quick is not None:
        check_experiment(given, data_dirs, settings, quick=True)
    return LoadedExperiment(experiment, source, base)


def experiment_as_written(source: YamlDocument) -> ExperimentConfig:
    """Check the keys of an experiment, but not whether its data and methods are here.

    Raises
    ------
    ConfigError
        If a key is wrong, or the experiment stands on a base, which states the rest of it.
    """
    if isinstance(source.value, dict) and "base" in source.value:
        raise ConfigError(
            f"{source.at('base')}: base: is of an experiment beside published results; name one "
            "that states its data sets, protocol and methods itself"
        )
    try:
        return ExperimentConfig.model_validate(with_plain_keys(source.value))
    except ValidationError as error:
        raise ConfigError(format_problems(source, _explain(error, source.value))) from None


def _with_base(source: YamlDocument, folder: Path) -> tuple[YamlDocument, FoundBase | None]:
    """Fill in what an experiment takes from published results, if it stands on some."""
    if source.value.get("base") is None:
        return source, None
    try:
        base = BASE.validate_python(source.value["base"])
        return with_base(source, base, folder)
    except ValidationError as error:
        problems = list(_explain(error, source.value, ("base",), Base))
    except BaseProblemsError as found:
        problems = [(_in_file(at, source.value), text) for at, text in found.problems]
    raise ConfigError(format_problems(source, problems))


def _with_users_splits(
    experiment: ExperimentConfig, value: object, folder: Path
) -> tuple[ExperimentConfig, list[tuple[Location, str]]]:
    """Check splits of a class in a user's file by the fields of the class."""
    at, protocol = ("protocol", "splits"), experiment.protocol
    kind = protocol.splits.kind
    try:
        model = splits_model(kind, load_class(kind, folder))
        splits = model.model_validate(protocol.splits.model_dump())
    except ValidationError as error:
        return experiment, list(_explain(error, value, at, model))
    except MlbenchError as error:
        return experiment, [((*at, "kind"), str(error))]
    protocol = protocol.model_copy(update={"splits": splits})
    return experiment.model_copy(update={"protocol": protocol}), []


def _set(value: Any, location: Location, new: str) -> None:
    *above, last = location
    for key in above:
        value = value[key]
    value[last] = new


def format_problems(source: YamlDocument, problems: Iterable[tuple[Location, str]]) -> str:
    """Return one line ``file:line:column: key: what is wrong`` per problem, in the file's order."""
    lines = {(source.positions.get(at, (0, 0)), _line(source, at, text)) for at, text in problems}
    return "\n".join(line for _, line in sorted(lines))


def _line(source: YamlDocument, location: Location, message: str) -> str:
    key = ".".join(str(part) for part in location)
    return f"{source.at(*location)}: {key}: {message}" if key else f"{source.at()}: {message}"


M = TypeVar("M", bound=BaseModel)


def validated(model: type[M], source: YamlDocument) -> M:
    """Return a YAML file as a model.

    Raises
    ------
    ConfigError
        With one line ``file:line:column: key: what is wrong`` for every error found.
    """
    if not isinstance(source.value, dict):
        known = ", ".join(model.model_fields)
        raise ConfigError(f"{source.at()}: expected a mapping with the keys {known}")
    try:
        return model.model_validate(source.value)
    except ValidationError as error:
        problems = list(_explain(error, source.value, model=model))
    raise ConfigError(format_problems(source, problems))


def _explain(
    error: ValidationError,
    value: object,
    at: Location = (),
    model: type[BaseModel] = ExperimentConfig,
) -> Iterator[tuple[Location, str]]:
    """Yield what is wrong with a part of a file, which a model describes."""
    for detail in error.errors():
        location = _in_file((*at, *detail["loc"]), value)
        if detail["type"] == "extra_forbidden":
            yield location, _unknown_key(detail["loc"], model)
        elif detail["type"] == "missing":
            yield location, f"the key {detail['loc'][-1]!r} is required here"
        elif detail["type"] in ("literal_error", "union_tag_invalid"):
            yield location, _choice(detail)
        else:
            message = _SIMPLER_WORDS.get(detail["type"], detail["msg"])
            message = message.removeprefix("Value error, ").replace("Input should be", "must be")
            if detail["type"] in _SIMPLER_WORDS or detail["msg"].startswith("Input should be"):
                message += f", not {_as_written(detail['input'])}"
            yield location, message[:1].lower() + message[1:]


def _as_written(value: object) -> str:
    """Return a value as YAML writes it."""
    words = {True: "true", False: "false", None: "null"}
    return words[value] if value is None or isinstance(value, bool) else repr(value)


def _unknown_key(location: Location, model: type[BaseModel]) -> str:
    key, known = str(location[-1]), _keys_of(_models_at(location[:-1], model))
    before, colon, _ = key.partition(":")
    if colon and before in known:
        return f"unknown key: a space is missing after `{before}:`"
    others = [model for model in _models_at(location[:-2], model) if key in model.model_fields]
    kinds = [tag for tag in map(_tag, others) if tag]
    hint = f" (it belongs to kind: {' or '.join(kinds)})" if kinds else did_you_mean(key, known)
    return f"unknown key{hint}; known here: {', '.join(sorted(known))}"


def _choice(detail: Mapping[str, Any]) -> str:
    context = detail["ctx"]
    given = context["tag"] if "tag" in context else detail["input"]
    listed = context.get("expected_tags") or context["expected"]
    choices = [word.strip("' ") for word in listed.replace(" or ", ", ").split(",")]
    if isinstance(given, list):
        return f"must be one of {', '.join(choices)}, not a list"
    near = did_you_mean(str(given), choices)
    return f"{_as_written(given)} is not one of {', '.join(choices)}{near}"


def _in_file(location: Location, value: Any) -> Location:
    """Drop the parts of a location that are not in the file (tags of unions)."""
    found: list[str | int] = []
    for part in location:
        is_key = isinstance(value, dict) and part in value
        is_index = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if is_key or is_index:
            value = value[part]
            found.append(part)
    return tuple(found)


def _models_at(location: Location, model: type[BaseModel]) -> list[type[BaseModel]]:
    """Return the models that a model allows at a location in it."""
    models = [model]
    for part in location:
        fields = [model.model_fields[part] for model in models if part in model.model_fields]
        inside = [found for field in fields for found in _models_in(field.annotation)]
        models = inside or models
        tagged = [m for m in models if _tag(m) == part]
        models = tagged or models
    return models


def _keys_of(models: Iterable[type[BaseModel]]) -> set[str]:
    return {field.alias or name for model in models for name, field in model.model_fields.items()}


def _tag(model: type[BaseModel]) -> str | None:
    kind = model.model_fields.get("kind")
    tags = typing.get_args(kind.annotation) if kind else ()
    return tags[0] if tags else None


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if annotation is PluginSplits:
        yield from installed_models()
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from _models_in(argument)
