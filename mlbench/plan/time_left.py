"""The time of the cells that are still to run, from those that have run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from mlbench.number_text import counted, duration
from mlbench.plan.giving_up import most_to_start
from mlbench.plan.pending import past_times, seconds_of
from mlbench.store.row import LIMITS

if TYPE_CHECKING:
    from mlbench.config.schema import Limits
    from mlbench.results.plan import PlannedCell
    from mlbench.store import Summary


@dataclass(frozen=True)
class TimeLeft:
    """The cells that are to run, and the worker time that they take."""

    n_open: int
    """Cells without a row that counts."""
    n_cells: int
    """Those that start: of a method that fails again and again, those before it is given up."""
    n_unknown: int
    """Of these, those of a method and data set of which no cell has run."""
    seconds: float
    """Of the others."""
    is_least: bool
    """Whether they take at least this, as some reached a lower limit."""
    has_times: bool
    """Whether any cell has run."""

    @property
    def n_given_up(self) -> int:
        """Those that do not start if what has only failed goes on failing."""
        return self.n_open - self.n_cells

    def in_words(self, workers: int) -> str:
        """Return the time, and with several workers what they need at least; "" for no cell."""
        if not self.n_open:
            return ""
        parts = []
        if self.n_unknown < self.n_cells or not self.n_cells:
            about, to = ("at least", math.floor) if self.is_least else ("about", round)
            parts = [f"{about} {duration(self.seconds, to)}"]
            if workers > 1:
                least = duration(self.seconds / workers, math.floor)
                parts[0] += f" (at least {least} with {workers} workers)"
        if self.n_unknown:
            parts.append(
                f"{counted(self.n_unknown, 'cell')} of which `mlbench plan` guesses the time"
                if self.has_times
                else f"{counted(self.n_unknown, 'cell')} of a time that `mlbench plan --probe` "
                "measures"
            )
        without = (
            f", without {counted(self.n_given_up, 'cell')} that `limits.failures` gives up where "
            "those before them fail"
        )
        return " and ".join(parts) + without * bool(self.n_given_up)


def time_left(
    cells: Sequence[PlannedCell],
    rows: Mapping[str, Summary],
    stale: Iterable[Summary] = (),
    limits: Mapping[str, Limits] | None = None,
    again: Set[str] = frozenset(),
    other_code: Set[str] = frozenset(),
) -> TimeLeft:
    """Estimate the time of cells that are to run from those of the same method and data set.

    Parameters
    ----------
    cells : sequence of PlannedCell
    rows : mapping of str to Summary
        By key.
    stale : iterable of Summary
        Rows of no cell, as of other parameters, where no other row is there.
    limits : mapping of str to Limits, optional
        By method.
    again : set of str
        The keys of failed rows whose cells run again, as those of a limit that was raised.
    other_code : set of str
        The keys of rows whose cells run again since their code has changed.
    """
    to_run = again | other_code
    seen: dict[tuple[str, str], list[float]] = {}
    ended: set[tuple[str, str]] = set()
    """Those with a cell that came to its end, and did not reach a limit."""
    older: dict[tuple[str, str], list[Summary]] = {}
    for each in stale:
        older.setdefault((each.dataset, each.method), []).append(each)
    before = {pair: times for pair in older if (times := past_times(older[pair])) is not None}
    found: dict[tuple[str, str], list[Summary]] = {}
    for cell in cells:
        if (row := rows.get(cell.key)) is not None:
            if cell.key not in to_run:
                found.setdefault((cell.dataset, cell.method), []).append(row)
            if (seconds := seconds_of(row)) is not None:
                seen.setdefault((cell.dataset, cell.method), []).append(seconds)
                if row.status not in LIMITS:
                    ended.add((cell.dataset, cell.method))
    is_least = any(key in again and row.status in LIMITS for key, row in rows.items())
    left = Counter(
        (cell.dataset, cell.method) for cell in cells if cell.key not in rows or cell.key in to_run
    )
    n_open = left.total()
    for pair in left.keys() & before.keys() - seen.keys():
        seen[pair] = before[pair].seconds
        is_least |= before[pair].is_least
        if not before[pair].is_least:
            ended.add(pair)
    for pair, n in left.items():
        most = limits[pair[1]].failures if limits else None
        fails = pair in seen and pair not in ended
        left[pair] = int(min(n, most_to_start(found.get(pair, ()), most, fails)))
    known = {}
    for pair in filter(seen.__contains__, left):
        longest = (limits[pair[1]].time if limits else None) or math.inf
        known[pair] = fmean(min(each, longest) for each in seen[pair])
    total = sum(left[pair] * each for pair, each in known.items())
    to_start = left.copy()
    for cell in cells:
        pair = cell.dataset, cell.method
        if cell.key in again and pair in known and to_start[pair] > 0:
            to_start[pair] -= 1
            if (row := rows[cell.key]).status == "timeout":  # of a lower limit
                total += max(0.0, row.seconds.get("total", 0.0) - known[pair])
    unknown = sum(n for pair, n in left.items() if pair not in seen)
    return TimeLeft(n_open, left.total(), unknown, total, is_least, bool(seen))
