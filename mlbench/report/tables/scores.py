"""The cells of score tables: means over splits, the best, and which the tests mark."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mlbench.comparisons.pairwise_tests import Finding
from mlbench.comparisons.settings import MetricColumn
from mlbench.number_text import NOTHING, ScoreFormat, of_kinds
from mlbench.report.tables.table import Source, TableCell
from mlbench.results.scores import MISSING, NOT_RUN, Scores

FEWER = "†"
FINAL = "‡"
TUNING = "§"
"""Marks of means over fewer splits, and of fits that did not converge."""
MARKS = (("•", "◦"), ("▪", "▫"), ("▴", "▵"))
"""For each comparison: the tested method is better, and worse."""


@dataclass(frozen=True)
class ScoreColumn:
    """A column of a score table: a data set, a metric, and how its scores are printed."""

    dataset: str
    metric: MetricColumn
    style: ScoreFormat


@dataclass(frozen=True)
class ScoreCell(TableCell):
    """The score of one method: a mean over splits, and the splits missing from it."""

    mean: float = float("nan")
    std: float = float("nan")
    """Over the `n` splits with a score; nan where there are too few (std needs two)."""
    n: int = 0
    """Splits behind the mean."""
    n_splits: int = 0
    """Splits that the experiment has."""
    failures: tuple[tuple[str, int], ...] = ()
    """Why the other splits are missing, and how many for each reason."""

    @property
    def n_failed(self) -> int:
        """Splits that ran and have no score."""
        return sum(number for kind, number in self.failures if kind not in (MISSING, NOT_RUN))


def score_cell(results: Scores, method: str, column: ScoreColumn) -> ScoreCell:
    """Summarize the splits of one method on one data set in one metric."""
    dataset, metric = column.dataset, column.metric.name
    scores = np.array(list(results.scores(dataset, method, metric).values()))
    mean = float(scores.mean()) if scores.size else float("nan")
    has_std = scores.size > 1 and np.isfinite(scores).all()
    std = float(scores.std(ddof=1)) if has_std else float("nan")
    failures = results.failures(dataset, method, metric)
    printed = column.style.score(mean, std)
    is_run = NOT_RUN not in dict(failures)
    if failures and not scores.size:
        printed = f"{NOTHING} ({of_kinds(failures) if is_run else NOT_RUN})"
    marks = [FEWER] if failures and scores.size else []
    marks += _unfinished_marks(results, method, dataset) if scores.size else []
    return ScoreCell(
        printed=printed,
        marks=tuple(marks),
        source=Source(dataset, metric, method) if is_run else None,
        value=mean if scores.size else None,
        mean=mean,
        std=std,
        n=int(scores.size),
        n_splits=results.n_splits(dataset),
        failures=failures,
    )


def score_cells(results: Scores, methods: Sequence[str], column: ScoreColumn) -> list[ScoreCell]:
    """Return the cells of a column, the best in bold if their means are over the same splits.

    No score of a metric that only describes methods is best.
    """
    metric = column.metric
    cells = [score_cell(results, method, column) for method in methods]
    printed = {i: float(column.style.number(c.mean)) for i, c in enumerate(cells) if c.n}
    if len(methods) < 2 or not printed or not metric.is_quality:
        return cells
    splits = [results.scores(column.dataset, methods[i], metric.name).keys() for i in printed]
    alike = all(each == splits[0] for each in splits)
    best = max(printed.values()) if metric.greater_is_better else min(printed.values())
    goodness = goodness_of([cell.value for cell in cells], metric.greater_is_better)
    return [
        replace(cell, bold=alike and printed.get(i) == best, goodness=goodness[i])
        for i, cell in enumerate(cells)
    ]


def mark_significant(
    cells: Sequence[list[ScoreCell]],
    methods: Sequence[str],
    columns: Sequence[ScoreColumn],
    findings: Sequence[Finding],
    symbols: tuple[str, str],
) -> set[str]:
    """Mark the methods that the tested one beats or loses to; return the symbols used."""
    rows = {name: i for i, name in enumerate(methods)}
    used: set[str] = set()
    for column_cells, column in zip(cells, columns, strict=True):
        for finding in findings:
            here = (finding.dataset, finding.metric) == (column.dataset, column.metric.name)
            sign = finding.decision() if here else 0
            if sign and finding.against in rows:
                symbol = symbols[0] if sign > 0 else symbols[1]
                row = rows[finding.against]
                column_cells[row] = column_cells[row].marked(symbol)
                used.add(symbol)
    return used


def goodness_of(values: Sequence[float | None], greater_is_better: bool) -> list[float | None]:
    """Return where each value lies between the worst (0) and the best (1) of them.

    It is None for a missing or infinite value, and for all values if they are equal.
    """
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=0.0)
    if low == high:
        return [None] * len(values)
    worst, best = (low, high) if greater_is_better else (high, low)
    return [
        None if value is None or not math.isfinite(value) else (value - worst) / (best - worst)
        for value in values
    ]


def unfinished_fits(results: Scores, method: str, dataset: str) -> tuple[int, int, list[float]]:
    """Return how many final fits did not converge, of how many, and their known gaps.

    Where several metrics decided, a split has a final fit for each that chose other parameters.
    A fit that says nothing counts as converged where others of its method say that they did not.
    """
    number, total, gaps = 0, 0, list[float]()
    for name in [each for each in results.metrics if each.partition("@")[0] == "report_converged"]:
        converged = results.scores(dataset, method, name)
        known = results.scores(dataset, method, name.replace("converged", "gap", 1))
        splits = [split for split, value in converged.items() if value == 0]
        said = len(converged) if "@" in name else results.n_ok(dataset, method)
        number, total = number + len(splits), total + max(said, len(converged))
        gaps += [known[split] for split in splits if split in known]
    return number, total, gaps


def unfinished_search_fits(
    results: Scores, method: str, dataset: str
) -> tuple[int, int, list[float]]:
    """Return the same numbers for the fits that the searches of a method made."""
    number, total = (
        int(sum(results.scores(dataset, method, f"search_{count}").values()))
        for count in ("unfinished", "fits")
    )
    return number, total, list(results.scores(dataset, method, "search_gap").values())


def _unfinished_marks(results: Scores, method: str, dataset: str) -> list[str]:
    marks = [FINAL] if unfinished_fits(results, method, dataset)[0] else []
    return [*marks, TUNING] if unfinished_search_fits(results, method, dataset)[0] else marks
