"""Ratios of CPU times: two implementations, measured in turn, and compared with earlier runs.

CPU time, because other processes may have the cores; in turn, because a processor's speed drifts.
A ratio is the time of the other implementation over the time of mlbench: larger is better.
"""

from __future__ import annotations

import json
import platform
import resource
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

RUNS = 5
MIN_RUNS = 3
ENOUGH = 10.0
"""CPU seconds after which a ratio gets no more than the fewest runs."""
SHORTEST = 0.1
"""CPU seconds of a run; a quicker call is repeated within it."""
LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")

T = TypeVar("T")


@dataclass(frozen=True)
class Ratio:
    """The two implementations, and the CPU seconds of a call in each run."""

    what: str
    against: str
    ours: list[float]
    theirs: list[float]
    note: str = ""
    """How the two results compare."""

    @property
    def name(self) -> str:
        """The name, unique among ratios."""
        return f"{self.what}, against {self.against}"

    @property
    def values(self) -> list[float]:
        """The ratios of the runs, ascending; of five or more, without the first and the last.

        A run may be disturbed, by the disk or by other processes.
        """
        ratios = sorted(theirs / ours for ours, theirs in zip(self.ours, self.theirs, strict=True))
        return ratios[1:-1] if len(ratios) >= 5 else ratios

    @property
    def median(self) -> float:
        """The middle one."""
        return median(self.values)

    @property
    def spread(self) -> float:
        """The largest minus the smallest one."""
        return self.values[-1] - self.values[0]

    def joined(self, later: Ratio) -> Ratio:
        """Return the runs of both, with the later note."""
        return replace(later, ours=self.ours + later.ours, theirs=self.theirs + later.theirs)


def cpu_seconds() -> float:
    """Return the CPU time of this process, and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measure(
    what: str,
    against: str,
    ours: Callable[[], T],
    theirs: Callable[[], T],
    check: Callable[[T, T], str] = lambda mine, other: "",
) -> Ratio:
    """Call two functions in turn, after a first call that does not count, because it may compile.

    Parameters
    ----------
    check
        Gets the results of the first calls, raises an error if they should be equal and are not,
        and returns the note.
    """
    note = check(ours(), theirs())
    ratio = Ratio(what, against, [], [], note)
    start = cpu_seconds()
    while len(ratio.ours) < MIN_RUNS or (len(ratio.ours) < RUNS and cpu_seconds() - start < ENOUGH):
        ratio.ours.append(seconds_of_a_call(ours))
        ratio.theirs.append(seconds_of_a_call(theirs))
    return ratio


def equal_within(tolerance: float) -> Callable[[ArrayLike, ArrayLike], str]:
    """Return a check that raises an error if two arrays differ by more."""

    def check(mine: ArrayLike, other: ArrayLike) -> str:
        gap = float(np.abs(np.asarray(mine) - np.asarray(other)).max())
        if not gap <= tolerance:
            raise AssertionError(f"the results differ by {gap:.1e}")
        return f"results differ by {gap:.0e}" if gap else "equal results"

    return check


def seconds_of_a_call(call: Callable[[], object]) -> float:
    """Return the CPU seconds of a call, the mean of as many as make a run."""
    start, spent, calls = cpu_seconds(), 0.0, 0
    while spent < SHORTEST:
        call()
        calls += 1
        spent = cpu_seconds() - start
    return float(f"{spent / calls:.4g}")


HEADER = """| what | against | seconds | its seconds | ratio | runs between | |
| --- | --- | ---: | ---: | ---: | ---: | --- |"""


def row(ratio: Ratio) -> str:
    """Return a ratio as a row of the Markdown table below `HEADER`."""
    ours, theirs = median(ratio.ours), median(ratio.theirs)
    between = f"{ratio.values[0]:.3g} to {ratio.values[-1]:.3g}"
    cells = [f"{ours:.3g}", f"{theirs:.3g}", f"{ratio.median:.3g}", between, ratio.note]
    return "| " + " | ".join([ratio.what, ratio.against, *cells]) + " |"


def write(path: Path, ratios: Iterable[Ratio]) -> None:
    """Write ratios and the versions that were measured as JSON."""
    versions = {name: version(name) for name in LIBRARIES}
    machine = {"machine": platform.machine(), "python": platform.python_version(), **versions}
    lines = ",\n".join(json.dumps(asdict(ratio)) for ratio in ratios)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{{"measured": {json.dumps(machine)},\n"ratios": [\n{lines}\n]}}\n')


def read(path: Path) -> list[Ratio]:
    """Return the ratios of a file that `write` wrote.

    Raises
    ------
    ValueError
        If it cannot be read, or holds something else.
    """
    try:
        ratios = [Ratio(**plain) for plain in json.loads(path.read_text())["ratios"]]
        for ratio in ratios:
            row(ratio)
    except (OSError, ValueError, TypeError, KeyError, IndexError, ZeroDivisionError) as error:
        raise ValueError(f"{path}: cannot be read as ratios: {error!r}") from error
    return ratios


@dataclass(frozen=True)
class Comparison:
    """The ratios of a run and of an earlier one."""

    compared: int
    fallen: list[str]
    """A line for each that fell below the earlier one by more than the larger of both spreads."""
    missing: list[str]
    """Names of those that were measured earlier only."""

    def __str__(self) -> str:
        lines = [f"{len(self.fallen)} of {self.compared} ratios fell"]
        lines += [f"fell: {line}" for line in self.fallen]
        lines += [f"not measured: {name}" for name in self.missing]
        return "\n".join(lines)

    @property
    def exit_code(self) -> int:
        """1 if a ratio fell, 2 if none could be compared."""
        return 2 if not self.compared else int(bool(self.fallen))


def compare(measured: Iterable[Ratio], earlier: Sequence[Ratio]) -> Comparison:
    """Compare ratios of the same name."""
    found = {ratio.name: ratio for ratio in measured}
    fallen = []
    for old in earlier:
        if new := found.get(old.name):
            spread = max(new.spread, old.spread)
            if new.median < old.median - spread:
                fallen.append(
                    f"{new.name}: {new.median:.3g} instead of {old.median:.3g}, spread {spread:.2g}"
                )
    missing = [old.name for old in earlier if old.name not in found]
    return Comparison(len(earlier) - len(missing), fallen, missing)
