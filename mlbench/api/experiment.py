"""Experiments from Python objects."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from mlbench.api.estimators import as_plain, is_foreign, parameter_as_plain
from mlbench.config.load import LoadedExperiment, check_experiment, find_config, load_experiment
from mlbench.config.schema import METHOD_WORDS
from mlbench.data import Dataset
from mlbench.data.dataset_reference import is_path
from mlbench.data.npz import SUFFIX, read_dataset, save_dataset
from mlbench.errors import ConfigError, DataError, MethodError
from mlbench.hashing import digest
from mlbench.methods.parameters import is_estimator
from mlbench.registry.import_policy import allow_imports
from mlbench.registry.value_forms import ESTIMATOR
from mlbench.report.tables.table import slug
from mlbench.store.paths import inside
from mlbench.yaml_loader import YamlDocument, dump_yaml

MAX_NAME = 200
"""Letters of the name of a data set in memory, which names its file."""


class Experiment:
    """Data sets, methods and a protocol, as in an experiment file.

    Parameters
    ----------
    datasets : sequence, optional
        Names, paths, mappings as in an experiment file, or `Dataset` objects with names of their
        own. With a `base` there are none: the data sets are those of the base.
    methods : mapping
        From the name in tables to a short name, an estimator object, or a mapping as in an
        experiment file, in which an estimator may stand under ``use``:
        ``{"use": RandomForestClassifier(), "tune": {"max_depth": [3, None]}}``.
    name : str
        The results are in ``runs/NAME`` by default.
    base : str or mapping, optional
        Published results whose methods are among one's own, as in an experiment file: the name of
        bundled ones, an exported folder, or ``{"use": ..., "datasets": [...], "without": [...]}``.
    **more
        The other keys of an experiment file: ``protocol``, ``metrics``, ``tests``, ``limits``,
        ``threads``, ``keep_predictions``, ``title``, ...

    Examples
    --------
    >>> import mlbench as mb
    >>> Experiment(["digits"], {"BR": mb.make_method("br"), "ML-kNN": "mlknn"})
    Experiment('experiment': 1 data set, 2 methods)
    """

    def __init__(
        self,
        datasets: Sequence[str | Mapping[str, object] | Dataset] = (),
        methods: Mapping[str, object] = MappingProxyType({}),
        name: str = "experiment",
        base: str | Path | Mapping[str, object] | None = None,
        **more: object,
    ) -> None:
        self.datasets = [datasets] if isinstance(datasets, str | Mapping | Dataset) else datasets
        self.methods = methods
        self.name = name
        self.base = base
        self.more = more

    def __repr__(self) -> str:
        """Say how large it is."""
        on = "" if self.base is None else f"on {_use(self.base)}"
        counts = [
            f"{len(found)} {word}{'' if len(found) == 1 else 's'}"
            for found, word in ((self.datasets, "data set"), (self.methods, "method"))
            if found
        ]
        return f"Experiment({self.name!r}: {', '.join([*counts, *([on] if on else [])])})"

    def _data(self, out: Path) -> dict[str, object]:
        """Return the data sets, or the base, as in an experiment file."""
        stems = _file_names(each.name for each in self.datasets if isinstance(each, Dataset))
        datasets = [_reference(each, out, stems) for each in self.datasets]
        if self.base is None:
            return {"datasets": datasets}
        base = as_plain(self.base) if isinstance(self.base, Mapping) else str(self.base)
        return {"base": base, **({"datasets": datasets} if datasets else {})}

    def load(
        self, out: Path, settings: Sequence[str], data: Sequence[Path], quick: bool = False
    ) -> LoadedExperiment:
        """Check the experiment; data sets in memory are saved in the results folder.

        Code of estimator objects may be imported from now on.

        Raises
        ------
        ConfigError
            With a line for each error.
        """
        try:
            value = {
                "name": as_plain(self.name, ("name",)),
                **self._data(out),
                "methods": _methods(self.methods),
                **as_plain(self.more),
            }
        except MethodError as error:
            raise ConfigError(f"experiment: {error}") from None
        if is_foreign(self.methods):
            allow_imports()
        source = YamlDocument(Path("experiment"), dump_yaml(value), value, positions={})
        try:
            return check_experiment(source, data, settings, quick)
        except ConfigError as error:
            raise ConfigError(str(error).replace("experiment:1:1: ", "experiment: ")) from None


def _use(base: object) -> object:
    return base.get("use") if isinstance(base, Mapping) else base


def load_any(
    experiment: str | Path | Mapping[str, object] | Experiment,
    out: Path | None,
    settings: Sequence[str] = (),
    data: Sequence[Path] = (),
    quick: bool = False,
) -> LoadedExperiment:
    """Return an experiment from a file, the name of a bundled one, a mapping or an `Experiment`."""
    if isinstance(experiment, str | Path):
        return load_experiment(find_config(str(experiment)), data, settings, quick)
    if isinstance(experiment, Mapping):
        given = {str(key): value for key, value in experiment.items()}
        needed = ("methods",) if "base" in given else ("datasets", "methods")
        lacking = [key for key in needed if key not in given]
        if lacking:
            raise ConfigError(f"experiment: the key {lacking[0]!r} is required")
        experiment = Experiment(**given)  # type: ignore[arg-type]
    if not isinstance(experiment, Experiment):
        raise ConfigError(
            f"an experiment is a file, a name, a mapping or mlbench.Experiment, not {experiment!r}"
        )
    return experiment.load(out or Path("runs") / experiment.name, settings, data, quick)


def _methods(methods: object) -> object:
    """Return methods as in an experiment file."""
    if not isinstance(methods, Mapping):
        return methods
    plain, problems = {}, []
    for name, method in methods.items():
        try:
            plain[str(name)] = _entry(method, ("methods", str(name)))
        except MethodError as error:
            problems.append(f"experiment: {error}")
    if problems:
        raise ConfigError("\n".join(problems))
    return plain


def _entry(method: object, at: tuple[str, ...]) -> object:
    """Return a method as in an experiment file, with the name of a class under ``use``.

    The parameters of an estimator that are called like a key of methods stand under ``params``.
    """
    if not isinstance(method, Mapping):
        return _with_params(as_plain(method, at)) if is_estimator(method) else as_plain(method, at)
    entry: dict[str, Any] = {}
    if "use" in method:
        use = as_plain(method["use"], at)
        entry = _with_params(use) if is_estimator(method["use"]) else {"use": use}
    for key, value in ((str(key), value) for key, value in method.items() if key != "use"):
        inside = (*at, key)
        if key == "tune" and isinstance(value, Mapping):
            entry[key] = {
                str(each): _grid(grid, (*inside, str(each))) for each, grid in value.items()
            }
        elif key == "params" and isinstance(value, Mapping):
            params = {str(each): item for each, item in value.items()}
            entry[key] = {**entry.get(key, {}), **parameter_as_plain(params, inside)}
        elif key in METHOD_WORDS:
            entry[key] = as_plain(value, inside)
        else:
            entry[key] = parameter_as_plain(value, inside)
    return entry


def _with_params(entry: dict[str, Any]) -> dict[str, Any]:
    if entry["use"] == ESTIMATOR:
        return {"use": entry["of"], "params": entry["params"]}
    params = {key: entry[key] for key in entry if key in METHOD_WORDS and key != "use"}
    others = {key: entry[key] for key in entry if key not in params}
    return {**others, "params": params} if params else others


def _grid(grid: object, at: tuple[str, ...]) -> object:
    if isinstance(grid, np.ndarray | range | list | tuple):
        return [parameter_as_plain(item, at) for item in grid]
    return as_plain(grid, at)


def _reference(dataset: object, out: Path, stems: Mapping[str, str]) -> object:
    if isinstance(dataset, Dataset):
        return {"use": str(_saved(dataset, out, stems[dataset.name])), "as": dataset.name}
    if hasattr(dataset, "columns"):
        raise DataError(
            "a data frame is no data set before its labels are named: "
            "mlbench.from_dataframe(frame, label_columns=[...], name='mine')"
        )
    plain = as_plain(dataset)
    if isinstance(plain, str):
        return _absolute(plain)
    if isinstance(plain, dict) and isinstance(plain.get("use"), str):
        return {**plain, "use": _absolute(plain["use"])}
    return plain


def _absolute(use: str) -> str:
    return str(Path(use).expanduser().absolute()) if is_path(use) else use


def _file_names(names: Iterable[str]) -> dict[str, str]:
    """Return what the files of data sets in memory are called, without the suffix.

    A name whose file another one has, as letters are left out, gets a hash.
    """
    stems: dict[str, str] = {}
    for name in names:
        if not 0 < len(name) <= MAX_NAME:
            raise DataError(
                f"the name of a data set in memory has 1 to {MAX_NAME} letters, as its file is "
                f"called by it; this has {len(name)}: {name[:20]!r}"
            )
        stem = slug(name) or "data"
        is_taken = any(other != name and each == stem for other, each in stems.items())
        stems[name] = f"{stem}-{digest(name)[:8]}" if is_taken else stem
    return stems


def _saved(dataset: Dataset, out: Path, stem: str) -> Path:
    """Return the file of a data set in memory, written if it is not there."""
    path = (inside(out, "data") / f"{stem}{SUFFIX}").absolute()
    with contextlib.suppress(DataError):  # not there, or damaged
        if read_dataset(path).fingerprint == dataset.fingerprint:
            return path
    save_dataset(dataset, path)
    return path
