"""The scores of an experiment by split, and why splits have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.metrics import METRICS
from mlbench.statistics import RowVariance
from mlbench.store import Summary

OK = "ok"
UNDEFINED = "undefined"
NOT_SCORED = "not scored"
MISSING = "missing"
NOT_RUN = "not run"
"""Of data sets that an experiment leaves out for a method."""

_ROUNDING = 1e-9

SeriesKey = tuple[str, str]
"""Data set and method, by their names in tables."""
CellKey = tuple[str, str, int, str]
"""Data set, method, split and key."""
CellValue = tuple[str, str, int, str, float]
"""Data set, method, split, metric and value."""
CellStatus = tuple[str, str, int, str]
"""Data set, method, split and status."""
BySplit = dict[int, float]
WithoutBlocks = Mapping[tuple[str, str, int, str], Sequence[float | None]]
"""Scores without each block of test rows, by data set, method, split and metric."""


def impossible(metric: str, score: float | None) -> str | None:
    """Say why a metric cannot have a score, or return None.

    Metrics that are not known can have any.
    """
    known = METRICS.get(metric.partition("@")[0])
    low, high = known.range if known else (-np.inf, np.inf)
    if score is None or low - _ROUNDING <= score <= high + _ROUNDING:
        return None
    return f"{metric} is between {low:g} and {high:g}, not {score:g}"


class Scores:
    """Scores and failures of an experiment.

    Parameters
    ----------
    values : iterable of (data set, method, split, metric, value)
        NaN where a metric is undefined.
    statuses : iterable of (data set, method, split, status)
        One for each cell that was run: "ok" or the kind of failure. Scores of a cell that is not
        ok are ignored.
    n_splits : int or mapping of data set to int
        Splits that the experiment has.
    without_blocks : mapping, optional
        What the jackknife over test rows needs.
    not_run : collection of (data set, method)
        The pairs that the experiment leaves out.

    Raises
    ------
    mlbench.errors.MlbenchError
        If a value occurs twice, or there are more splits than stated.
    """

    def __init__(
        self,
        values: Iterable[CellValue],
        statuses: Iterable[CellStatus],
        n_splits: int | Mapping[str, int],
        without_blocks: WithoutBlocks | None = None,
        not_run: Collection[tuple[str, str]] = (),
    ) -> None:
        self._not_run = frozenset(not_run)
        self._n_splits = n_splits
        self._without_blocks = without_blocks or {}
        self._scores: dict[tuple[str, str, str], BySplit] = {}
        self._failed: dict[tuple[str, str], dict[int, str]] = {}
        self._n_ok: Counter[tuple[str, str]] = Counter()
        for dataset, method, split, metric, value in values:
            scores = self._scores.setdefault((dataset, method, metric), {})
            if split in scores:
                raise MlbenchError(f"two values of {metric} for {dataset}/{method}/{split}")
            scores[split] = value
        for dataset, method, split, status in statuses:
            self._failed.setdefault((dataset, method), {})
            if status == OK:
                self._n_ok[dataset, method] += 1
            else:
                self._failed[dataset, method][split] = status
        for (dataset, method, _), scores in self._scores.items():
            for split in self._failed.get((dataset, method), {}):
                scores.pop(split, None)
        cells = [*((dataset, method) for dataset, method, _ in self._scores), *self._failed]
        self.datasets = tuple(dict.fromkeys(dataset for dataset, _ in cells))
        self.methods = tuple(dict.fromkeys(method for _, method in cells))
        self.metrics = tuple(dict.fromkeys(metric for _, _, metric in self._scores))

    def n_ok(self, dataset: str, method: str) -> int:
        """Return how many cells of a method on a data set have a result."""
        return self._n_ok[dataset, method]

    def n_splits(self, dataset: str) -> int:
        """Return how many splits the experiment has on a data set."""
        if isinstance(self._n_splits, int):
            return self._n_splits
        if dataset not in self._n_splits:
            raise MlbenchError(f"the number of splits of data set {dataset!r} is not stated")
        return self._n_splits[dataset]

    def scores(self, dataset: str, method: str, metric: str) -> BySplit:
        """Return the score of every split that has one."""
        found = self._scores.get((dataset, method, metric), {})
        return {split: value for split, value in sorted(found.items()) if value == value}

    def row_variance(
        self, dataset: str, method: str, other: str, metric: str, splits: Sequence[int]
    ) -> RowVariance | None:
        """Return the variance by rows of a mean difference; None where it is not known."""
        without = [
            [self._without_blocks.get((dataset, name, split, metric), ()) for split in splits]
            for name in (method, other)
        ]
        if not splits or any(not each or None in each for name in without for each in name):
            return None
        return RowVariance.of(np.array(without[0], float), np.array(without[1], float))

    def failures(self, dataset: str, method: str, metric: str) -> tuple[tuple[str, int], ...]:
        """Return why splits have no score, with the number of splits for each reason."""
        if (dataset, method) in self._not_run:
            return ((NOT_RUN, self.n_splits(dataset)),)
        found = self._scores.get((dataset, method, metric), {})
        kinds = Counter(self._failed.get((dataset, method), {}).values())
        kinds[UNDEFINED] += sum(value != value for value in found.values())
        kinds[NOT_SCORED] += max(self._n_ok[dataset, method] - len(found), 0)
        accounted = sum(kinds.values()) + sum(value == value for value in found.values())
        expected = self.n_splits(dataset)
        if accounted > expected:
            raise MlbenchError(
                f"{method!r} on {dataset!r} has {accounted} splits, but the experiment has "
                f"{expected}"
            )
        kinds[MISSING] += expected - accounted
        return tuple(sorted((kind, number) for kind, number in kinds.items() if number))


def row_values(
    cells: Iterable[CellKey],
    rows: Mapping[str, Summary],
    metrics: Collection[str] | None = None,
    seconds: bool = True,
) -> Iterator[CellValue]:
    """Yield the numbers of the rows of an experiment, in the order of the plan.

    ``seconds_fit`` is the time of a step; ``report_gap``, ``report_converged`` (0 or 1) and the
    like are what the final model reports of its fit. ``search_fits``, ``search_unfinished`` and
    ``search_gap`` appear once per search: its fits that report whether they converged, those that
    did not, and their largest gap. NaN is undefined.

    Parameters
    ----------
    cells : iterable of (data set, method, split, key)
    rows : mapping
        Rows by key.
    metrics : collection of str, optional
        Yield only these metrics; by default all.
    seconds : bool
        Whether to yield times.
    """
    seen: set[tuple[str, str, str]] = set()
    for dataset, method, split, key in cells:
        row = rows.get(key)
        if row is None:
            continue
        for metric in row.metrics if metrics is None else metrics:
            if metric in row.metrics:
                value = row.metrics[metric]
                yield dataset, method, split, metric, np.nan if value is None else value
        for step, amount in row.seconds.items() if seconds and row.is_ok else ():
            yield dataset, method, split, f"seconds_{step}", amount
        for entry, reported in (row.fit or {}).items():
            if isinstance(reported, bool | int | float):
                yield dataset, method, split, f"report_{entry}", float(reported)
        found = None if row.tuning is None else row.tuning.not_converged
        if found is None or (search := (dataset, method, row.search)) in seen:
            continue
        seen.add(search)
        yield dataset, method, split, "search_fits", found.of
        yield dataset, method, split, "search_unfinished", found.fits
        if found.largest_gap is not None:
            yield dataset, method, split, "search_gap", found.largest_gap
