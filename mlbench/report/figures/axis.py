"""The numbers that lines can have on the x-axis: those in which data sets or methods differ."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from mlbench.errors import MlbenchError
from mlbench.results.plan import StoredPlan
from mlbench.spelling import did_you_mean

COUNTS = {"samples": "n_samples", "features": "n_features", "labels": "n_labels"}

LABELS = {
    "ratio": "negatives per positive",
}
"""Axis labels of parameters that do not count anything."""

AxisEntry = Mapping[str, Any]
Groups = dict[str, dict[str, float]]


@dataclass(frozen=True)
class Axis:
    """A number in which data sets or methods differ."""

    name: str
    """The name of the parameter or count."""
    of: Literal["data sets", "methods"]
    """What differs in it."""
    groups: Groups
    """The values of each group by name. The members of a group differ in nothing else. Data sets of
    a group share a panel; methods of a group are one line.
    """
    is_stated: bool = True
    """Whether the experiment file states the number; otherwise the data sets are unrelated."""

    @property
    def label(self) -> str:
        """The axis label."""
        values = [value for group in self.groups.values() for value in group.values()]
        if self.of == "methods":
            counted = self.name.removeprefix("n_")
            return self.name if counted == self.name else f"number of {counted.replace('_', ' ')}"
        if self.name == "train":
            return "share of samples to train" if max(values) <= 1 else "number of training samples"
        return LABELS.get(self.name, f"number of {self.name}")


def find_axis(plan: StoredPlan, along: str | None = None) -> Axis:
    """Return an axis for lines.

    Parameters
    ----------
    plan : StoredPlan
    along : str, optional
        The axis's name, or ``1/NAME``; by default the first of :func:`known_axes`.

    Raises
    ------
    MlbenchError
        If there is no such axis; the message lists those that exist.
    """
    axes = known_axes(plan)
    names = list(dict.fromkeys(axis.name for axis in axes))
    for axis in axes:
        if along is None or axis.name == along:
            return axis
        if along == f"1/{axis.name}":
            return _inverse(axis)
    requested = f" {along!r}{did_you_mean(along, names)}" if along else ""
    raise MlbenchError(
        f"neither the data sets nor the methods differ in a number{requested}; "
        f"numbers in which they differ: {', '.join(names) or 'none'}"
    )


def _inverse(axis: Axis) -> Axis:
    """Return the axis of the reciprocals, rounded so that 1/0.33333333 is 3."""
    groups = {
        title: {name: float(f"{1 / value:.6g}") for name, value in values.items() if value}
        for title, values in axis.groups.items()
    }
    return replace(axis, name=f"1/{axis.name}", groups=groups)


def stated_axes(plan: StoredPlan) -> list[Axis]:
    """Return the axes that the experiment file specifies: of data sets, then of methods."""
    return [*_of_datasets(plan), *_of_methods(plan)]


def known_axes(plan: StoredPlan) -> list[Axis]:
    """Return all possible axes for lines.

    The axes that the experiment file specifies come first. Counts in which the data sets differ
    follow, such as the number of samples.
    """
    return [*stated_axes(plan), *_of_counts(plan)]


def _of_datasets(plan: StoredPlan) -> list[Axis]:
    names = list(plan.datasets)
    stated = {
        name: {
            **reference.model_dump(mode="json", exclude={"alias", "imbalance"}),
            **({} if reference.imbalance is None else {"ratio": reference.imbalance.ratio}),
        }
        for name, reference in zip(names, plan.experiment.datasets, strict=True)
    }
    alone = [
        Axis(number, "data sets", {"": {name: stated[name][number] for name in names}})
        for number in _numbers(stated)
        if len(_stated(number, stated)) == len(set(_stated(number, stated))) == len(names) > 1
    ]
    grouped = [
        Axis(number, "data sets", groups)
        for number in _numbers(stated)
        if number not in [axis.name for axis in alone]
        and (groups := _grouped(stated, number))
        and sum(map(len, groups.values())) == len(names)
    ]
    return [*alone, *grouped]


def _of_counts(plan: StoredPlan) -> list[Axis]:
    facts = plan.datasets
    known = {
        number: {name: float(getattr(fact, key)) for name, fact in facts.items()}
        for number, key in COUNTS.items()
    }
    return [
        Axis(number, "data sets", {"": values}, is_stated=False)
        for number, values in known.items()
        if len(set(values.values())) == len(facts) > 1
    ]


def _of_methods(plan: StoredPlan) -> list[Axis]:
    entries = {
        name: {**method.model_dump(mode="json", exclude={"params"}), **method.params}
        for name, method in plan.experiment.methods.items()
    }
    return [
        Axis(number, "methods", groups)
        for number in _numbers(entries)
        if (groups := _grouped(entries, number))
    ]


def _stated(number: str, entries: Mapping[str, AxisEntry]) -> list[Any]:
    return [entry[number] for entry in entries.values() if entry.get(number) is not None]


def _numbers(entries: Mapping[str, AxisEntry]) -> list[str]:
    """Return the keys whose values are all numbers."""
    keys = dict.fromkeys(key for entry in entries.values() for key in entry)
    return [
        key
        for key in keys
        if all(
            isinstance(entry[key], int | float) and not isinstance(entry[key], bool)
            for entry in entries.values()
            if entry.get(key) is not None
        )
        and any(entry.get(key) is not None for entry in entries.values())
    ]


def _grouped(entries: Mapping[str, AxisEntry], number: str) -> Groups:
    """Return groups of two or more entries that differ only in one number."""
    members: dict[str, list[str]] = {}
    for name, entry in entries.items():
        if entry.get(number) is not None:
            rest = {key: value for key, value in entry.items() if key != number}
            members.setdefault(json.dumps(rest, sort_keys=True), []).append(name)
    found = [group for group in members.values() if len(group) > 1]
    titles = _titles(found, entries, number)
    return {
        title: {name: float(entries[name][number]) for name in group}
        for title, group in zip(titles, found, strict=True)
    }


def _titles(
    groups: Sequence[Sequence[str]], entries: Mapping[str, AxisEntry], number: str
) -> list[str]:
    """Name each group by the first words that its members' names share, or by its ``use``."""
    titles = [_common_words(group, number) or str(entries[group[0]]["use"]) for group in groups]
    return [
        title if titles.count(title) == 1 else f"{title} ({group[0]}, ...)"
        for title, group in zip(titles, groups, strict=True)
    ]


def _common_words(names: Sequence[str], number: str) -> str:
    common = []
    for words in zip(*(name.split() for name in names), strict=False):
        if len(set(words)) > 1:
            break
        common.append(words[0])
    while common and common[-1].strip("=,:;") in ("", number):
        del common[-1]
    return " ".join(common).rstrip(",:;")
