"""Folders of runs that were never run, from the scores that matter in them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from mlbench.store import Store
from tests.plans import facts_of, make_plan
from tests.rows import keyed_row


def write_run(
    folder: Path,
    scores: Mapping[tuple[str, str], Sequence[float]],
    cards: Collection[str] = (),
    not_on: Mapping[str, Sequence[str]] | None = None,
    **experiment: Any,
) -> Path:
    """Write a results folder with the scores in macro F1, split by split.

    Parameters
    ----------
    folder : Path
    scores : mapping of (data set, method) to sequence of float
    cards : collection of str
        Data sets that are those of the card of this name.
    not_on : mapping, optional
        By method, the data sets that the experiment leaves out.
    **experiment
        Keys of the experiment.
    """
    datasets = [*dict.fromkeys(dataset for dataset, _ in scores)]
    names = dict.fromkeys(method for _, method in scores)
    methods = {name: {"use": "br", "not_on": [*(not_on or {}).get(name, ())]} for name in names}
    facts = {name: facts_of(name) for name in datasets}
    rows = [
        keyed_row(
            dataset=dataset,
            method=method,
            split=split,
            metrics={"macro_f1": score},
            seconds={},
            identity={
                "dataset": {"name": dataset, "fingerprint": facts[dataset].fingerprint},
                "split": {"kind": "random", "index": split},
                "method": {"name": method, "revision": 1},
            },
        )
        for (dataset, method), series in scores.items()
        for split, score in enumerate(series)
    ]
    cells = [[row.dataset, row.method, row.split, row.key] for row in rows]
    n_splits = max(len(series) for series in scores.values())
    named = {name: {"use": name if name in cards else "toy", "as": name} for name in datasets}
    plan = make_plan(named, methods, n_splits, cells, facts, **experiment)
    store = Store(folder)
    store.write_plan(plan.as_plain(), "")
    for row in rows:
        store.write_row(row)
    return folder
