"""Standings: methods by their mean rank over the data sets that all of them have run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

import numpy as np

from mlbench.comparisons.settings import MetricColumn
from mlbench.number_text import of_kinds
from mlbench.results.results import Results
from mlbench.results.scores import MISSING, NOT_RUN, Scores, SeriesKey
from mlbench.statistics import RankTest, rank_test, ranks_of
from mlbench.statistics.pairs import rounded

UNIT = 1_000_000
"""Scores are kept as whole numbers of millionths, which keeps a page of them small."""
TICKS = 1_000_000
"""Times are whole numbers of microseconds."""


@dataclass(frozen=True)
class SplitScores:
    """The scores in one metric on every split, as whole numbers."""

    metric: MetricColumn
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    scores: Mapping[SeriesKey, tuple[int | None, ...]]
    """By split, in units of 1 / `UNIT`."""
    means: Mapping[SeriesKey, float]
    """Over the splits, of those that lack no score; rounded so that ties are exact."""
    lacking: Mapping[SeriesKey, str]
    """Why a method lacks a score on a split on which some method has one."""
    not_run: frozenset[SeriesKey]
    """Of these, those whose cells have not failed, but are not there."""


@dataclass(frozen=True)
class Standing:
    """A method among others."""

    method: str
    place: int
    """1 and more; methods of equal mean ranks share it."""
    mean_rank: float
    win_rate: float
    """The share of comparisons with another method on a data set that it wins; a tie is half."""
    n_best: int
    """Data sets on which no other method is better."""
    n_failed: int
    """Data sets on which it lacks the score of a split, as a cell failed or `not_on` names them."""
    mean: float | None
    """The mean score where there is a single data set."""
    seconds: float | None
    """The median time of its cells that are ok; None if there are none."""
    is_tested: bool
    """Whether it has finished a data set; if not, the test leaves it out."""
    is_apart: bool
    """Whether a significant test tells it apart from the first."""


@dataclass(frozen=True)
class Standings:
    """Methods, best first, with the test over data sets."""

    metric: MetricColumn
    datasets: tuple[str, ...]
    """The data sets that they are ranked on."""
    left_out: tuple[str, ...]
    """Those that some method has not run, or none finished; or not all, where that is wanted."""
    not_run: tuple[str, ...]
    """The methods that have not run on some of these data sets; on none, and they have no row."""
    rows: tuple[Standing, ...]
    lacking: Mapping[SeriesKey, str]
    """Why a method lacks a score on one of these data sets."""
    test: RankTest

    @property
    def leaders(self) -> list[str]:
        """The methods in the first place."""
        return [row.method for row in self.rows if row.place == 1]

    @property
    def not_apart(self) -> list[str]:
        """The others that a significant test does not tell apart from the first."""
        rest = [row for row in self.rows if row.place > 1 and row.is_tested and not row.is_apart]
        return [row.method for row in rest] if self.test.significant else []

    @property
    def untested(self) -> list[str]:
        """The methods that have finished none of the data sets."""
        return [row.method for row in self.rows if not row.is_tested]


def split_scores(
    scores: Scores, metric: MetricColumn, datasets: Sequence[str], methods: Sequence[str]
) -> SplitScores:
    """Return the scores of all methods, and what these lack."""
    pairs = [(dataset, method) for dataset in datasets for method in methods]
    found = {pair: _finite(scores.scores(*pair, metric.name)) for pair in pairs}
    scored: dict[str, set[int]] = {name: set() for name in datasets}
    for (dataset, _), each in found.items():
        scored[dataset] |= each.keys()
    lacking = {
        pair: scores.failures(*pair, metric.name)
        for pair, each in found.items()
        if not each or each.keys() < scored[pair[0]]
    }
    return SplitScores(
        metric,
        tuple(datasets),
        tuple(methods),
        {
            pair: tuple(_whole(each.get(split)) for split in range(scores.n_splits(pair[0])))
            for pair, each in found.items()
        },
        _means({pair: each for pair, each in found.items() if pair not in lacking}),
        {pair: _reason(failures) for pair, failures in lacking.items()},
        frozenset(pair for pair, failures in lacking.items() if MISSING in dict(failures)),
    )


def _reason(failures: Sequence[tuple[str, int]]) -> str:
    return NOT_RUN if dict(failures).keys() == {NOT_RUN} else of_kinds(failures)


def _finite(scores: Mapping[int, float]) -> dict[int, float]:
    return {split: each for split, each in scores.items() if math.isfinite(each)}


def _whole(score: float | None) -> int | None:
    return None if score is None else round(score * UNIT)


def _means(scores: Mapping[SeriesKey, Mapping[int, float]]) -> dict[SeriesKey, float]:
    """Return mean scores, rounded to digits of the largest on a data set."""
    means = {pair: float(np.mean([*each.values()])) for pair, each in scores.items()}
    largest: dict[str, float] = {}
    for (dataset, _), mean in means.items():
        largest[dataset] = max(largest.get(dataset, 0.0), abs(mean))
    return {pair: float(rounded(np.array(mean), largest[pair[0]])) for pair, mean in means.items()}


def cell_times(results: Results) -> dict[SeriesKey, list[int]]:
    """Return the time of each cell that is ok, as `timed_step` says, in units of 1 / `TICKS`."""
    step, times = timed_step(results), dict[SeriesKey, list[int]]()
    for dataset, method, _, key in results.cells:
        row = results.rows.get(key)
        if row is not None and row.is_ok and step in row.seconds:
            times.setdefault((dataset, method), []).append(round(row.seconds[step] * TICKS))
    return times


TIMES = {"cpu": "CPU time", "total": "time"}
"""What is timed, in words."""


def timed_step(results: Results) -> Literal["cpu", "total"]:
    """Return which time is compared: CPU time, which other work hardly moves, if all have it."""
    timed = [row.seconds for row in results.rows.values() if row.is_ok and "total" in row.seconds]
    return "cpu" if all("cpu" in seconds for seconds in timed) else "total"


def standings_of(
    splits: SplitScores,
    times: Mapping[SeriesKey, Sequence[int]],
    datasets: Sequence[str],
    methods: Sequence[str],
    only_finished: bool = False,
) -> Standings:
    """Rank methods on each data set by their means over its splits.

    A method that failed on a split shares the last ranks with others that did: where m of k
    methods have finished, each other has the rank (m + 1 + k) / 2. Scores are never filled in. Data
    sets that some method has not run are left out, and so are methods that have run on none. The
    test is of the methods that have finished a data set.

    Parameters
    ----------
    splits : SplitScores
    times : mapping of (data set, method) to sequence of int
        As `cell_times` returns them.
    datasets, methods : sequence of str
        Those to rank.
    only_finished : bool
        Rank on those data sets alone that all methods have finished.
    """
    not_run = [m for m in methods if any((name, m) in splits.not_run for name in datasets)]
    ran = [m for m in methods if any((name, m) not in splits.not_run for name in datasets)]
    methods = ran or methods
    enough = len(methods) if only_finished else 1
    kept = [
        name
        for name in datasets
        if sum(_finished(splits, name, methods)) >= enough
        and not any((name, method) in splits.not_run for method in methods)
    ]
    shape = len(kept), len(methods)
    ranks = np.array([_ranks(splits, name, methods) for name in kept]).reshape(shape)
    done = np.array([_finished(splits, name, methods) for name in kept], bool).reshape(shape)
    best = (ranks == ranks.min(axis=1, keepdims=True, initial=math.inf)) & done
    tested = np.any(done, axis=0, keepdims=True)[0]
    test = rank_test(ranks[:, tested], higher_is_better=False)
    means = ranks.mean(axis=0).tolist() if kept else [math.nan] * len(methods)
    order = sorted(range(len(methods)), key=lambda i: means[i])
    rows = [
        Standing(
            method=methods[i],
            place=1 + sum(other < means[i] for other in means),
            mean_rank=means[i],
            win_rate=(len(methods) - means[i]) / max(len(methods) - 1, 1),
            n_best=int(best[:, i].sum()),
            n_failed=int((~done[:, i]).sum()),
            mean=splits.means.get((kept[0], methods[i])) if len(kept) == 1 else None,
            seconds=_median([t for name in kept for t in times.get((name, methods[i]), ())]),
            is_tested=bool(tested[i]),
            is_apart=bool(tested[i])
            and test.significant
            and means[i] - means[order[0]] >= test.critical_difference,
        )
        for i in order
    ]
    return Standings(
        splits.metric,
        tuple(kept),
        tuple(name for name in datasets if name not in kept),
        tuple(not_run),
        tuple(rows),
        {
            (name, method): splits.lacking[name, method]
            for name in kept
            for method in methods
            if (name, method) in splits.lacking
        },
        test,
    )


def _finished(splits: SplitScores, dataset: str, methods: Sequence[str]) -> list[bool]:
    return [(dataset, method) not in splits.lacking for method in methods]


def _ranks(splits: SplitScores, dataset: str, methods: Sequence[str]) -> list[float]:
    """Return the rank of each method on a data set."""
    done = [method for method in methods if (dataset, method) not in splits.lacking]
    means = np.array([[splits.means[dataset, method] for method in done]], float)
    ranks = ranks_of(means, splits.metric.greater_is_better)[0].tolist()
    by_method = dict(zip(done, ranks, strict=True))
    last = (len(done) + 1 + len(methods)) / 2
    return [by_method.get(method, last) for method in methods]


def _median(times: Sequence[int]) -> float | None:
    return median(times) / TICKS if times else None
