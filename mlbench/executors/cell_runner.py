"""Run a cell: from its data to its row."""

from __future__ import annotations

import contextlib
import time
import traceback
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from pydantic import ValidationError

from mlbench.cell import Result, run_cell
from mlbench.config.fields import KeepBest
from mlbench.data import Dataset, load_dataset
from mlbench.environment import environment, processor
from mlbench.errors import MlbenchError
from mlbench.estimator_adapter import InvalidOutputError
from mlbench.executors.process import (
    cpu_seconds,
    limit_own_memory,
    peak_memory_mb,
    reset_peak_memory,
)
from mlbench.hashing import canonical_json
from mlbench.plan import Cell
from mlbench.plan.cells import NoChoice
from mlbench.plan.identity import method_identity
from mlbench.store import (
    AppliedLimits,
    Failure,
    Row,
    SavedState,
    Step,
    Store,
    to_plain,
)
from mlbench.store.predictions import with_best_scores

MICROSECONDS = 6
"""Decimals of the times in a row."""

_DATASETS_IN_MEMORY = 2


class CellRunner:
    """Runs cells and keeps the most recently used data sets in memory.

    Parameters
    ----------
    root : Path
        The results folder.
    data_dirs : sequence of Path
        Folders to search for data first.
    jobs : int, optional
        How many cells the run has at work at once on this machine, where that is known.
    """

    def __init__(self, root: Path, data_dirs: Sequence[Path], jobs: int | None = None) -> None:
        self.root = root
        self.store = Store(root)
        self.data_dirs = data_dirs
        told = {"processor": processor(), "jobs": jobs}
        self._of_times = {name: str(value) for name, value in told.items() if value is not None}
        self._datasets: dict[str, Dataset] = {}

    def run(self, cell: Cell) -> tuple[Row, Mapping[str, np.ndarray]]:
        """Run a cell; a failure gives a row, too.

        Returns
        -------
        row : Row
            Without the hash of predictions.
        predictions : mapping of str to array
            Those to keep; empty if none are.
        """
        work = TimedWork(SavedState(self.root, "partial", cell.key))
        reset_peak_memory()
        outcome = self._run_or_fail(cell, work)
        seconds = work.seconds
        peak = peak_memory_mb()
        if isinstance(outcome, Failure):
            return failed_row(cell, outcome, seconds, peak), {}
        try:
            if "tune" in outcome.seconds:
                outcome.seconds["tune"] += work.earlier["total"]
            row = _row(cell, outcome, None, seconds, peak, self._of_times)
        except ValidationError as error:
            failure = Failure("error", f"its result cannot be kept: {_first_problem(error)}")
            return failed_row(cell, failure, seconds, peak), {}
        return row, _kept(outcome.predictions, cell.keep_predictions)

    def load_data(self, cell: Cell) -> None:
        """Load a cell's data set ahead, for the processes that are forked from this one."""
        with contextlib.suppress(Exception):  # the cell will meet the same error and report it
            self._dataset(cell)

    def _run_or_fail(self, cell: Cell, work: TimedWork) -> Result | Failure:
        if isinstance(cell.chosen, NoChoice):
            return Failure("error", _one_line(cell.chosen.reason))
        try:
            limit_own_memory(cell.limits.memory)
            try:
                dataset = self._dataset(cell)
            except (MlbenchError, OSError) as error:
                return Failure("data", _one_line(error))
            if dataset.fingerprint != cell.data.fingerprint:
                return Failure("data", "the data changed after the run was planned")
            if not _method_is_as_planned(cell):
                return Failure("data", "the method's file changed after the run was planned")
            return run_cell(cell, dataset, work, shared_searches(self.store, cell))
        except MemoryError as error:
            message = "not enough memory"
            if cell.limits.memory is not None:
                message = f"took more than its limit of {cell.limits.memory:g} MB"
            words = _one_line(error)
            return Failure("memory", f"{message} ({words})" if words else message, _traceback())
        except InvalidOutputError as error:
            return Failure("invalid", _one_line(error))
        except MlbenchError as error:
            # What it explains is an error of the method, whose lines its author wants to see.
            told = "" if error.__cause__ is None else _traceback()
            return Failure("error", _one_line(error), told)
        except BaseException as error:
            return Failure("error", f"{type(error).__name__}: {_one_line(error)}", _traceback())
        finally:
            limit_own_memory(None)

    def _dataset(self, cell: Cell) -> Dataset:
        name = canonical_json(cell.data.reference)
        if name not in self._datasets:
            while len(self._datasets) >= _DATASETS_IN_MEMORY:
                self._datasets.pop(next(iter(self._datasets)))
            self._datasets[name] = load_dataset(cell.data.reference, self.data_dirs)
        return self._datasets[name]


class TimedWork:
    """The unfinished work of a cell, with the time that earlier attempts have spent on it."""

    def __init__(self, saved: SavedState) -> None:
        self._saved = saved
        self.earlier: dict[Step, float] = saved.load("seconds") or {"total": 0.0, "cpu": 0.0}
        """Seconds until work was last saved; zero if this is the first attempt."""
        self._start = self._clock()

    @staticmethod
    def _clock() -> dict[Step, float]:
        return {"total": time.perf_counter(), "cpu": cpu_seconds()}

    @property
    def seconds(self) -> dict[Step, float]:
        """The seconds of this attempt and of what was saved of earlier ones."""
        return {
            step: now - self._start[step] + self.earlier[step]
            for step, now in self._clock().items()
        }

    def load(self, name: str) -> Any:
        """Return the value saved under a name, or None."""
        return self._saved.load(name)

    def save(self, name: str, value: Any) -> None:
        """Save a plain value under a name, and the time so far."""
        self._saved.save(name, value)
        self._saved.save("seconds", self.seconds)


def shared_searches(store: Store, cell: Cell) -> SavedState | None:
    """Return the folder of shared searches if the cell shares one; copy an earlier search to it."""
    if not cell.shares_search or cell.search is None:
        return None
    searches = SavedState(store.root, "searches")
    if cell.after is not None and searches.load(cell.search) is None:
        row = store.scan([cell.after]).rows.get(cell.after)
        if row is not None and row.tuning is not None:
            searches.save(cell.search, to_plain(row.tuning))
    return searches


def _method_is_as_planned(cell: Cell) -> bool:
    """Tell whether the method on this machine has the identity that was planned."""
    method = cell.planned_method
    model = method.make()
    return method_identity(model, method.translate(method.parameters, model)) == method.identity


def failed_row(
    cell: Cell, failure: Failure, seconds: Mapping[Step, float], peak: float | None = None
) -> Row:
    """Return the row of a cell that has no result."""
    return _row(cell, Result(), failure, seconds, peak)


def _kept(predictions: Mapping[str, np.ndarray], keep: bool | KeepBest) -> Mapping[str, np.ndarray]:
    """Return what an experiment keeps of predictions."""
    if isinstance(keep, KeepBest):
        return with_best_scores(predictions, keep.top)
    return predictions if keep else {}


def _row(
    cell: Cell,
    result: Result,
    failure: Failure | None,
    seconds: Mapping[Step, float],
    peak: float | None,
    of_times: Mapping[str, str] = MappingProxyType({}),
) -> Row:
    """Return the row of a cell, without its predictions."""
    measured = result.row_fields()
    times = [*result.seconds.items(), *seconds.items()]
    measured["seconds"] = {step: round(amount, MICROSECONDS) for step, amount in times}
    return Row(
        key=cell.key,
        dataset=cell.dataset,
        method=cell.method,
        split=cell.split,
        status="ok" if failure is None else failure.kind,
        predictions=None,
        peak_memory_mb=peak,
        failure=failure,
        limits=AppliedLimits(cell.limits.time, cell.limits.memory),
        environment={**environment(), **of_times},
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        identity=cell.identity,
        code=cell.code,
        **measured,
    )


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _one_line(error: BaseException | str) -> str:
    try:
        words = str(error)
    except Exception:
        return "an error that cannot be printed"
    return _encodable(" ".join(words.split())[:1000])


def _traceback() -> str:
    try:
        return _encodable(traceback.format_exc(limit=-12)[-8000:])
    except Exception:
        return ""


def _encodable(text: str) -> str:
    """Replace characters that UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()
