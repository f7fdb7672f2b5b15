"""A worker: takes one cell after another and leaves a row for each.

This module is what the fork server imports before the first worker starts, so that a new
worker finds numpy, scipy and scikit-learn already there.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import sklearn.linear_model
import sklearn.metrics
import sklearn.neighbors
import sklearn.svm
import sklearn.tree  # noqa: F401
from threadpoolctl import threadpool_limits

from mlbench.cell import Recipe, Result, run_cell
from mlbench.data import Dataset, load_dataset
from mlbench.errors import DataError, MlbenchError
from mlbench.executors.environment import environment
from mlbench.executors.process import (
    die_with_parent,
    limit_own_memory,
    peak_memory_mb,
    reset_peak_memory,
)
from mlbench.hashing import canonical_json
from mlbench.methods import InvalidOutput
from mlbench.plan import Cell
from mlbench.store import SCHEMA, Partial, Row, Store

_DATASETS_IN_MEMORY = 2


def serve(
    cells: Connection, lifeline: Connection, root: Path, data_dirs: Sequence[Path], threads: int
) -> None:
    """Run cells as they come, until the line closes.

    For each cell that is received, ``(status, seconds, message)`` is sent back once its row is
    on the disk, or ``("unstored", seconds, message)`` if it could not be written.
    """
    if hasattr(os, "setsid"):
        os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(lifeline)
    _keep_output_apart(root / "worker.log")
    bench = Bench(root, data_dirs)
    with threadpool_limits(threads):
        while True:
            try:
                cell = cells.recv()
            except EOFError:
                return
            start = time.perf_counter()
            try:
                row = bench.row_of(cell)
                bench.keep(row)
                message = row["failure"]["message"] if row["failure"] else ""
                answer = (str(row["status"]), time.perf_counter() - start, message)
            except OSError as error:
                answer = ("unstored", time.perf_counter() - start, str(error))
            with contextlib.suppress(BrokenPipeError):
                cells.send(answer)


class Bench:
    """Turns cells into rows; keeps the data sets that it used last."""

    def __init__(self, root: Path, data_dirs: Sequence[Path]) -> None:
        self.root = root
        self.store = Store(root)
        self.data_dirs = data_dirs
        self._datasets: dict[str, Dataset] = {}

    def row_of(self, cell: Cell) -> Row:
        """Run a cell; what goes wrong inside it becomes a row too.

        Raises
        ------
        OSError
            If predictions that are to be kept could not be written.
        """
        start = time.perf_counter()
        reset_peak_memory()
        result, failure = self._attempt(cell)
        row = describe(cell, "ok" if failure is None else failure[0])
        row["seconds"] = {"total": time.perf_counter() - start}
        row["peak_memory_mb"] = peak_memory_mb()
        if failure is not None:
            kind, message, trace = failure
            row["failure"] = {"kind": kind, "message": message, "traceback": trace}
        elif result is not None:
            if cell.keep_predictions:
                self.store.write_predictions(cell.key, **result.predictions)
            row["metrics"] = result.metrics
            row["counts"] = result.counts
            row["params"] = result.params
            row["tuning"] = result.tuning
            row["cuts"] = result.cuts
            row["seconds"] |= result.seconds  # type: ignore[typeddict-item]
            row["warnings"] = result.warnings
        return row

    def keep(self, row: Row) -> None:
        """Put a row on the disk; its unfinished work is no longer needed."""
        self.store.write_row(row)
        Partial(self.root, row["key"]).clear()

    def _attempt(self, cell: Cell) -> tuple[Result | None, tuple[str, str, str] | None]:
        try:
            limit_own_memory(cell.memory_limit)
            dataset = self._dataset(cell)
            result = run_cell(
                cell.identity,
                Recipe(cell.use, cell.params, cell.folder),
                dataset,
                Partial(self.root, cell.key),
                lambda: self._tuning_of(cell.after),
            )
            canonical_json(result.params)
        except MemoryError as error:
            message = "not enough memory"
            if cell.memory_limit is not None:
                message = f"took more than its limit of {cell.memory_limit:g} MB"
            return None, ("memory", f"{message} ({error})" if str(error) else message, _trace())
        except InvalidOutput as error:
            return None, ("invalid", _one_line(error), "")
        except MlbenchError as error:
            return None, ("error", _one_line(error), "")
        except (Exception, SystemExit, KeyboardInterrupt) as error:
            words = f"{type(error).__name__}: {_one_line(error)}"
            return None, ("error", words, _trace())
        finally:
            limit_own_memory(None)
        return result, None

    def _dataset(self, cell: Cell) -> Dataset:
        name = canonical_json(cell.reference)
        if name not in self._datasets:
            while len(self._datasets) >= _DATASETS_IN_MEMORY:
                self._datasets.pop(next(iter(self._datasets)))
            self._datasets[name] = load_dataset(cell.reference, self.data_dirs)
        dataset = self._datasets[name]
        if dataset.fingerprint != cell.identity["dataset"]["fingerprint"]:
            raise DataError(f"{cell.dataset}: the data changed after the run was planned")
        return dataset

    def _tuning_of(self, key: str | None) -> dict[str, Any] | None:
        if key is None:
            return None
        row = self.store.scan([key]).rows.get(key)
        return row["tuning"] if row is not None and row["status"] == "ok" else None


def describe(cell: Cell, status: str) -> Row:
    """Return the parts of a row that are known without running the cell."""
    return Row(
        schema=SCHEMA,
        key=cell.key,
        dataset=cell.dataset,
        method=cell.method,
        split=cell.split,
        status=status,  # type: ignore[typeddict-item]
        metrics={},
        counts={},
        params={},
        tuning=None,
        cuts=None,
        seconds={},
        peak_memory_mb=None,
        warnings=[],
        failure=None,
        limits={"time": cell.time_limit, "memory": cell.memory_limit},
        environment=environment(),
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        identity=cell.identity,
    )


def _keep_output_apart(path: Path) -> None:
    """Send what methods print, and the stack of a crash, to a file of its own."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError:
        handle = os.open(os.devnull, os.O_WRONLY)
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)
    faulthandler.enable(file=2, all_threads=False)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:1000]


def _trace() -> str:
    return traceback.format_exc(limit=-12)[-8000:]
