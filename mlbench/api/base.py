"""The published results that an experiment stands on: checked against what is here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mlbench.api.check_base import CheckedBase
from mlbench.bundle import published_results
from mlbench.config.find_base import is_export
from mlbench.config.load import LoadedExperiment, format_problems
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import ConfigError
from mlbench.number_text import counted
from mlbench.plan import Plan
from mlbench.results.admission import differing_settings
from mlbench.results.exported import folder_texts
from mlbench.results.results import Results
from mlbench.results.same_scores import LargestGap, cells_of, gaps_between
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
    return part, [_heading(part), *_called_alike(loaded), *checked.notes(part)]


def _called_alike(loaded: LoadedExperiment) -> Iterator[str]:
    """Say that there is a folder of the base's name, which is another one."""
    base = loaded.experiment.base
    if base is not None and base.use in published_results():
        folder = loaded.folder / base.use
        if is_export(folder) and folder.resolve() != published_results()[base.use].resolve():
            yield f"base {base.use} is what comes with mlbench; for {folder} write ./{base.use}"


def moved_numbers(old: Results, new: Results) -> list[str]:
    """Return the numbers of a base that are not what they were: ``emotions/BR/0 macro_f1``."""
    scores = {line[:4]: line[4] for line in new.numbers("scores")}
    return [
        f"{dataset}/{method}/{split} {metric}"
        for dataset, method, split, metric, score in old.numbers("scores")
        if (place := (dataset, method, split, metric)) in scores and scores[place] != score
    ]


def agreements(plan: Plan, rows: Mapping[str, Summary], parts: Sequence[TakenOver]) -> list[str]:
    """Say of each own method that is one of the base whether it got the same numbers.

    It is one of the base if it is stated alike, or has the same scores on all cells of both.
    """
    own: dict[str, dict[tuple[str, int], Summary]] = {}
    for cell in plan.cells:
        if (row := rows.get(cell.key)) is not None and row.is_ok:
            own.setdefault(cell.method, {})[cell.dataset, cell.split] = row
    lines = []
    for part in parts:
        if not part.origin.is_base:
            continue
        stated = part.results.plan.experiment.methods
        for other, there in cells_of(part.results).items():
            for method, here in own.items():
                gaps = gaps_between(there, here)
                is_stated = not differing_settings(stated[other], plan.experiment.methods[method])
                if gaps and (is_stated or all(gap.is_rounding for gap in gaps)):
                    lines.append(f"{method}: {_compared(other, gaps)}")
    return lines


def _compared(other: str, gaps: Sequence[LargestGap]) -> str:
    """Say how many cells have the numbers that a method of the base has for them."""
    same, largest = sum(gap.size == 0 for gap in gaps), max(gaps)
    of = f"the same bits as {other} of the base on {same} of {counted(len(gaps), 'cell')}"
    if same == len(gaps):
        return of
    if largest.is_rounding:
        return f"{of}, the same but for rounding on all"
    return f"{of}; the largest difference is {largest}"


def _heading(part: TakenOver) -> str:
    origin, plan = part.origin, part.results.plan
    extent = (
        (counted(len(plan.methods), "method"), counted(len(plan.datasets), "data set"))
        if origin.extent is None
        else origin.extent.counts
    )
    return (
        f"base {origin.title}: {', '.join(extent)}, {counted(plan.n_splits, 'split')}: "
        f"{counted(origin.n_cells, 'cell')} taken over, all keys verified"
    )
