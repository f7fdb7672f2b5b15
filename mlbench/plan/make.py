"""From an experiment to the list of its cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sklearn.base import BaseEstimator

from mlbench.config.grids import combinations
from mlbench.config.schema import Experiment, Method
from mlbench.dataset_facts import DatasetFacts
from mlbench.metrics.user_metrics import is_user_metric, load_metric, load_metric_function
from mlbench.plan.cells import Cell, Plan
from mlbench.plan.feasibility import refuse_impossible
from mlbench.plan.identity import code_behind, method_identity, metric_identity, plain
from mlbench.plan.make_splitter import splitter_of
from mlbench.plan.specs import DatasetSpec, MethodSpec, MetricSpec, TuningSpec
from mlbench.registry import make_method, method_parameters
from mlbench.registry.code_hash import provenance


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
    recipes = {name: _recipe(name, settings[name], folder, models[name]) for name in settings}
    tunings = {name: _tuning(experiment, method, folder) for name, method in settings.items()}
    metrics = {name: _own_metrics(experiment, method, folder) for name, method in settings.items()}
    n_splits = experiment.protocol.splits.number
    cells = []
    for reference in experiment.datasets:
        data = DatasetSpec(
            name=reference.display,
            reference=reference.resolved(folder),
            canonical=reference.canonical,
            fingerprint=facts[reference.display].fingerprint,
        )
        splitter = splitter_of(experiment, reference)
        cells += [
            Cell(
                data=data,
                splitter=splitter,
                split=index,
                recipe=recipes[name],
                tuning=tunings[name],
                folds=experiment.protocol.tuning.folds if method.needs_folds else None,
                steps=method.preprocess or (),
                threshold=method.threshold or experiment.protocol.threshold,
                threads=experiment.threads,
                limits=method.limits or experiment.limits,
                keep_predictions=experiment.keep_predictions,
                metrics=metrics[name],
            )
            for name, method in settings.items()
            for index in range(n_splits)
        ]
    own = {metric.name: metric.load().as_plain() for each in metrics.values() for metric in each}
    cells = _with_shared_searches(cells)
    return Plan(experiment, cells, dict(facts), n_splits, tuple(own.values()))


def _with_shared_searches(cells: list[Cell]) -> list[Cell]:
    """Let the first of the cells that need the same search do it, and the others wait for it."""
    keys: dict[str, dict[str, None]] = {}
    for cell in cells:
        if cell.search is not None:
            keys.setdefault(cell.search, {})[cell.key] = None
    result = []
    for cell in cells:
        if cell.search is not None and len(keys[cell.search]) > 1:
            first = next(iter(keys[cell.search]))
            after = first if cell.key != first else None
            cell = replace(cell, shares_search=True, after=after)
        result.append(cell)
    return result


def _recipe(name: str, method: Method, folder: Path, model: BaseEstimator) -> MethodSpec:
    stated = method_parameters(method.use, method.parameters, folder)
    return MethodSpec(
        name=name,
        use=method.use,
        parameters=method.parameters,
        folder=folder,
        identity=method_identity(model, stated),
        code=code_behind(model),
    )


def _tuning(experiment: Experiment, method: Method, folder: Path) -> TuningSpec | None:
    """Return the search of a method; estimators that stand in the grid are described."""
    if not method.tune:
        return None
    grid = combinations(dict(method.tune))
    estimators = None
    if any(isinstance(value, dict | list | str) for point in grid for value in point.values()):
        estimators = [plain(method_parameters(method.use, point, folder)) for point in grid]
    return TuningSpec(
        grid=grid,
        scoring=load_metric(method.scoring or "", folder).name,
        scope=experiment.protocol.tuning.scope,
        patience=experiment.protocol.tuning.patience,
        estimators=estimators,
    )


def _own_metrics(experiment: Experiment, method: Method, folder: Path) -> tuple[MetricSpec, ...]:
    """Return the user's own metrics among those to show and the one that chooses."""
    named = [*experiment.metrics, *([method.scoring] if method.tune and method.scoring else [])]
    functions = {
        name: load_metric_function(name, folder)
        for name in sorted(set(named))
        if is_user_metric(name)
    }
    return tuple(
        MetricSpec(name, folder, metric_identity(name, function), provenance(function))
        for name, function in functions.items()
    )
