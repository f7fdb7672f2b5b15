"""Data sets that a method is `not_on`: pairs that an experiment leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from mlbench.config.datasets import DatasetReference
from mlbench.spelling import did_you_mean
from mlbench.yaml_loader import Location


def name_in_tables(dataset: str | Mapping[str, Any]) -> str:
    """Return the name of a data set in tables, as far as its entry is valid."""
    given = {"use": dataset} if isinstance(dataset, str) else {**dataset, "as": None}
    alias = None if isinstance(dataset, str) else dataset.get("as")
    try:
        return str(alias) if alias else DatasetReference.model_validate(given).display
    except ValidationError:
        return str(given)


def check_not_on(datasets: object, methods: Mapping[str, object]) -> Iterator[tuple[Location, str]]:
    """Yield the names that are none of the data sets, and the last pair if all are left out.

    Values of a wrong type are skipped: the schema reports those.
    """
    names = _names(datasets)
    left_out = set()
    for method, entry in methods.items():
        for location, name in _named(method, entry):
            left_out.add((name, method))
            if name not in names:
                yield (
                    location,
                    f"this experiment has no data set {name!r}{did_you_mean(name, names)}; "
                    f"it has {', '.join(names)}",
                )
    if names and methods and {(name, method) for name in names for method in methods} <= left_out:
        last = [*methods][-1]
        yield ("methods", last, "not_on"), "leaves nothing to run: no method is on any data set"


def without_absent(value: dict[str, Any], before: Mapping[str, Any]) -> None:
    """Take data sets that other settings took out of an experiment out of its `not_on`, too.

    Parameters
    ----------
    value : dict
        The content of the experiment, which is changed.
    before : mapping
        The same without these settings.
    """
    gone = {*_names(before.get("datasets"))} - {*_names(value.get("datasets"))}
    methods = value.get("methods")
    for method, entry in methods.items() if gone and isinstance(methods, dict) else ():
        given = [name for _, name in _named(method, entry)]
        if gone & {*given}:
            entry["not_on"] = [name for name in given if name not in gone]


def _names(datasets: object) -> list[str]:
    entries = datasets if isinstance(datasets, list) else []
    return [name_in_tables(each) for each in entries if isinstance(each, str | Mapping)]


def _named(method: str, entry: object) -> Iterator[tuple[Location, str]]:
    """Yield the data sets that a method is not on, with their locations."""
    given = entry.get("not_on") if isinstance(entry, Mapping) else None
    at = ("methods", method, "not_on")
    if isinstance(given, str):
        yield at, given
    for i, name in enumerate(given if isinstance(given, list) else ()):
        if isinstance(name, str):
            yield (*at, i), name
