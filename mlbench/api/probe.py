"""Time and memory of cells, estimated from small parts of their data before anything runs."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mlbench.api.compile_ahead import compile_ahead
from mlbench.api.prepare import Prepared
from mlbench.executors.local import LocalExecutor
from mlbench.plan import Cell
from mlbench.plan.cells import NoChoice
from mlbench.protocol.splitters.smaller import SmallerSplits
from mlbench.store import Row, Store

FIRST_ROWS = 100
"""Training rows of the first trial; each further trial has twice as many."""
ENOUGH_SECONDS = 2.0
"""A third trial of this CPU time is the last one, and a second one of five times as much."""
LONGEST_SECONDS = 60.0
"""A trial is stopped after this time."""
_WAITING = 4.0
"""A cell that takes so many times its CPU time waits, more than other work explains."""
_LEAST_WAIT, _SHORT_WAIT = 0.25, 0.03
"""Seconds of waiting, for a service or a device, that other work hardly explains in short cells: in
one trial, and in each of three.
"""
_LEAST_GROWTH, _MOST_GROWTH = 0.5, 2.0
"""Twice the rows take between 2 ** 0.5 and 2 ** 2 times as long."""


@dataclass(frozen=True)
class Trial:
    """What a whole cell with fewer training rows took."""

    rows: int
    seconds: float
    """CPU seconds, or those that passed if most were spent waiting."""
    search_share: float
    """The part of the time that the search for parameters took."""
    megabytes: float
    """The peak memory of its process; NaN if it is not known."""

    @property
    def seconds_without_search(self) -> float:
        """The seconds of a cell that recalls the search of another."""
        return self.seconds * (1 - self.search_share)


@dataclass(frozen=True)
class Probe:
    """What the trials of a method on a data set say of its cells."""

    cell: Cell
    """The first of them."""
    estimate: Trial | None
    """A cell with all rows, or None if no trial succeeded."""
    problem: str = ""
    """Why a trial failed."""
    is_at_least: bool = False
    """Whether the last trial was stopped, so that a cell takes this time or longer."""


class Prober:
    """Tries the methods of an experiment on small parts of its data.

    Parameters
    ----------
    prepared : Prepared
    data_dirs : sequence of Path
        Folders to search for data first.
    """

    def __init__(self, prepared: Prepared, data_dirs: Sequence[Path]) -> None:
        self._facts = prepared.plan.facts
        self._data_dirs = data_dirs
        self._threads = prepared.plan.experiment.threads

    def probe(self, cells: Sequence[Cell]) -> Iterator[Probe]:
        """Try the method of each cell on its data set, with more and more training rows.

        A trial is a whole cell with its search, so that what candidates share counts. The first
        has 100 training rows; more follow, each with twice as many, until one takes two seconds or
        has all rows. Nothing is kept of the trials.

        Yields
        ------
        Probe
            The estimate for each cell, in order.
        """
        compile_ahead(cells, self._facts, lambda _: None)
        with tempfile.TemporaryDirectory(prefix="mlbench-probe-") as folder:
            executor = LocalExecutor(
                Path(folder), self._data_dirs, 1, self._threads, keep_workers=True
            )
            for cell in cells:
                try:
                    probe = self._probe(cell, executor)
                finally:
                    executor.close()  # the next cell's peak of memory starts anew
                yield probe

    def _probe(self, cell: Cell, executor: LocalExecutor) -> Probe:
        if isinstance(cell.chosen, NoChoice):
            return Probe(cell, None, cell.chosen.reason)
        trials: list[Trial] = []
        problem = ""
        all_rows = cell.splitter.training_rows(self._facts[cell.dataset])
        rows = min(FIRST_ROWS, all_rows)
        first = _run(_with_rows(cell, max(rows // 2, 1)), executor)  # loads data and libraries
        if first.status == "timeout":
            return self._too_slow(cell, first)
        while True:
            row = _run(_with_rows(cell, rows), executor)
            if row.failure is None:
                trial = _trial(row, rows)
                if _waits(row, _SHORT_WAIT) and not _waits(row, _LEAST_WAIT):
                    alike = [row, *(_run(_with_rows(cell, rows), executor) for _ in range(2))]
                    quickest = min(alike, key=lambda each: each.seconds.get("total", math.inf))
                    trial = _trial(quickest, rows, _SHORT_WAIT)
                if trials and _growth(trials[-1], trial) > _MOST_GROWTH:  # something was compiled
                    again = _trial(_run(_with_rows(cell, rows), executor), rows)
                    trial = min(trial, again, key=lambda each: each.seconds)
                trials.append(trial)
            else:
                problem = row.failure.message
            if not trials and row.status == "timeout":
                return self._too_slow(cell, row)
            if row.status == "timeout":
                stopped = replace(trials[-1], rows=rows, seconds=_longest(cell))
                estimate = extrapolated([*trials, stopped], all_rows)
                return Probe(cell, estimate, problem, is_at_least=True)
            enough = len(trials) > 1 and trials[-1].seconds >= ENOUGH_SECONDS * (
                5 if len(trials) == 2 else 1
            )
            if row.status == "memory" or enough or rows == all_rows:
                return Probe(cell, extrapolated(trials, all_rows), problem)
            rows = min(2 * rows, all_rows)

    def _too_slow(self, cell: Cell, row: Row) -> Probe:
        """Return what is known of a method whose first trial was stopped."""
        assert row.failure is not None
        all_rows = cell.splitter.training_rows(self._facts[cell.dataset])
        least = Trial(all_rows, _longest(cell), 0.0, math.nan)
        return Probe(cell, least, row.failure.message, is_at_least=True)


def extrapolated(trials: Sequence[Trial], rows: int) -> Trial | None:
    """Return what a cell with so many training rows takes, or None without trials.

    Time grows as a power of the rows, memory linearly, both as over the last two trials.

    Parameters
    ----------
    trials : sequence of Trial
        In ascending order of rows.
    rows : int
        At least those of the last trial.
    """
    if not trials or trials[-1].rows == rows:
        return trials[-1] if trials else None
    last = trials[-1]
    growth, slope = 1.0, 0.0
    if len(trials) > 1:
        before = trials[-2]
        growth = _growth(before, last)
        slope = max(last.megabytes - before.megabytes, 0.0) / (last.rows - before.rows)
    growth = min(max(growth, _LEAST_GROWTH), _MOST_GROWTH)
    return Trial(
        rows,
        last.seconds * (rows / last.rows) ** growth,
        last.search_share,
        last.megabytes + slope * (rows - last.rows),
    )


def _growth(before: Trial, after: Trial) -> float:
    """Return the power of the rows with which time has grown."""
    return math.log(after.seconds / before.seconds) / math.log(after.rows / before.rows)


def _with_rows(cell: Cell, rows: int) -> Cell:
    """Return the cell with fewer training rows, which shares nothing with others."""
    return replace(
        cell,
        splitter=SmallerSplits(inner=cell.splitter, train=rows),
        limits=cell.limits.model_copy(update={"time": _longest(cell)}),
        keep_predictions=False,
        shares_search=False,
        after=None,
    )


def _longest(cell: Cell) -> float:
    """Return the seconds after which a trial is stopped."""
    return min(cell.limits.time or math.inf, LONGEST_SECONDS)


def _run(cell: Cell, executor: LocalExecutor) -> Row:
    for _ in executor.run([cell]):
        pass
    return Store(executor.root).scan([cell.key]).rows[cell.key]


def _waits(row: Row, least: float) -> bool:
    """Tell whether a trial waited for at least so many seconds, and did little else."""
    total = row.seconds["total"]
    cpu = row.seconds.get("cpu", total)
    return total > _WAITING * cpu and total - cpu > least


def _trial(row: Row, rows: int, least_wait: float = _LEAST_WAIT) -> Trial:
    total = max(row.seconds["total"], 1e-3)
    cpu = row.seconds.get("cpu", total)
    return Trial(
        rows,
        max(total if _waits(row, least_wait) else cpu, 1e-3),
        min(row.seconds.get("tune", 0.0) / total, 1.0),
        row.peak_memory_mb or 0.0,
    )
