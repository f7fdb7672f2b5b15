"""Cells and the plan that lists them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from mlbench.config.grids import combinations
from mlbench.config.schema import DatasetReference, Experiment, Method
from mlbench.hashing import digest
from mlbench.metrics import get_metric
from mlbench.plan.dataset_facts import DatasetFacts
from mlbench.plan.feasibility import refuse_impossible
from mlbench.plan.identity import PROTOCOL_REVISION, code_behind, method_identity, plain
from mlbench.registry import make_method, method_parameters
from mlbench.store import search_key


@dataclass(frozen=True)
class Cell:
    """One method on one split of one data set.

    Attributes
    ----------
    shares_search : bool
        Whether another cell of the plan needs the same search for parameters.
    after : str or None
        The key of the cell that does that search, where it is not this one.
    code : dict of str to str
        The provenance of every class in the method: told beside results, and no part of the key.
    """

    dataset: str
    method: str
    split: int
    key: str
    identity: dict[str, Any] = field(repr=False)
    reference: str | dict[str, Any] = field(repr=False)
    use: str = field(repr=False)
    params: dict[str, Any] = field(repr=False)
    folder: Path = field(repr=False)
    code: dict[str, str] = field(repr=False)
    time_limit: float | None = None
    memory_limit: float | None = None
    keep_predictions: bool = False
    shares_search: bool = False
    after: str | None = None

    @property
    def name(self) -> str:
        """The cell as people write it: ``data set/method/split``."""
        return f"{self.dataset}/{self.method}/{self.split}"


@dataclass(frozen=True)
class Plan:
    """The cells of an experiment, in the order of the file, and what reports need to know."""

    experiment: Experiment
    cells: list[Cell]
    facts: dict[str, DatasetFacts]
    n_splits: int

    def as_plain(self) -> dict[str, Any]:
        """Return the plan as it is kept beside the rows."""
        return {
            "experiment": self.experiment.model_dump(mode="json", by_alias=True),
            "n_splits": self.n_splits,
            "datasets": {name: asdict(facts) for name, facts in self.facts.items()},
            "methods": list(self.experiment.methods),
            "cells": [[cell.dataset, cell.method, cell.split, cell.key] for cell in self.cells],
        }


def make_plan(experiment: Experiment, folder: Path, facts: Mapping[str, DatasetFacts]) -> Plan:
    """List the cells of an experiment.

    Parameters
    ----------
    experiment : Experiment
    folder : Path
        Where relative paths to methods start.
    facts : mapping
        Facts about each data set, by the name it has in tables.

    Raises
    ------
    ImpossiblePlan
        If a data set cannot be divided as the protocol says, or does not suit a method.
    """
    settings = {name: experiment.settings_of(name) for name in experiment.methods}
    models = {
        name: make_method(method.use, folder, **method.parameters)
        for name, method in settings.items()
    }
    refuse_impossible(experiment, facts, models)
    identities = {
        name: method_identity(
            model, method_parameters(settings[name].use, settings[name].parameters, folder)
        )
        for name, model in models.items()
    }
    codes = {name: code_behind(model) for name, model in models.items()}
    tunings = {
        name: _tuning_identity(experiment, method, folder) for name, method in settings.items()
    }
    n_splits = experiment.protocol.splits.number
    cells = []
    for dataset in experiment.datasets:
        known = facts[dataset.display]
        for name, method in settings.items():
            for index in range(n_splits):
                identity: dict[str, Any] = {
                    "revision": PROTOCOL_REVISION,
                    "dataset": {"name": dataset.canonical, "fingerprint": known.fingerprint},
                    "split": _split_identity(experiment, dataset, index),
                    "preprocess": list(method.preprocess or ()),
                    "method": identities[name],
                    "tuning": tunings[name],
                    "threshold": method.threshold,
                    "folds": _folds(experiment, method),
                }
                if dataset.imbalance is not None:
                    identity["imbalance"] = dataset.imbalance.model_dump()
                limits = method.limits or experiment.limits
                cells.append(
                    Cell(
                        dataset=dataset.display,
                        method=name,
                        split=index,
                        key=digest(identity),
                        identity=identity,
                        reference=dataset.resolved(folder),
                        use=method.use,
                        params=method.parameters,
                        folder=folder,
                        code=codes[name],
                        time_limit=limits.time,
                        memory_limit=limits.memory,
                        keep_predictions=experiment.keep_predictions,
                    )
                )
    return Plan(experiment, _with_shared_searches(cells), dict(facts), n_splits)


def _with_shared_searches(cells: list[Cell]) -> list[Cell]:
    """Let the first of the cells that need the same search do it, and the others wait for it."""
    searches = [search_key(cell.identity) if cell.identity["tuning"] else "" for cell in cells]
    keys: dict[str, dict[str, None]] = {"": {}}
    for search, cell in zip(searches, cells, strict=True):
        if search:
            keys.setdefault(search, {})[cell.key] = None
    result = []
    for search, cell in zip(searches, cells, strict=True):
        if len(keys[search]) > 1:
            first = next(iter(keys[search]))
            after = first if cell.key != first else None
            cell = replace(cell, shares_search=True, after=after)
        result.append(cell)
    return result


def _split_identity(
    experiment: Experiment, dataset: DatasetReference, index: int
) -> dict[str, Any]:
    """Return what a split depends on: not the number of repeats, so that more can be added."""
    spec = experiment.splits_of(dataset).model_dump(exclude={"repeats"})
    return {**spec, "index": index}


def _tuning_identity(experiment: Experiment, method: Method, folder: Path) -> dict[str, Any] | None:
    """Return what a search depends on; estimators that stand in the grid with their code."""
    if not method.tune:
        return None
    grid = combinations(dict(method.tune))
    identity: dict[str, Any] = {
        "grid": grid,
        "select": get_metric(method.scoring or "").name,
        "scope": experiment.protocol.tuning.scope,
    }
    if experiment.protocol.tuning.patience is not None:
        identity["patience"] = experiment.protocol.tuning.patience
    if any(isinstance(value, dict | list | str) for point in grid for value in point.values()):
        points = [plain(method_parameters(method.use, point, folder)) for point in grid]
        identity["estimators"] = points
    return identity


def _folds(experiment: Experiment, method: Method) -> int | None:
    """Return the number of folds inside the training part, where they matter."""
    return experiment.protocol.tuning.folds if method.needs_folds else None
