"""Experiments from Python objects."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from mlbench.api.estimators import as_plain, is_foreign
from mlbench.config.load import LoadedExperiment, check_experiment, find_config, load_experiment
from mlbench.data import Dataset
from mlbench.data.dataset_reference import is_path
from mlbench.data.npz import SUFFIX, read_dataset, save_dataset
from mlbench.errors import ConfigError, DataError
from mlbench.registry.import_policy import allow_imports
from mlbench.report.tables.table import slug
from mlbench.store.paths import inside
from mlbench.yaml_loader import YamlDocument, dump_yaml


class Experiment:
    """Data sets, methods and a protocol, as in an experiment file.

    Parameters
    ----------
    datasets : sequence
        Names, paths, mappings as in an experiment file, or `Dataset` objects with names of their
        own.
    methods : mapping
        From the name in tables to a short name, an estimator object, or a mapping as in an
        experiment file, in which an estimator may stand under ``use``:
        ``{"use": RandomForestClassifier(), "tune": {"max_depth": [3, None]}}``.
    name : str
        The results are in ``runs/NAME`` by default.
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
        datasets: Sequence[str | Mapping[str, object] | Dataset],
        methods: Mapping[str, object],
        name: str = "experiment",
        **more: object,
    ) -> None:
        self.datasets = [datasets] if isinstance(datasets, str | Mapping | Dataset) else datasets
        self.methods = methods
        self.name = name
        self.more = more

    def __repr__(self) -> str:
        """Say how large it is."""
        counts = [
            f"{len(found)} {word}{'' if len(found) == 1 else 's'}"
            for found, word in ((self.datasets, "data set"), (self.methods, "method"))
        ]
        return f"Experiment({self.name!r}: {', '.join(counts)})"

    def load(self, out: Path, settings: Sequence[str], data: Sequence[Path]) -> LoadedExperiment:
        """Check the experiment; data sets in memory are saved in the results folder.

        Code of estimator objects may be imported from now on.

        Raises
        ------
        ConfigError
            With a line for each error.
        """
        if is_foreign(self.methods):
            allow_imports()
        value = {
            "name": self.name,
            "datasets": [_reference(each, out) for each in self.datasets],
            "methods": {str(name): _entry(each) for name, each in self.methods.items()},
            **{key: as_plain(each) for key, each in self.more.items()},
        }
        source = YamlDocument(Path("experiment"), dump_yaml(value), value, positions={})
        try:
            return check_experiment(source, data, settings)
        except ConfigError as error:
            raise ConfigError(str(error).replace("experiment:1:1: ", "experiment: ")) from None


def load_any(
    experiment: str | Path | Mapping[str, object] | Experiment,
    out: Path | None,
    settings: Sequence[str] = (),
    data: Sequence[Path] = (),
) -> LoadedExperiment:
    """Return an experiment from a file, the name of a bundled one, a mapping or an `Experiment`."""
    if isinstance(experiment, str | Path):
        return load_experiment(find_config(str(experiment)), data, settings)
    if isinstance(experiment, Mapping):
        given = {str(key): value for key, value in experiment.items()}
        lacking = [key for key in ("datasets", "methods") if key not in given]
        if lacking:
            raise ConfigError(f"experiment: the key {lacking[0]!r} is required")
        experiment = Experiment(**given)  # type: ignore[arg-type]
    if not isinstance(experiment, Experiment):
        raise ConfigError(
            f"an experiment is a file, a name, a mapping or mlbench.Experiment, not {experiment!r}"
        )
    return experiment.load(out or Path("runs") / experiment.name, settings, data)


def _entry(method: object) -> object:
    """Return a method as a mapping, with the class and parameters of an estimator under ``use``."""
    plain = as_plain(method)
    if isinstance(plain, dict) and isinstance(plain.get("use"), dict):
        return {**plain["use"], **{key: value for key, value in plain.items() if key != "use"}}
    return plain


def _reference(dataset: object, out: Path) -> object:
    if isinstance(dataset, Dataset):
        return {"use": str(_saved(dataset, out)), "as": dataset.name}
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


def _saved(dataset: Dataset, out: Path) -> Path:
    """Return the file of a data set in memory, written if it is not there."""
    path = (inside(out, "data") / f"{slug(dataset.name)}{SUFFIX}").absolute()
    with contextlib.suppress(DataError):  # not there, or damaged
        if read_dataset(path).fingerprint == dataset.fingerprint:
            return path
    save_dataset(dataset, path)
    return path
