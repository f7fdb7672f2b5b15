"""Run cells of a base here, to see whether its numbers come out the same."""

from __future__ import annotations

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
    rows = part.results.rows
    cells = _cheapest(prepared, part, number)
    if not cells:
        yield (
            "base: none of its cells can be run here: no method that comes with mlbench has the "
            "key of a cell that is ok"
        )
        return
    if len(cells) < number:
        yield f"base: only {counted(len(cells), 'cell')} of methods that come with mlbench"
    with TemporaryDirectory(prefix="mlbench-base-") as folder:
        executor = LocalExecutor(Path(folder), data_dirs, jobs, prepared.plan.experiment.threads)
        for _ in executor.run(cells):
            pass
        found = Store(Path(folder)).scan(cell.key for cell in cells).rows
    yield from compared([(cell.name, rows[cell.key], found.get(cell.key)) for cell in cells])


def compared(cells: Sequence[tuple[str, Summary, Summary | None]]) -> Iterator[str]:
    """Say which numbers differ, why that may be, and what follows.

    Parameters
    ----------
    cells : sequence of (str, Summary, Summary or None)
        The name of a cell, its row in the base, and its row here.
    """
    same, told, failed, versions = 0, [], [], set[str]()
    for name, there, here in cells:
        if here is None or not here.is_ok:
            failed.append(f"{name} ({'not run' if here is None else here.status})")
            continue
        gap = largest_gap(there.metrics, here.metrics)
        if gap is None or not gap.size:
            same += 1
            continue
        told.append(f"{name} by {gap}")
        versions.update(_other_versions(there, here))
    yield f"base: {same} of {counted(len(cells), 'cell')} the same bits here"
    if told:
        yield f"different here: {listed(told, _SHOWN)}"
        yield (
            f"  {_cause(versions)}; the base's rows stay as published, and your methods are "
            "compared with these"
        )
    if failed:
        yield f"no result here: {listed(failed, _SHOWN)}"


def _other_versions(there: Summary, here: Summary) -> Iterator[str]:
    """Yield the software and hardware that two cells differ in: ``numpy 2.4 here (2.3 there)``."""
    now = behind_scores(here.environment)
    for name, then in behind_scores(there.environment).items():
        if now.get(name, then) != then:
            yield f"{name} {now[name]} here ({then} there)"


def _cause(versions: Collection[str]) -> str:
    if not versions:
        return "the same versions, so the processor or the rows themselves differ"
    return f"likely other versions: {listed(sorted(versions), _SHOWN)}"


def _cheapest(prepared: Prepared, part: TakenOver, number: int) -> list[Cell]:
    """Return the cells of a base that took least time, of methods that come with mlbench."""
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
    there = [
        replace(cell, shares_search=False, after=None)
        for cell in plan.cells
        if cell.key in results.rows and results.rows[cell.key].is_ok
    ]
    return sorted(there, key=lambda cell: _seconds(results.rows[cell.key]))[:number]


def _seconds(row: Summary) -> float:
    return row.seconds.get("total", 0.0)


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
