"""Folders of runs that were never run, from the predictions that matter in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mlbench.hashing import digest
from mlbench.results import Results, open_results
from mlbench.store import Store
from mlbench.store.predictions import compressed
from tests.plans import make_plan
from tests.rows import make_row

Arrays = Mapping[str, Any]


def kept_run(
    folder: Path,
    predictions: Mapping[str, Sequence[Arrays]],
    names: Sequence[str],
    thresholds: Sequence[float] | None = None,
    tuned_by: Sequence[str] = (),
) -> Results:
    """Write and open a results folder of the data set `toy` with kept predictions.

    Parameters
    ----------
    folder : Path
    predictions : mapping of str to sequence of mapping
        By method: the arrays of each split, ``rows``, ``scores``, ``labels``, ``truth``, ...
    names : sequence of str
        Of the labels.
    thresholds : sequence of float, optional
        Of the labels, in every row.
    tuned_by : sequence of str, optional
        The metrics that tuned a model each. The arrays of the first have plain names, those of
        others end in ``@`` and the metric.
    """
    store, rows = Store(folder), []
    ones = [1] * len(names)
    by_label = {"names": [*names], "tp": ones, "fp": ones, "fn": ones, "auc": ones}
    by_label |= {"average_precision": ones, "train_positives": None}
    for method, splits in predictions.items():
        for split, arrays in enumerate(splits):
            key = digest([method, split])
            known = {name: np.asarray(each) for name, each in arrays.items()}
            row = make_row(
                key=key,
                dataset="toy",
                method=method,
                split=split,
                by_label=by_label,
                thresholds=None if thresholds is None else [*thresholds],
                seconds={},
            )
            if tuned_by:
                chosen = [[metric, "0" * 64] for metric in tuned_by]
                row = replace(row, identity={**row.identity, "chosen": chosen})
            rows.append(replace(row, predictions=store.write_predictions(key, compressed(known))))
    cells = [[row.dataset, row.method, row.split, row.key] for row in rows]
    methods = {name: {"use": "br"} for name in predictions}
    toy = {"toy": {"use": "toy", "as": "toy"}}
    plan = make_plan(toy, methods, max(map(len, predictions.values())), cells)
    store.write_plan(plan.as_plain(), "")
    for row in rows:
        store.write_row(row)
    return open_results(folder)
