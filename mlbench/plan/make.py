"""From an experiment to the list of its cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mlbench.config.schema import Experiment, Method
from mlbench.dataset_facts import DatasetFacts
from mlbench.metrics import get_metric
from mlbench.metrics.catalogue import is_in_every_row
from mlbench.metrics.user_metrics import is_user_metric
from mlbench.plan.cells import Cell, Plan
from mlbench.plan.chosen_parameters import (
    ChosenParameters,
    NotChosenError,
    PointAsText,
    candidates_by_text,
)
from mlbench.plan.code_facts import MethodFacts, MetricFacts, method_facts, metric_facts
from mlbench.plan.feasibility import ImpossiblePlan, refuse_impossible
from mlbench.plan.make_splitter import splitter_of
from mlbench.plan.specs import DatasetSpec, MethodSpec, MetricSpec, TuningSpec
from mlbench.protocol.thresholds import uses_held_out_scores


def make_plan(
    experiment: Experiment,
    folder: Path,
    facts: Mapping[str, DatasetFacts],
    chosen: ChosenParameters | None = None,
) -> Plan:
    """List the cells of an experiment.

    Parameters
    ----------
    experiment : Experiment
    folder : Path
        Where relative paths to methods start.
    facts : mapping
        Facts about each data set, by the name it has in tables.
    chosen : ChosenParameters, optional
        What an earlier run chose: no cell searches.

    Raises
    ------
    ImpossiblePlan
        If a data set cannot be divided as the protocol says, or does not suit a method, or no
        candidate was chosen for a cell.
    """
    settings = {name: experiment.settings_of(name) for name in experiment.methods}
    splitters = {
        each.display: splitter_of(experiment, each, folder) for each in experiment.datasets
    }
    met = {name: (splitter, facts[name]) for name, splitter in splitters.items()}
    told = method_facts(settings, folder, met)
    refuse_impossible(
        experiment, splitters, facts, {name: each.unsuited for name, each in told.items()}
    )
    chosen_by = {name: [each.scoring or ""] * bool(each.tune) for name, each in settings.items()}
    shown = {*experiment.metrics, *(name for scoring in chosen_by.values() for name in scoring)}
    told_of = {name: metric_facts(name, folder) for name in sorted(shown) if is_user_metric(name)}
    built_in = [get_metric(name).name for name in experiment.metrics if not is_user_metric(name)]
    told_of |= {name: MetricFacts({"name": name}) for name in built_in if not is_in_every_row(name)}
    recipes = {name: _recipe(name, settings[name], folder, told[name]) for name in settings}
    tunings = {name: _tuning(experiment, settings[name], told[name]) for name in settings}
    metrics = {
        name: _metrics([*experiment.metrics, *built_in, *chosen_by[name]], told_of, folder)
        for name in settings
    }
    n_splits = experiment.protocol.splits.number
    cells: list[Cell] = []
    for reference in experiment.datasets:
        data = DatasetSpec(
            name=reference.display,
            reference=reference.resolved(folder),
            canonical=reference.canonical,
            fingerprint=facts[reference.display].fingerprint,
        )
        cells += [
            Cell(
                data=data,
                splitter=splitters[reference.display],
                split=index,
                recipe=recipes[name],
                tuning=tunings[name],
                folds=experiment.protocol.tuning.folds if method.needs_folds else None,
                stratify_folds=experiment.protocol.tuning.stratify if method.needs_folds else None,
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
    cells = _with_shared_searches(cells) if chosen is None else _with_chosen(cells, chosen)
    stated = tuple(each.stated for each in told_of.values() if each.stated)
    return Plan(experiment, cells, dict(facts), n_splits, stated)


def _with_shared_searches(cells: list[Cell]) -> list[Cell]:
    """Let the first of the cells that need the same search do it, and the others wait for it.

    Methods that share a search share it on every split, so the first split tells which do.
    """
    first_split = [cell for cell in cells if cell.split == 0 and cell.tuning is not None]
    number = Counter(cell.search for cell in first_split)
    sharing = {
        (cell.dataset, cell.method)
        for cell in first_split
        if number[cell.search] > 1 or (cell.tuning and cell.tuning.scope == "first-split")
    }
    keys: dict[str | None, dict[str, None]] = {}
    for cell in cells:
        if (cell.dataset, cell.method) in sharing:
            keys.setdefault(cell.search, {})[cell.key] = None
    result = []
    for cell in cells:
        if (cell.dataset, cell.method) in sharing and len(keys[cell.search]) > 1:
            first = next(iter(keys[cell.search]))
            after = first if cell.key != first else None
            cell = replace(cell, shares_search=True, after=after)
        result.append(cell)
    return result


def _with_chosen(cells: list[Cell], chosen: ChosenParameters) -> list[Cell]:
    """Give cells the candidates that an earlier run chose, in place of their searches."""
    result, problems = [], []
    candidates: dict[str, dict[PointAsText, int]] = {}
    for cell in cells:
        if cell.tuning is not None:
            place = (cell.dataset, cell.method, cell.split)
            try:
                if cell.method not in candidates:
                    candidates[cell.method] = candidates_by_text(cell.tuning.grid)
                index = chosen.candidate(place, candidates[cell.method])
            except NotChosenError as error:
                problems.append(str(error))
                continue
            cell = replace(cell, tuning=None, chosen=cell.tuning.candidate(index))
            if not uses_held_out_scores(cell.threshold):
                cell = replace(cell, folds=None, stratify_folds=None)
        result.append(cell)
    if problems:
        raise ImpossiblePlan([(("protocol", "tuning", "params"), _first(problems))])
    return result


def _first(problems: list[str]) -> str:
    more = len(problems) - 1
    return problems[0] + (f" (and {more} more)" if more else "")


def _recipe(name: str, method: Method, folder: Path, told: MethodFacts) -> MethodSpec:
    return MethodSpec(
        name=name,
        use=method.use,
        parameters=method.parameters,
        folder=folder,
        identity=told.identity,
        code=told.code,
        large_arrays=told.large_arrays,
    )


def _tuning(experiment: Experiment, method: Method, told: MethodFacts) -> TuningSpec | None:
    """Return the search of a method; estimators that stand in the grid are described."""
    if not method.tune:
        return None
    scoring = method.scoring or ""
    return TuningSpec(
        grid=method.candidates,
        scoring=scoring if is_user_metric(scoring) else get_metric(scoring).name,
        scope=experiment.protocol.tuning.scope,
        patience=experiment.protocol.tuning.patience,
        halving=experiment.protocol.tuning.halving,
        estimators=told.candidates,
    )


def _metrics(
    named: list[str], facts: Mapping[str, MetricFacts], folder: Path
) -> tuple[MetricSpec, ...]:
    """Return those among the named metrics that not every row has."""
    return tuple(
        MetricSpec(name, folder, told.identity, told.code)
        for name, told in facts.items()
        if name in named
    )
