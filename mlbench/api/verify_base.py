"""Run cells of a base here, to see whether its numbers come out the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from mlbench.api.prepare import Prepared
from mlbench.environment import behind_scores
from mlbench.executors.local import LocalExecutor
from mlbench.methods.catalogue import METHODS
from mlbench.number_text import counted, listed
from mlbench.plan import Cell, make_plan
from mlbench.results.results import Results
from mlbench.results.same_scores import largest_gap
from mlbench.results.taken_over import TakenOver
from mlbench.store import Store, Summary
from mlbench.store.plain_values import differing_values, part_text

_TRUSTED = {"scikit-learn", "scipy", "numpy"}
"""Distributions that mlbench itself needs."""
_SHOWN = 5


def verify_base(
    prepared: Prepared, data_dirs: Sequence[Path], number: int, jobs: int
) -> Iterator[str]:
    """Run the cheapest cells of a base in a temporary folder, and say which numbers differ.

    Only methods that come with mlbench run.

    Parameters
    ----------
    prepared : Prepared
        An experiment with a base.
    data_dirs : sequence of Path
        Folders to look for data in before the usual ones.
    number : int
        How many cells to run.
    jobs : int
        Worker processes.

    Yields
    ------
    str
        Lines to print.
    """
    (part,) = (each for each in prepared.taken_over if each.origin.is_base)
    found_there = _cheapest(prepared, part, number)
    if not found_there:
        yield (
            "base: none of its cells can be run here: no method that comes with mlbench has a cell "
            "that is ok"
        )
        return
    cells = [cell for cell, _ in found_there]
    if len(cells) < number:
        yield f"base: only {counted(len(cells), 'cell')} of methods that come with mlbench"
    with TemporaryDirectory(prefix="mlbench-base-") as folder:
        executor = LocalExecutor(Path(folder), data_dirs, jobs, prepared.plan.experiment.threads)
        for _ in executor.run(cells):
            pass
        found = Store(Path(folder)).scan(cell.key for cell in cells).rows
    yield from compared([(cell.name, row, found.get(cell.key)) for cell, row in found_there])
    yield from _other_settings(found_there)


def _other_settings(cells: Sequence[tuple[Cell, Summary]]) -> Iterator[str]:
    """Say which methods have a parameter or a revision here that their cells ran without."""
    told: dict[str, str] = {}
    for cell, row in cells:
        changes = differing_values(row.identity, cell.identity)
        if cell.method not in told and (first := next(iter(changes), None)) is not None:
            what, then, now = first
            change = f"{part_text(what, then)} there, {part_text(what, now)} here"
            told[cell.method] = f"{cell.method} ({what}: {change})"
    if told:
        yield f"  other versions give other settings to {listed([*told.values()], _SHOWN)}"


def compared(cells: Sequence[tuple[str, Summary, Summary | None]]) -> Iterator[str]:
    """Say which numbers differ, why that may be, and what follows.

    Parameters
    ----------
    cells : sequence of (str, Summary, Summary or None)
        The name of a cell, its row in the base, and its row here.
    """
    told, failed, versions = [], [], set[str]()
    same: Counter[str] = Counter()
    harmless = set[str]()
    for name, there, here in cells:
        if here is None or not here.is_ok:
            failed.append(f"{name} ({'not run' if here is None else here.status})")
            continue
        gap = largest_gap(there.metrics, here.metrics)
        if gap is None or not gap.size:
            same[there.method] += 1
            harmless.update(_other_versions(there, here))
            continue
        n_alike = sum(here.metrics.get(each) == score for each, score in there.metrics.items())
        others = f", with {n_alike} of its metrics the same" if n_alike else ""
        told.append(f"{name} by {gap}{others}")
        versions.update(_other_versions(there, here))
    of = Counter(there.method for _, there, _ in cells)
    by_method = listed([f"{method} {same[method]} of {number}" for method, number in of.items()])
    in_all = f"{same.total()} of {counted(len(cells), 'cell')}"
    yield f"base: {in_all} the same bits here: {by_method}"
    if told:
        yield f"different here: {listed(told, _SHOWN)}"
        yield (
            f"  {_cause(versions, versions <= harmless)}; the base's rows stay as published, and "
            "your methods are compared with these"
        )
    if failed:
        yield f"no result here: {listed(failed, _SHOWN)}"


def _other_versions(there: Summary, here: Summary) -> Iterator[str]:
    """Yield the software and hardware that two cells differ in: ``numpy 2.4 here (2.3 there)``."""
    now = behind_scores(here.environment)
    for name, then in behind_scores(there.environment).items():
        if now.get(name, then) != then:
            yield f"{name} {now[name]} here ({then} there)"


def _cause(versions: Collection[str], are_harmless: bool) -> str:
    if not versions:
        return "the same versions, so the processor or the rows themselves differ"
    found = f"possibly other versions: {listed(sorted(versions), _SHOWN)}"
    return f"{found}, with which other cells are the same" if are_harmless else found


def _cheapest(prepared: Prepared, part: TakenOver, number: int) -> list[tuple[Cell, Summary]]:
    """Return cells that come with mlbench and their rows: each method's cheapest, in turn."""
    results, experiment = part.results, part.results.plan.experiment
    built_in = [name for name in results.methods if _is_built_in(name, results)]
    if not built_in:
        return []
    own = prepared.plan.experiment
    chosen = own.model_copy(
        update={
            "methods": {name: experiment.methods[name] for name in built_in},
            "metrics": experiment.metrics,
            "tests": [],
            "keep_predictions": False,
        }
    )
    plan = make_plan(chosen, prepared.loaded.folder, prepared.plan.facts)
    rows = {cell[:3]: results.rows.get(cell.key) for cell in results.cells}
    there = [
        (replace(cell, shares_search=False, after=None), row)
        for cell in plan.cells
        if (row := rows.get((cell.dataset, cell.method, cell.split))) is not None and row.is_ok
    ]
    there.sort(key=lambda each: each[1].seconds.get("total", 0.0))
    turn: Counter[str] = Counter()
    in_turn = []
    for cell, row in there:
        in_turn.append((turn[cell.method], cell, row))
        turn[cell.method] += 1
    in_turn.sort(key=lambda each: each[0])
    return [(cell, row) for _, cell, row in in_turn[:number]]


def _is_built_in(method: str, results: Results) -> bool:
    """Tell whether a method, with all inside it, comes with mlbench or what it needs."""
    for cell in results.cells:
        if cell.method == method and cell.key in results.rows:
            identity = results.rows[cell.key].identity["method"]
            is_ours = isinstance(identity, dict) and identity.get("name") in METHODS
            return is_ours and not _is_foreign(identity)
    return False


def _is_foreign(identity: object) -> bool:
    if isinstance(identity, list):
        return any(map(_is_foreign, identity))
    if not isinstance(identity, dict):
        return False
    if "code" in identity or identity.get("distribution", "numpy") not in _TRUSTED:
        return True
    return any(map(_is_foreign, identity.values()))
