"""Cells that an experiment need not run, because an export has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mlbench.bundle import published_names, published_path
from mlbench.errors import MlbenchError, StoreError
from mlbench.number_text import counted
from mlbench.plan import Cell, Plan
from mlbench.plan.make import without
from mlbench.plan.pending import outstanding
from mlbench.results.cells_file import CellPlace
from mlbench.results.exported import folder_texts
from mlbench.results.results import Results
from mlbench.results.taken_over import TakenOver, read_taken_over
from mlbench.results.verify import verify
from mlbench.store import Store
from mlbench.store.plain_values import differing_values

_MAX_DIFFERENCES = 3


@dataclass(frozen=True)
class Again:
    """Which cells are to run although an export has them."""

    failed: bool = False
    changed: bool = False


def cells_of_exports(
    plan: Plan, out: Path, exports: Sequence[Path], again: Again
) -> tuple[Plan, list[TakenOver], list[str]]:
    """Take over the cells of a plan that exports have and its results folder lacks.

    Parameters
    ----------
    plan : Plan
    out : Path
        The results folder. What it took over before counts as well.
    exports : sequence of Path
        Folders that `mlbench export --folder` wrote, or names of published results.
    again : Again

    Returns
    -------
    plan : Plan
        The cells that are left.
    parts : list of TakenOver
    notes : list of str
        A line about each export.

    Raises
    ------
    StoreError
        If an export is damaged, or the key of a cell is not the hash of its identity.
    """
    found = [published_path(path) for path in exports]
    if unknown := [path for path in found if not path.exists()]:
        names = published_names(unknown[0])
        raise MlbenchError(f"--from {unknown[0]}: no such exported folder{names}")
    sources: list[tuple[Path, Mapping[str, str], Results]] = []
    for path in found:
        of_path = folder_texts(path)
        sources.append((path, of_path, verify(path, of_path).results))
    with suppress(StoreError):  # a damaged file is told of where the folder is opened
        before = [part for part in read_taken_over(out) if not part.origin.is_base]
        sources += [(part.path, part.texts, part.results) for part in before]
    parts, notes = [], []
    for index, (path, texts, results) in enumerate(sources):
        places = _finished(plan, out, results, again)
        if places:
            part = TakenOver.of_export(path, texts, places, is_base=False)
            parts.append(part)
            plan = without(plan, places)
        if index < len(exports):
            said = [_said(parts[-1])] if places else []
            said += _without_predictions(plan, out, results)
            notes.append(f"{exports[index]}: {'; '.join(said) or _why_none(plan, results)}")
    return plan, parts, notes


def _finished(plan: Plan, out: Path, results: Results, again: Again) -> set[CellPlace]:
    """Return the cells of a plan that an export has, where the results folder has no result."""
    store = Store(out)
    rows = store.summaries(cell.key for cell in plan.cells).rows
    lacking = outstanding(plan.cells, rows, store.kept_predictions(), retry_failed=True)
    left = {cell.key for cell in lacking}
    unsettled = outstanding(lacking, results.rows, (), again.failed, again.changed)
    there = left - {cell.key for cell in unsettled}
    of_export = {(cell.dataset, cell.method, cell.split): cell.key for cell in results.cells}
    return {
        place
        for cell in plan.cells
        if cell.key in there
        if of_export.get(place := (cell.dataset, cell.method, cell.split)) == cell.key
        if results.rows[cell.key].is_ok or cell.key not in rows
    }


def _said(part: TakenOver) -> str:
    origin = part.origin
    return f"{counted(origin.n_cells, 'cell')} taken over ({origin.states}), all keys verified"


def _without_predictions(plan: Plan, out: Path, results: Results) -> list[str]:
    """Say how many cells run though an export has them, as it has no predictions of them."""
    store = Store(out)
    rows = store.summaries(cell.key for cell in plan.cells).rows
    left = outstanding(plan.cells, rows, store.kept_predictions())
    keys = {cell.key for cell in left if cell.keep_predictions}
    number = sum(row.is_ok for key, row in results.rows.items() if key in keys)
    told = (
        f"{counted(number, 'cell')} not taken over, since `keep_predictions` wants predictions, "
        "which no export has (--set keep_predictions=false)"
    )
    return [told] if number else []


def _why_none(plan: Plan, results: Results) -> str:
    """Say why an export has no cell that is to run: in what the first of them differs."""
    of_export = {(cell.dataset, cell.method, cell.split): cell.key for cell in results.cells}
    for cell in plan.cells:
        key = of_export.get((cell.dataset, cell.method, cell.split))
        if key is not None and key in results.rows and key != cell.key:
            return f"no cell taken over: {cell.name} differs in {_differences(cell, results, key)}"
    return "no cell taken over: it has none of those that are to run"


def _differences(cell: Cell, results: Results, key: str) -> str:
    found = [path for path, _, _ in differing_values(results.rows[key].identity, cell.identity)]
    more = f" and {len(found) - _MAX_DIFFERENCES} more" if len(found) > _MAX_DIFFERENCES else ""
    return ", ".join(found[:_MAX_DIFFERENCES]) + more
