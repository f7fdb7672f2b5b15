"""The published results that an experiment stands on: checked against what is here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mlbench.api.check_base import CheckedBase
from mlbench.config.load import LoadedExperiment, format_problems
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import ConfigError
from mlbench.number_text import counted
from mlbench.plan import Plan
from mlbench.results.exported import folder_texts
from mlbench.results.results import Results
from mlbench.results.taken_over import TakenOver
from mlbench.results.verify import verify
from mlbench.store import Summary


def take_over_base(
    loaded: LoadedExperiment, facts: Mapping[str, DatasetFacts]
) -> tuple[TakenOver, list[str]]:
    """Take over the cells of an experiment's base, and return notes on them.

    Parameters
    ----------
    loaded : LoadedExperiment
        It has a base.
    facts : mapping
        Facts about each data set as it is here, by its name in tables.

    Raises
    ------
    StoreError
        If the base is damaged, or the key of a cell is not the hash of its identity.
    ConfigError
        If it is of other data, splits or revisions than are here, or lacks a metric.
    """
    found = loaded.base
    assert found is not None
    texts = folder_texts(found.path)
    verified = verify(found.path, texts)
    results = verified.results
    checked = CheckedBase(loaded, found, verified, facts)
    if problems := list(checked.problems()):
        raise ConfigError(format_problems(loaded.source, problems))
    cells = {
        (cell.dataset, cell.method, cell.split)
        for cell in results.cells
        if cell.key in results.rows
        if cell.dataset in found.datasets and cell.method in found.methods
    }
    part = TakenOver.of_export(found.path, texts, cells, is_base=True)
    return part, [_heading(part), *checked.notes(part)]


def moved_numbers(old: Results, new: Results) -> list[str]:
    """Return the numbers of a base that are not what they were: ``emotions/BR/0 macro_f1``."""
    scores = {line[:4]: line[4] for line in new.numbers("scores")}
    return [
        f"{dataset}/{method}/{split} {metric}"
        for dataset, method, split, metric, score in old.numbers("scores")
        if (place := (dataset, method, split, metric)) in scores and scores[place] != score
    ]


def agreements(plan: Plan, rows: Mapping[str, Summary], parts: Sequence[TakenOver]) -> list[str]:
    """Say of each own method that is one of the base whether it got the same numbers."""
    base = {
        cell.key: part.results.rows[cell.key]
        for part in parts
        if part.origin.is_base
        for cell in part.results.cells
    }
    found: dict[str, list[float]] = {}
    for cell in plan.cells:
        row, other = rows.get(cell.key), base.get(cell.key)
        if row is not None and other is not None and row.is_ok and other.is_ok:
            found.setdefault(cell.method, []).append(largest_difference(other, row))
    return [f"{method}: {same_bits(gaps)}" for method, gaps in found.items()]


def same_bits(gaps: Sequence[float]) -> str:
    """Say how many cells have the numbers that the base has for them."""
    same = sum(gap == 0 for gap in gaps)
    of = f"the same bits as the base on {same} of {counted(len(gaps), 'cell')}"
    return of if same == len(gaps) else f"{of}, largest difference {max(gaps):.2g}"


def largest_difference(there: Summary, here: Summary) -> float:
    """Return by how much two rows differ at most, in the metrics that both have."""
    pairs = [
        (there.metrics[name], here.metrics[name]) for name in there.metrics if name in here.metrics
    ]
    gaps = [abs(a - b) for a, b in pairs if a is not None and b is not None]
    undefined = any((a is None) != (b is None) for a, b in pairs)
    return math.inf if undefined else max(gaps, default=0.0)


def _heading(part: TakenOver) -> str:
    origin, plan = part.origin, part.results.plan
    return (
        f"base {origin.title}: {counted(len(plan.methods), 'method')}, "
        f"{counted(len(plan.datasets), 'data set')}, {counted(plan.n_splits, 'split')}: "
        f"{counted(origin.n_cells, 'cell')} taken over, all keys verified"
    )
