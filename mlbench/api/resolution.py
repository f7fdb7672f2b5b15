"""What the splits of an experiment can show, before it runs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

from mlbench.api.prepare import Prepared
from mlbench.cell.tuning import draw
from mlbench.data import load_dataset
from mlbench.metrics import get_metric
from mlbench.plan import Cell
from mlbench.results.scores import CellKey, Scores, row_values
from mlbench.statistics import ALPHA, PairedScores, Resolution, resolution
from mlbench.statistics.pairs import differences
from mlbench.store import Summary

ASSUMED_STD = 0.01
"""One point, where no row says how much differences vary."""

MOST_DRAWN = 20
"""Splits that are drawn for their sizes, which groups make unequal."""


@dataclass(frozen=True)
class PlannedResolution:
    """The difference that the splits of a data set can show in a metric."""

    dataset: str
    metric: str | None
    """None where no row has scores: then the standard deviation is assumed to be one point."""
    n_splits: int
    ratio: float
    """The mean size of test parts over that of training parts."""
    std: float
    """The standard deviation of differences over splits: the median over pairs of methods
    that differ.
    """
    n_pairs: int
    """The number of these pairs."""
    alpha: float
    """The level of the test, for one comparison."""
    shown: Resolution
    refused: str = ""
    """Why there is no corrected t-test, if there is none."""


def planned_resolutions(
    prepared: Prepared, rows: Mapping[str, Summary], data_dirs: Sequence[Path] = ()
) -> Iterator[PlannedResolution]:
    """Yield what the splits of each data set can show, by metric where there are rows.

    Parameters
    ----------
    prepared : Prepared
    rows : mapping
        The rows that exist, by key; those that are taken over count, too.
    data_dirs : sequence of Path
        Folders to look for data in before the usual ones.
    """
    plan = prepared.plan
    experiment = plan.experiment
    asked = map(get_metric, experiment.report.metrics or experiment.metrics)
    metrics = [metric.name for metric in asked if metric.is_quality]
    alpha = experiment.tests[0].alpha if experiment.tests else ALPHA
    places: list[CellKey] = [(c.dataset, c.method, c.split, c.key) for c in plan.cells]
    for part in prepared.taken_over:
        places += part.results.cells
        rows = {**rows, **part.results.rows}
    scores = _scores(places, rows, metrics)
    for cells in _cells_of_splits(plan.cells):
        cell, n_splits = cells[0], len(cells)
        data = load_dataset(cell.data.reference, data_dirs)
        splits = [draw(each, data, each.split) for each in cells[:MOST_DRAWN]]
        n_test, n_train = (
            sum(len(part.Y) for part in parts)
            for parts in zip(*((split.test, split.train) for split in splits), strict=True)
        )
        ratio = n_test / n_train
        found: dict[str | None, list[float]] = {
            metric: _deviations(scores, cell.dataset, metric) for metric in metrics
        }
        known = {metric: stds for metric, stds in found.items() if stds}
        for metric, stds in known.items() or [(None, [])]:
            std = median(stds) if stds else ASSUMED_STD
            refused = plan.facts[cell.dataset].uncorrected
            shown = resolution(std, n_splits, None if refused else ratio, alpha=alpha)
            yield PlannedResolution(
                cell.dataset, metric, n_splits, ratio, std, len(stds), alpha, shown, refused
            )


def _cells_of_splits(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Return for each data set a cell of each split."""
    found: dict[str, dict[int, Cell]] = {}
    for cell in cells:
        found.setdefault(cell.dataset, {}).setdefault(cell.split, cell)
    return [[*each.values()] for each in found.values()]


def _scores(
    places: Sequence[CellKey], rows: Mapping[str, Summary], metrics: Sequence[str]
) -> Scores:
    values = row_values(places, rows, metrics, seconds=False)
    statuses = (
        (dataset, method, split, rows[key].status)
        for dataset, method, split, key in places
        if key in rows
    )
    return Scores(values, statuses, len(places))


def _deviations(scores: Scores, dataset: str, metric: str) -> list[float]:
    """Return the standard deviation of differences of every pair of methods that differ."""
    found = []
    for method, other in combinations(scores.methods, 2):
        pair = PairedScores.of(
            scores.scores(dataset, method, metric), scores.scores(dataset, other, metric)
        )
        std = differences(pair.a, pair.b).std if pair.n > 1 else math.nan
        if std > 0:
            found.append(std)
    return found
