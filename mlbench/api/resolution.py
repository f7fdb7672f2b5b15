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
from mlbench.results.scores import Scores, row_values
from mlbench.statistics import ALPHA, PairedScores, Resolution, resolution
from mlbench.statistics.pairs import differences
from mlbench.store import Summary

ASSUMED_STD = 0.01
"""One point, where no row says how much differences vary."""


@dataclass(frozen=True)
class PlannedResolution:
    """The difference that the splits of a data set can show in a metric."""

    dataset: str
    metric: str | None
    """None where no row has scores: then the standard deviation is assumed to be one point."""
    n_splits: int
    ratio: float
    """The size of a test part over that of a training part."""
    std: float
    """The standard deviation of differences over splits: the median over pairs of methods."""
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
        The rows that exist, by key.
    data_dirs : sequence of Path
        Folders to look for data in before the usual ones.
    """
    plan = prepared.plan
    experiment = plan.experiment
    asked = map(get_metric, experiment.report.metrics or experiment.metrics)
    metrics = [metric.name for metric in asked if metric.is_quality]
    alpha = experiment.tests[0].alpha if experiment.tests else ALPHA
    scores = _scores(plan.cells, rows, metrics)
    for cell in _first_cells(plan.cells):
        n_splits = len({each.split for each in plan.cells if each.dataset == cell.dataset})
        split = draw(cell, load_dataset(cell.data.reference, data_dirs), cell.split)
        ratio = len(split.test.Y) / len(split.train.Y)
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


def _first_cells(cells: Sequence[Cell]) -> list[Cell]:
    """Return a cell of each data set."""
    return list({cell.dataset: cell for cell in reversed(cells)}.values())[::-1]


def _scores(cells: Sequence[Cell], rows: Mapping[str, Summary], metrics: Sequence[str]) -> Scores:
    places = [(cell.dataset, cell.method, cell.split, cell.key) for cell in cells]
    values = row_values(places, rows, metrics, seconds=False)
    statuses = (
        (dataset, method, split, rows[key].status)
        for dataset, method, split, key in places
        if key in rows
    )
    return Scores(values, statuses, len(cells))


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
