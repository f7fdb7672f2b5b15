"""Notes on rows that lack a metric, and on methods whose scores are no probabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mlbench.metrics import Metric
from mlbench.report.numbers import counted, listed, were
from mlbench.store import Summary


def notes_on_unscored(
    metrics: Sequence[Metric],
    cells: Iterable[tuple[str, str, int, str]],
    rows: Mapping[str, Summary],
) -> list[str]:
    """Say why shown metrics have no value in rows with a result, and what can be done."""
    ok = [(method, rows[key]) for _, method, _, key in cells if key in rows and rows[key].is_ok]
    notes = []
    for metric in metrics:
        if lacking := [row for _, row in ok if metric.name not in row.metrics]:
            notes.append(_on_older_rows(metric, lacking))
        if metric.needs == "probabilities":
            undefined = [name for name, row in ok if row.metrics.get(metric.name, 0) is None]
            if undefined:
                notes.append(
                    f"{metric.title} is undefined where scores are no probabilities (in [0, 1]): "
                    f"{listed(list(dict.fromkeys(undefined)))}."
                )
    return notes


def _on_older_rows(metric: Metric, rows: Sequence[Summary]) -> str:
    n = len(rows)
    lacking = f"Not scored: {counted(n, 'row')} {were(n)} computed without {metric.title}"
    if metric.uses_training:
        return f"{lacking}, which needs the training labels; a run into another folder computes it."
    kept = sum(row.predictions is not None for row in rows)
    if not kept:
        return f"{lacking}, and no predictions were kept from which `mlbench rescore` takes it."
    return f"{lacking}; `mlbench rescore` computes it for the {kept} whose predictions were kept."
