"""Plans of results folders from what matters in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from mlbench.dataset_facts import DatasetFacts
from mlbench.hashing import digest
from mlbench.results.plan import StoredPlan

FACTS = DatasetFacts(
    fingerprint="f" * 64,
    n_samples=100,
    n_features=5,
    n_labels=3,
    n_tasks=0,
    has_published_split=False,
)


def facts_of(name: str | None) -> DatasetFacts:
    """Return facts of data that no other data set has, or those of the first one."""
    return FACTS if name is None else replace(FACTS, fingerprint=digest(name))


def plain_plan(
    datasets: Iterable[str] = ("toy",),
    methods: Iterable[str] = ("A",),
    n_splits: int = 1,
    cells: Sequence[Sequence[object]] = (),
    facts: Mapping[str, DatasetFacts] | None = None,
    **experiment: Any,
) -> dict[str, Any]:
    """Return the plain values of a plan.

    Data sets and methods are names, or mappings from names to entries of the experiment; other
    keywords are keys of the experiment.
    """
    if not isinstance(datasets, Mapping):
        datasets = {name: {"use": "toy", "as": name} for name in datasets}
    if not isinstance(methods, Mapping):
        methods = {name: {"use": "br"} for name in methods}
    return {
        "experiment": {
            "name": "trial",
            "datasets": list(datasets.values()),
            "methods": methods,
            "metrics": ["macro_f1"],
            **experiment,
            "protocol": {"splits": {"repeats": n_splits}} | experiment.get("protocol", {}),
        },
        "n_splits": n_splits,
        "datasets": {
            name: asdict((facts or {}).get(name, facts_of(name if number else None)))
            for number, name in enumerate(datasets)
        },
        "methods": list(methods),
        "cells": list(cells) or [[next(iter(datasets)), next(iter(methods)), 0, "a" * 64]],
    }


def make_plan(*args: Any, **kwargs: Any) -> StoredPlan:
    """Return a plan; parameters are those of :func:`plain_plan`."""
    return StoredPlan.from_plain(plain_plan(*args, **kwargs))
