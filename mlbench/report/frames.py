"""From rows on the disk to the frames that tables are made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from mlbench.store import search_key


def result_frames(
    cells: Iterable[tuple[str, str, int, str]], rows: Mapping[str, Mapping[str, Any]]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Arrange the rows of an experiment.

    Parameters
    ----------
    cells : iterable of (data set, method, split, key)
        The plan; names come from here, so that two names for the same cell both get its row.
    rows : mapping
        Rows by key.

    Returns
    -------
    values : DataFrame
        Columns dataset, method, split, metric, value; in the order of the plan. The metric
        ``seconds_fit``, say, is the time that a step took; ``report_gap``, ``report_converged``
        (0 or 1) and the like are what the final model says of its fit in numbers.
        ``search_fits``, ``search_unfinished`` and ``search_gap`` stand once for every search: its
        fits that say whether they converged, those that did not, and their largest gap.
    statuses : DataFrame
        Columns dataset, method, split, status; a cell without a row has no line.
    """
    values, statuses = [], []
    told: set[tuple[str, str, str]] = set()
    for dataset, method, split, key in cells:
        row = rows.get(key)
        if row is None:
            continue
        statuses.append((dataset, method, split, row["status"]))
        for metric, value in row["metrics"].items():
            values.append((dataset, method, split, metric, np.nan if value is None else value))
        for step, value in row["seconds"].items() if row["status"] == "ok" else ():
            values.append((dataset, method, split, f"seconds_{step}", value))
        for entry, value in (row["fit"] or {}).items():
            if isinstance(value, bool | int | float):
                values.append((dataset, method, split, f"report_{entry}", float(value)))
        search = (dataset, method, search_key(row["identity"])) if row["tuning"] else None
        if search is not None and search not in told:
            told.add(search)
            for entry, value in _of_search(row["tuning"]):
                values.append((dataset, method, split, f"search_{entry}", value))
    return (
        pd.DataFrame(values, columns=["dataset", "method", "split", "metric", "value"]),
        pd.DataFrame(statuses, columns=["dataset", "method", "split", "status"]),
    )


def _of_search(tuning: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield what is known of the convergence of a search's fits."""
    found = tuning.get("not_converged")
    if found is not None:
        yield "fits", found["of"]
        yield "unfinished", found["fits"]
        if found["largest_gap"] is not None:
            yield "gap", found["largest_gap"]
