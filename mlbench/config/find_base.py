"""Find the published results that an experiment stands on, and take its settings from there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mlbench.bundle import EXPORT, is_bundle, published_results, unpack
from mlbench.config.as_written import limits_as_written
from mlbench.config.base import Base
from mlbench.config.datasets import DatasetReference
from mlbench.config.fields import EACH
from mlbench.config.relocate import relative_path
from mlbench.config.schema import ExperimentConfig
from mlbench.data.dataset_reference import is_path
from mlbench.errors import ConfigError, StoreError
from mlbench.plain_files import read_plain_text
from mlbench.spelling import did_you_mean
from mlbench.yaml_loader import Location, Problem, YamlDocument, parse_yaml


@dataclass(frozen=True)
class FoundBase:
    """Published results that an experiment stands on."""

    path: Path
    """The folder, or a bundle of it."""
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    """The chosen ones, by their names in tables."""


class BaseProblemsError(Exception):
    """What is wrong with a base, with the places in the experiment."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(problems[0][1])
        self.problems = problems


def is_export(path: Path) -> bool:
    """Tell whether a path is a folder of ``mlbench export --folder``, or a bundle of one."""
    return is_bundle(path) or (path / EXPORT).is_file()


def find_base(use: str, folder: Path) -> Path:
    """Return the folder of published results, or the bundle of it.

    A name means the same everywhere, so it comes before a folder that is called alike.

    Parameters
    ----------
    use : str
        A folder, a bundle, or the name of results that come with mlbench.
    folder : Path
        The folder that relative paths start from.

    Raises
    ------
    ConfigError
        If there is neither; the message lists the names.
    """
    names = published_results()
    if use in names:
        return names[use]
    path = (folder / use).expanduser()
    if is_export(path):
        return path
    if path.is_dir():
        raise ConfigError(
            f"{use}: is not a folder of `mlbench export --folder`: it has no {EXPORT}"
        )
    raise ConfigError(
        f"{use}: no such folder or bundled result{did_you_mean(use, names)}; "
        f"bundled: {', '.join(names) or 'none'}"
    )


def with_base(source: YamlDocument, base: Base, folder: Path) -> tuple[YamlDocument, FoundBase]:
    """Fill in what an experiment takes from its base.

    Parameters
    ----------
    source : YamlDocument
        An experiment; its text does not change.
    base : Base
        What it states.
    folder : Path
        The folder that relative paths start from.

    Raises
    ------
    BaseProblemsError
        If there is no such base, or the experiment contradicts it.
    """
    try:
        path = find_base(base.use, folder)
        published = _read(path)
    except (ConfigError, StoreError) as error:
        raise BaseProblemsError([(("base", "use"), str(error))]) from None
    problems = [
        *_contradictions(source.value, base, published),
        *_not_here(published, source.value),
    ]
    if problems:
        raise BaseProblemsError(problems)
    methods = _chosen_methods(base, published.methods)
    moved = {name: _moved(entry, path, folder) for name, entry in published.datasets.items()}
    wanted = base.datasets
    datasets = [name for name in published.datasets if wanted is None or name in wanted]
    given: dict[str, Any] = {
        "datasets": [moved[name] for name in datasets],
        "protocol": _protocol(published, source.value),
        "metrics": published.experiment["metrics"],
        "limits": limits_as_written(published.experiment["limits"]),
        "threads": published.experiment["threads"],
    }
    own = source.value.get("methods")
    if isinstance(own, dict) and own:
        test = {"method": next(iter(own)), "test": "corrected_t", "over_datasets": ["friedman"]}
        given["tests"] = [test]
    filled = {key: value for key, value in given.items() if key not in source.value}
    origins = {**source.origins, **{(key,): source.at("base") for key in filled}}
    value = {**source.value, **filled}
    found = FoundBase(path, tuple(datasets), tuple(methods))
    return replace(source, value=value, origins=origins), found


def _protocol(published: _Published, value: Mapping[str, Any]) -> Any:
    """Return the protocol; where other metrics are shown, methods are tuned by the base's."""
    protocol = published.experiment["protocol"]
    tuning = protocol.get("tuning", {})
    if "metrics" not in value or tuning.get("scoring") != EACH:
        return protocol
    whole = ExperimentConfig.model_validate_json(json.dumps(published.experiment))
    scoring = [name for name in whole.judged_metrics if not _is_code(name)]
    return {**protocol, "tuning": {**tuning, "scoring": scoring}}


@dataclass(frozen=True)
class _Published:
    """The experiment of published results."""

    experiment: Mapping[str, Any]
    datasets: Mapping[str, dict[str, Any]]
    """Their entries, with paths from the folder, by their names in tables."""
    methods: tuple[str, ...]


def _read(path: Path) -> _Published:
    file = path / EXPORT
    try:
        plain = json.loads(_text_of(path, EXPORT))
        experiment, methods = plain["experiment"], tuple(plain["methods"])
        entries = dict(zip(plain["datasets"], experiment["datasets"], strict=True))
        datasets = {
            name: DatasetReference.model_validate(each).model_dump(
                mode="json", by_alias=True, exclude_none=True
            )
            for name, each in entries.items()
        }
        ExperimentConfig.model_validate_json(json.dumps(experiment))
        missing = {"protocol", "metrics", "limits", "threads"} - experiment.keys()
        if missing or not datasets or not methods:
            raise ValueError(f"no {min(missing, default='data sets or methods')}")
    except (ValueError, LookupError, TypeError, AttributeError, OSError, RecursionError) as error:
        words = " ".join(str(getattr(error, "strerror", None) or error).split())[:200]
        raise ConfigError(f"{file}: damaged ({words}); restore the folder") from None
    return _Published(experiment, _with_paths(path, datasets), methods)


def _text_of(path: Path, name: str) -> str:
    """Return a file of published results.

    Raises
    ------
    StoreError
        If it is not there.
    """
    try:
        return unpack(path)[name] if is_bundle(path) else read_plain_text(path / name)
    except (KeyError, FileNotFoundError):
        raise StoreError(f"{path / name}: is not there; restore the folder") from None


def _with_paths(path: Path, datasets: Mapping[str, dict[str, Any]]) -> Mapping[str, dict[str, Any]]:
    """Return data sets with the paths that the experiment of the folder has for them."""
    if not any(is_path(each["use"]) for each in datasets.values()):
        return datasets
    given = parse_yaml(_text_of(path, "experiment.yaml"), path / "experiment.yaml").value
    entries = given.get("datasets") if isinstance(given, dict) else None
    if not isinstance(entries, list) or len(entries) != len(datasets):
        raise ConfigError(f"{path / 'experiment.yaml'}: has other data sets than {EXPORT}")
    moved = {}
    for (name, each), entry in zip(datasets.items(), entries, strict=True):
        use = entry.get("use") if isinstance(entry, dict) else entry
        moved[name] = {**each, "use": use} if is_path(each["use"]) and use else each
    return moved


def _moved(entry: dict[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """Return the entry of a data set with its path, if it has one, from another folder."""
    use = entry["use"]
    if not is_path(use) or use.startswith("~") or Path(use).is_absolute():
        return entry
    path = (old / use).resolve()
    found = relative_path(path, new) or str(path)
    return {**entry, "use": found if is_path(found) else f"./{found}"}


def _contradictions(
    value: Mapping[str, Any], base: Base, published: _Published
) -> Iterator[Problem]:
    """Yield what an experiment states although its base does, and names that are none."""
    counts = "take this out (or drop base: and run all methods)"
    if "protocol" in value:
        yield ("protocol",), f"the base's protocol counts; {counts}"
    if "datasets" in value:
        some = f"base: {{use: {base.use}, datasets: [...]}} chooses some of them"
        yield ("datasets",), f"the base's data sets count; {counts}; {some}"
    if "published" in value:
        yield ("published",), "the base's results are compared, not those of a paper; take this out"
    yield from _unknown(("base", "datasets"), base.datasets or (), published.datasets, "data set")
    yield from _unknown(("base", "methods"), base.methods or (), published.methods, "method")
    yield from _unknown(("base", "without"), base.without, published.methods, "method")
    chosen = _chosen_methods(base, published.methods)
    if not chosen:
        yield ("base", "without"), "leaves no method of the base"
    own = value.get("methods")
    for name in own if isinstance(own, dict) else ():
        if name in chosen:
            yield (
                ("methods", name),
                "the base has a method of this name; call yours otherwise, or "
                f"base: {{use: {base.use}, without: [{name}]}}",
            )


def _not_here(published: _Published, value: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what a base has from files that do not come with it."""
    experiment = published.experiment
    protocol = experiment["protocol"]
    if protocol.get("tuning", {}).get("params"):
        yield (
            ("base",),
            "its parameters were chosen by an earlier run, from a file that does not come with it "
            "(protocol.tuning.params); run all methods of its experiment together",
        )
    kind = str(protocol.get("splits", {}).get("kind"))
    if _is_code(kind):
        yield ("base",), f"its splits are made by {kind}, a file that does not come with it"
    own = [name for name in experiment["metrics"] if _is_code(str(name))]
    if own and "metrics" not in value:
        others = [name for name in experiment["metrics"] if name not in own]
        yield (
            ("base",),
            f"its metric {own[0]} is in a file that does not come with it; name others: "
            f"metrics: [{', '.join(others)}]",
        )


def _is_code(name: str) -> bool:
    return name.rpartition(":")[0].endswith(".py")


def _chosen_methods(base: Base, methods: Iterable[str]) -> list[str]:
    wanted = base.methods
    return [
        name for name in methods if (wanted is None or name in wanted) and name not in base.without
    ]


def _unknown(
    at: Location, names: Iterable[str], known: Iterable[str], what: str
) -> Iterator[Problem]:
    known = [*known]
    for i, name in enumerate(names):
        if name not in known:
            hint = did_you_mean(name, known)
            yield (*at, i), f"the base has no {what} {name!r}{hint}; it has {', '.join(known)}"
