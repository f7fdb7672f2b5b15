"""From an experiment to the list of its cells."""

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from mlbench.config.fields import ForF1
from mlbench.config.schema import ExperimentConfig, Method
from mlbench.dataset_facts import DatasetFacts
from mlbench.metrics import get_metric
from mlbench.metrics.catalogue import is_in_every_row
from mlbench.metrics.user_metrics import is_user_metric
from mlbench.plan.cells import (
    Cell,
    NoChoice,
    Plan,
    PlannedDataset,
    PlannedMethod,
    PlannedMetric,
    PlannedSearch,
    without_parameters,
)
from mlbench.plan.chosen_parameters import (
    ChosenParameters,
    NotChosenError,
    PointAsText,
    candidates_by_text,
)
from mlbench.plan.code_facts import MethodFacts, MetricFacts, method_facts, metric_facts
from mlbench.plan.feasibility import ImpossiblePlan, problems
from mlbench.plan.make_splitter import splitter_of
from mlbench.protocol.thresholds import uses_held_out_scores


def make_plan(
    experiment: ExperimentConfig,
    folder: Path,
    facts: Mapping[str, DatasetFacts],
    chosen: ChosenParameters | None = None,
) -> Plan:
    """List the cells of an experiment.

    Parameters
    ----------
    experiment : ExperimentConfig
    folder : Path
        The folder that relative paths to methods start from.
    facts : mapping
        Facts about each data set, by its name in tables.
    chosen : ChosenParameters, optional
        The parameters that an earlier run chose. They replace all searches.

    Raises
    ------
    ImpossiblePlan
        If the protocol cannot divide a data set, if a data set does not suit a method, or if the
        earlier run chose no candidate for a cell.
    """
    settings = {name: experiment.settings_of(name) for name in experiment.methods}
    splitters = {
        each.display: splitter_of(experiment, each, folder) for each in experiment.datasets
    }
    planned_data = {name: (splitter, facts[name]) for name, splitter in splitters.items()}
    facts_of_methods = method_facts(settings, folder, planned_data)
    unsuited = {name: each.unsuited for name, each in facts_of_methods.items()}
    if found := list(problems(experiment, splitters, facts, unsuited)):
        raise ImpossiblePlan(found)
    scoring = {name: each.searched_by for name, each in settings.items() if each.tune}
    facts_of_metrics = {
        name: metric_facts(name, folder)
        for name in sorted({*experiment.metrics, *chain(*scoring.values())})
        if is_user_metric(name)
    }
    built_in = [get_metric(name).name for name in experiment.metrics if not is_user_metric(name)]
    facts_of_metrics |= {
        name: MetricFacts({"name": name}) for name in built_in if not is_in_every_row(name)
    }
    methods = {
        name: PlannedMethod(
            name,
            method.use,
            method.parameters,
            folder,
            facts_of_methods[name].identity,
            facts_of_methods[name].code,
            facts_of_methods[name].large_arrays,
        )
        for name, method in settings.items()
    }
    tunings = {
        name: _tuning(experiment, method, facts_of_methods[name])
        for name, method in settings.items()
    }
    shown = {*experiment.metrics, *built_in}
    metrics = {
        name: _metrics(shown | {*scoring.get(name, ())}, facts_of_metrics, folder)
        for name in settings
    }
    n_splits = experiment.protocol.splits.n_splits
    cells: list[Cell] = []
    for reference in experiment.datasets:
        data = PlannedDataset(
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
                planned_method=methods[name],
                tuning=tunings[name],
                folds=experiment.protocol.tuning.folds if method.needs_folds else None,
                stratify_folds=experiment.protocol.tuning.stratify if method.needs_folds else None,
                steps=method.preprocess or (),
                threshold=method.policy,
                threshold_for_f1=isinstance(method.threshold, ForF1),
                threads=experiment.threads,
                limits=method.limits or experiment.limits,
                keep_predictions=experiment.keep_predictions,
                metrics=metrics[name],
                judged_by=experiment.judged_metrics,
            )
            for name, method in settings.items()
            if reference.display not in method.not_on
            for index in range(n_splits)
        ]
    cells = _with_shared_searches(cells) if chosen is None else _with_chosen(cells, chosen)
    user_metrics = tuple(each.stated for each in facts_of_metrics.values() if each.stated)
    return Plan(experiment, cells, dict(facts), n_splits, user_metrics)


def without(plan: Plan, places: Container[tuple[str, str, int]]) -> Plan:
    """Return a plan without some cells, which stand elsewhere: data set, method and split."""
    cells = [
        replace(cell, shares_search=False, after=None)
        for cell in plan.cells
        if (cell.dataset, cell.method, cell.split) not in places
    ]
    return replace(plan, cells=_with_shared_searches(cells))


def _with_shared_searches(cells: list[Cell]) -> list[Cell]:
    """Let the first of the cells that need the same search run it; the others wait for it.

    Methods that share a search share it on every split, so the first split shows which do.
    """
    first_split = [cell for cell in cells if cell.split == 0 and cell.tuning is not None]
    count = Counter(cell.search for cell in first_split)
    sharing = {
        (cell.dataset, cell.method)
        for cell in first_split
        if count[cell.search] > 1 or (cell.tuning and cell.tuning.scope == "first-split")
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
    """Replace the searches of cells by the candidates that an earlier run chose.

    A cell for which it chose none fails, and the others run.
    """
    candidates: dict[str, dict[PointAsText, int]] = {}

    def choose(cell: Cell, search: PlannedSearch) -> Cell:
        place = (cell.dataset, cell.method, cell.split)
        try:
            if cell.method not in candidates:
                candidates[cell.method] = candidates_by_text(search.grid)
            known = candidates[cell.method]
            by_metric = {
                metric: search.candidate(chosen.candidate(place, known, metric))
                for metric in search.metrics
            }
        except NotChosenError as error:
            return replace(cell, tuning=None, chosen=NoChoice(str(error)))
        first = by_metric[search.scoring]
        several = by_metric if search.others else {}
        return replace(cell, tuning=None, chosen=first, chosen_by=several)

    result, choices = [], []
    for cell in cells:
        if cell.tuning is not None:
            cell = choose(cell, cell.tuning)
            choices.append(cell.chosen)
            if not uses_held_out_scores(cell.threshold):
                cell = replace(cell, folds=None, stratify_folds=None)
        result.append(cell)
    if choices and all(isinstance(each, NoChoice) for each in choices):
        raise ImpossiblePlan([(("protocol", "tuning", "params"), without_parameters(result))])
    return result


def _tuning(
    experiment: ExperimentConfig, method: Method, facts: MethodFacts
) -> PlannedSearch | None:
    """Return the search of a method, or None if it tunes nothing."""
    if not method.tune:
        return None
    first, *others = method.searched_by
    return PlannedSearch(
        grid=method.candidates,
        scoring=first,
        others=tuple(others),
        scope=experiment.protocol.tuning.scope,
        patience=experiment.protocol.tuning.patience,
        halving=experiment.protocol.tuning.halving,
        estimators=facts.candidates,
    )


def _metrics(
    names: Container[str], facts: Mapping[str, MetricFacts], folder: Path
) -> tuple[PlannedMetric, ...]:
    """Return the named metrics that not every row has."""
    return tuple(
        PlannedMetric(name, folder, metric.identity, metric.code)
        for name, metric in facts.items()
        if name in names
    )
