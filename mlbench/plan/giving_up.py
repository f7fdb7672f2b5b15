"""Methods that are given up on a data set after so many failures in a row."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from mlbench.number_text import of_kinds
from mlbench.plan.cells import Cell
from mlbench.store import Failure, Store, Summary
from mlbench.store.row import GIVEN_UP, LIMITS, summary_of

_COUNTS_NOT = ("data", GIVEN_UP)
"""Failures that are not due to the method."""


def failures_in_a_row(rows: Iterable[Summary]) -> list[str]:
    """Return the kinds of failures in the longest series of neighboring splits that all failed.

    Where no split has a result, all failures are one series, as tasks run scattered splits.

    Parameters
    ----------
    rows : iterable of Summary
        Those of a method on a data set. A split without a row ends a series: it may have a result.
    """
    rows = list(rows)
    failed = [row for row in rows if not row.is_ok and row.status not in _COUNTS_NOT]
    failed.sort(key=lambda row: row.split)
    if not any(row.is_ok for row in rows):
        return [str(row.status) for row in failed]
    series = [
        [str(row.status) for _, row in group]
        for _, group in groupby(enumerate(failed), key=lambda each: each[1].split - each[0])
    ]
    return max(series, key=len, default=[])


def most_to_start(rows: Iterable[Summary], limit: int | None, fails: bool = False) -> float:
    """Return how many more cells of a method on a data set start if they go on as these rows.

    Parameters
    ----------
    rows : iterable of Summary
        Those of the method on the data set that stand.
    limit : int or None
        The failures in a row after which the method is given up.
    fails : bool
        Whether cells are expected to fail although these rows do not tell.
    """
    rows = list(rows)
    if limit is None:
        return math.inf
    series = len(failures_in_a_row(rows))
    fails |= any(row.status in LIMITS for row in rows) and not any(row.is_ok for row in rows)
    return max(0, limit - series) if fails or series >= limit else math.inf


def in_words(kinds: Sequence[str], limit: int) -> str:
    """Say after which failures cells are not run, and by which limit."""
    return (
        f"not run after {len(kinds)} failures ({of_kinds(Counter(kinds).items())}); "
        f"`limits.failures` is {limit}"
    )


class GivingUp:
    """Tells which cells are not run because their method fails on their data set.

    What counts is the order of splits, not of time, so it follows from the rows alone. Rows are
    read again when a cell is about to start: those of other jobs on the folder count, too.

    Parameters
    ----------
    cells : iterable of Cell
        All of the plan.
    rows : mapping
        The rows at the start, by key.
    left : container of str
        The keys of the cells that are to run, here or elsewhere. Their rows do not count.
    """

    def __init__(
        self, cells: Iterable[Cell], rows: Mapping[str, Summary], left: Iterable[str]
    ) -> None:
        self._outdated = {key: summary_of(rows[key]) for key in left if key in rows}
        self._keys: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._rows: dict[str, Summary] = {}
        for cell in cells:
            if cell.limits.failures is not None:
                self._keys[cell.dataset, cell.method].add(cell.key)
                if cell.key in rows and cell.key not in self._outdated:
                    self._rows[cell.key] = rows[cell.key]

    def failure(self, cell: Cell, store: Store | None = None) -> Failure | None:
        """Return why a cell is not run, or None if it is.

        Parameters
        ----------
        cell : Cell
        store : Store, optional
            Where rows may have been written since the start.
        """
        if cell.limits.failures is None:
            return None
        keys = self._keys[cell.dataset, cell.method]
        if store is not None:
            for key, row in store.summaries(keys - self._rows.keys()).rows.items():
                if row != self._outdated.get(key):
                    self._rows[key] = row
        elsewhere = self._rows.get(cell.key)  # by another run on the folder
        if elsewhere is not None and elsewhere.status != GIVEN_UP:
            return None
        kinds = failures_in_a_row(self._rows[key] for key in keys if key in self._rows)
        if len(kinds) < cell.limits.failures:
            return None
        return Failure(GIVEN_UP, in_words(kinds, cell.limits.failures))

    def expected(
        self, cells: Iterable[Cell], over: Container[tuple[str, str]] = ()
    ) -> Iterator[Cell]:
        """Yield the cells that start if methods which have only hit limits go on doing so.

        Parameters
        ----------
        cells : iterable of Cell
        over : container of tuple
            Data sets and methods whose cells are expected to exceed their limit, or did so with
            a lower one or with older code.
        """
        most: dict[tuple[str, str], float] = {}
        for cell in cells:
            pair = cell.dataset, cell.method
            if pair not in most:
                keys = self._keys[pair]
                rows = [self._rows[key] for key in keys & self._rows.keys()]
                fails = pair in over and not any(row.is_ok for row in rows)
                most[pair] = most_to_start(rows, cell.limits.failures, fails)
            if most[pair] > 0:
                most[pair] -= 1
                yield cell
