"""From rows on the disk to the frames that tables are made from."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from mlbench.store import Row, Unconverged

Cell = tuple[str, str, int, str]
"""Data set, method, split and key."""
Value = tuple[str, str, int, str, float]
"""Data set, method, split, metric and value."""


def result_frames(
    cells: Sequence[Cell], rows: Mapping[str, Row], metrics: Container[str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Arrange the rows of an experiment.

    Parameters
    ----------
    cells : sequence of (data set, method, split, key)
        The plan; names come from here, so that two names for the same cell both get its row.
    rows : mapping
        Rows by key.
    metrics : container of str
        Those that are wanted; a row holds many times more.

    Returns
    -------
    values : DataFrame
        Columns dataset, method, split, metric, value; what :func:`result_values` yields, without
        metrics that are not wanted.
    statuses : DataFrame
        Columns dataset, method, split, status; a cell without a row has no line.
    """
    statuses = [(*cell, rows[key].status) for *cell, key in cells if key in rows]
    return (
        pd.DataFrame(
            result_values(cells, rows, metrics),
            columns=["dataset", "method", "split", "metric", "value"],
        ),
        pd.DataFrame(statuses, columns=["dataset", "method", "split", "status"]),
    )


def result_values(
    cells: Iterable[Cell],
    rows: Mapping[str, Row],
    metrics: Container[str] | None = None,
) -> Iterator[Value]:
    """Yield the numbers of the rows of an experiment, in the order of the plan.

    The metric ``seconds_fit``, say, is the time that a step took; ``report_gap``,
    ``report_converged`` (0 or 1) and the like are what the final model says of its fit in numbers.
    ``search_fits``, ``search_unfinished`` and ``search_gap`` stand once for every search: its
    fits that say whether they converged, those that did not, and their largest gap. Undefined is
    nan.
    """
    told: set[tuple[str, str, str]] = set()
    for dataset, method, split, key in cells:
        row = rows.get(key)
        if row is None:
            continue
        for metric, value in row.metrics.items():
            if metrics is None or metric in metrics:
                yield dataset, method, split, metric, np.nan if value is None else value
        for step, value in row.seconds.items() if row.is_ok else ():
            yield dataset, method, split, f"seconds_{step}", value
        for entry, told_value in (row.fit or {}).items():
            if isinstance(told_value, bool | int | float):
                yield dataset, method, split, f"report_{entry}", float(told_value)
        found = None if row.tuning is None else row.tuning.not_converged
        if found is None:
            continue
        search = (dataset, method, row.search)
        if search not in told:
            told.add(search)
            for name, number in _of_search(found):
                yield dataset, method, split, f"search_{name}", number


def _of_search(found: Unconverged) -> Iterator[tuple[str, float]]:
    """Yield what is known of the convergence of a search's fits."""
    yield "fits", found.of
    yield "unfinished", found.fits
    if found.largest_gap is not None:
        yield "gap", found.largest_gap
