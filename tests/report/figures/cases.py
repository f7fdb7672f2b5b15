"""Small results to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlbench.report.results import Results

Scores = Mapping[tuple[str, str], Sequence[float]]


def results(n_splits: int = 3, **metrics: Scores) -> Results:
    """Results from the scores of each data set and method, by metric."""
    lines = [
        (dataset, method, split, metric, value)
        for metric, scores in metrics.items()
        for (dataset, method), values in scores.items()
        for split, value in enumerate(values)
    ]
    return Results(lines, (), n_splits)
