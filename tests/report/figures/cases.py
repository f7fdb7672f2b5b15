"""Small results to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlbench.results.scores import Scores

ByMethod = Mapping[tuple[str, str], Sequence[float]]


def results(n_splits: int = 3, **metrics: ByMethod) -> Scores:
    """Scores from the scores of each data set and method, by metric."""
    lines = [
        (dataset, method, split, metric, value)
        for metric, scores in metrics.items()
        for (dataset, method), values in scores.items()
        for split, value in enumerate(values)
    ]
    return Scores(lines, (), n_splits)
