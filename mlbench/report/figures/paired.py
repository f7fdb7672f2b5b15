"""Differences of all methods to one of them, split by split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlbench.errors import MlbenchError
from mlbench.report.figures.quantity import Quantity
from mlbench.report.results import Results
from mlbench.spelling import did_you_mean


def paired(
    results: Results,
    quantity: Quantity,
    datasets: Sequence[str],
    methods: Sequence[str],
    minus: str,
) -> tuple[Results, Quantity]:
    """Return what a quantity of each method is minus that of one method on the same split.

    Raises
    ------
    MlbenchError
        If there is no such method, or it shares no split with another one.
    """
    if minus not in methods:
        raise MlbenchError(
            f"there is no method {minus!r} in the figure{did_you_mean(minus, methods)}"
        )
    values = []
    for dataset in datasets:
        base = results.scores(dataset, minus, quantity.name)
        for method in methods:
            scores = results.scores(dataset, method, quantity.name) if method != minus else {}
            values += [
                (dataset, method, split, quantity.name, value - base[split])
                for split, value in scores.items()
                if split in base
            ]
    if not values:
        raise MlbenchError(f"{minus} shares no split with another method")
    n_splits = {dataset: results.n_splits(dataset) for dataset in datasets}
    label = quantity.label.replace("(%)", "(percentage points)")
    return (
        Results(values, (), n_splits),
        replace(quantity, label=f"{label}, minus {minus}", bounds=None),
    )
