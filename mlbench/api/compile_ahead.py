"""Compile numerical code before cells need it, so that no cell's time includes it.

Machine code stays on disk, so this takes time only in the first run after an installation.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scipy import sparse

from mlbench.dataset_facts import DatasetFacts
from mlbench.estimator_adapter import fit
from mlbench.estimator_checks import example
from mlbench.executors.process import die_with_parent
from mlbench.hashing import digest
from mlbench.methods.catalogue import METHODS
from mlbench.number_text import listed
from mlbench.plan import Cell
from mlbench.protocol.arrays import Point
from mlbench.registry import make_method, method_parameters
from mlbench.registry.code_hash import uses
from mlbench.solvers.jit import cache_folder

MAX_SECONDS = 300.0
"""What is not compiled by then is left to cells."""

_FOR_MANY_LABELS = "mlbench/methods/problem_transformation/linear_labels.py"
"""Few data sets have so many labels that its solvers are used; the first cell compiles them."""


@dataclass(frozen=True)
class TrialData:
    """A built-in method, and the kind of data that its code is compiled for."""

    use: str
    parameters: Mapping[str, object]
    points: Sequence[Point]
    """Of its grid, the first and the last."""
    is_sparse: bool

    @property
    def mark(self) -> str:
        """The name of a file that marks it as compiled; numbers count by their types."""
        return f"done-{digest(_kinds(asdict(self)))[:16]}"

    @property
    def compiles(self) -> bool:
        """Whether parts of the method's code are compiled."""
        module = METHODS[self.use].partition(":")[0]
        return uses(module, "mlbench/solvers/jit.py", without=_FOR_MANY_LABELS)

    def fit(self) -> None:
        """Fit the method to little data."""
        model = make_method(self.use, **self.parameters)
        data = example(model)
        X = sparse.csr_array(data.X) if self.is_sparse else data.X
        if self.points and hasattr(model, "fit_path"):
            grid = [method_parameters(self.use, point, model=model) for point in self.points]
            tasks = {} if data.tasks is None else {"tasks": data.tasks}
            for _ in model.fit_path(X, data.Y, grid, **tasks):
                pass
        fit(model, X, data.Y, data.tasks)


def compile_ahead(
    cells: Iterable[Cell], facts: Mapping[str, DatasetFacts], tell: Callable[[str], None]
) -> None:
    """Compile what the built-in methods of some cells need, unless that was done before.

    Parameters
    ----------
    cells : iterable of Cell
    facts : mapping
        Facts about each data set, by its name in tables.
    tell : callable
        Takes a line that says what is compiled.
    """
    if (folder := cache_folder()) is None:
        return
    new: dict[str, tuple[str, TrialData]] = {}
    for cell in cells:
        sample = _sample(cell, facts[cell.dataset])
        if sample is not None and not Path(folder, sample.mark).exists():
            new.setdefault(sample.mark, (cell.method, sample))
    if not new:
        return
    slow = [name for name, sample in new.values() if sample.compiles]
    if slow:
        tell(f"compiling {listed(list(dict.fromkeys(slow)))}: once, in up to a minute")
    texts = [json.dumps(asdict(sample)) for _, sample in new.values() if sample.compiles]
    if texts:
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [sys.executable, "-P", "-m", __name__, *texts],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=MAX_SECONDS,
                check=False,
            )
    with contextlib.suppress(OSError):  # the disk is full, or the folder is gone: next time again
        for mark in new:
            Path(folder, mark).touch()


def _sample(cell: Cell, facts: DatasetFacts) -> TrialData | None:
    grid = cell.tuning.grid if cell.tuning else []
    sample = TrialData(
        cell.planned_method.use,
        cell.planned_method.parameters,
        [*grid[:1], *grid[1:][-1:]],
        facts.is_sparse and "dense" not in cell.steps,
    )
    try:
        json.dumps(asdict(sample))
    except TypeError:  # estimators of the user's
        return None
    return sample if sample.use in METHODS else None


def _kinds(value: object) -> object:
    """Return a value with numbers replaced by the names of their types."""
    if isinstance(value, dict):
        return {str(key): _kinds(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_kinds(each) for each in value]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return type(value).__name__ if is_number else value


def main(texts: Sequence[str]) -> None:
    """Fit samples; an error in one is reported by its cells."""
    die_with_parent()
    for text in texts:
        with contextlib.suppress(Exception):
            TrialData(**json.loads(text)).fit()


if __name__ == "__main__":
    main(sys.argv[1:])
