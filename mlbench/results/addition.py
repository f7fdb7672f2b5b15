"""What results add to a published folder: the series that it lacks, and why others are refused.

A series, the cells of one method on one data set, may stand beside those of the folder if data,
splits and protocol are the same, and the method is treated like the others: nobody's threshold,
preprocessing, search metric or limits are its own. A method that the folder has must be the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from mlbench.config.datasets import DatasetReference
from mlbench.config.schema import ExperimentConfig, Method
from mlbench.errors import MlbenchError
from mlbench.hashing import digest
from mlbench.number_text import counted
from mlbench.results.admission import (
    beyond_limits,
    disagreements,
    other_data,
    other_method,
    other_rules,
    taken_over,
    unscored,
)
from mlbench.results.plan import PlannedCell
from mlbench.results.reference import reference_of
from mlbench.results.results import Results
from mlbench.results.scores import SeriesKey
from mlbench.store import Summary


@dataclass(frozen=True)
class AddedSeries:
    """What becomes of one series of the results; splits are in order."""

    dataset: str
    method: str
    added: tuple[int, ...] = ()
    """Splits that the folder lacks."""
    replaced: tuple[int, ...] = ()
    """Splits that failed there and not here."""
    left: tuple[int, ...] = ()
    """Splits that failed there and not here, and stay as they are."""
    beyond: tuple[int, ...] = ()
    """Splits that the folder's experiment does not have."""
    refused: str = ""
    """Why nothing of it can be added."""

    @property
    def taken(self) -> tuple[int, ...]:
        """The splits whose cells the folder gets."""
        return self.added + self.replaced


@dataclass(frozen=True)
class Addition:
    """What results add to a published folder."""

    there: Results
    new: Results
    parts: tuple[AddedSeries, ...]
    whole: ExperimentConfig | None = None
    """The experiment of which both are parts: it gives the order of data sets and methods. By
    default new ones come last.
    """

    @property
    def taken(self) -> list[AddedSeries]:
        """The series of which the folder gets cells."""
        return [part for part in self.parts if part.taken]

    @cached_property
    def merged(self) -> Results:
        """The results that the folder will hold."""
        whole = self.whole
        there, new = self.there.plan, self.new.plan
        pairs = {(part.dataset, part.method): part.taken for part in self.taken}
        facts = {name: new.datasets[name] for name, _ in pairs} | there.datasets
        references = _references(new.experiment) | _references(there.experiment)
        first = () if whole is None else _references(whole)
        datasets = _ordered((*first, *there.datasets, *(name for name, _ in pairs)), facts)
        every = {*there.methods, *(name for _, name in pairs)}
        order = () if whole is None else whole.methods
        methods = _ordered((*order, *there.methods, *(name for _, name in pairs)), every)
        keys, rows = self._keys_and_rows
        ran = {pair for pair, of in keys.items() if any(key in rows for key in of.values())}
        settings = self._settings(datasets, ran)
        experiment = (whole or there.experiment).model_copy(
            update={
                "datasets": [references[name] for name in datasets],
                "methods": {name: settings[name] for name in methods},
            }
        )
        plan = there.model_copy(
            update={
                "experiment": experiment,
                "datasets": {name: facts[name] for name in datasets},
                "methods": tuple(methods),
                "cells": tuple(_cells(datasets, experiment.methods, keys, there.n_splits)),
            }
        )
        searches = {**self.new.searches, **self.there.searches}
        searches = {key: found for key, found in searches.items() if key in rows}
        return replace(self.there, plan=plan, rows=rows, exported_searches=searches)

    def _settings(self, datasets: Sequence[str], ran: Collection[SeriesKey]) -> dict[str, Method]:
        """Return all methods; one that ran on a data set is on it, whatever a file says."""
        there, new = self.there.plan, self.new.plan.experiment.methods
        known = there.experiment.methods
        whole = {} if self.whole is None else self.whole.methods
        settings = {}
        for name, each in {**new, **known}.items():
            if name in whole:
                not_on = {*whole[name].not_on}
            else:
                more = {*new[name].not_on} if name in new else set()
                not_on = {*each.not_on} | (more - {*there.datasets})
            left = [one for one in datasets if one in not_on and (one, name) not in ran]
            settings[name] = each.model_copy(update={"not_on": left})
        return settings

    @cached_property
    def _keys_and_rows(self) -> tuple[dict[SeriesKey, dict[int, str]], dict[str, Summary]]:
        """Return the keys of all cells, and the rows of those that have run."""
        keys = self.there.keys_by_split
        rows = dict(self.there.rows)
        here = self.new.keys_by_split
        for part in self.taken:
            pair = (part.dataset, part.method)
            for split in part.taken:
                key = here[pair][split]
                old = keys.setdefault(pair, {}).get(split)
                keys[pair][split] = key
                if old is not None and split in part.replaced:
                    rows.pop(old, None)
                rows.setdefault(key, self.new.rows[key])
        return keys, rows


def plan_addition(
    there: Results,
    new: Results,
    metrics: Sequence[str],
    replace_failed: bool = False,
    whole: ExperimentConfig | None = None,
) -> Addition:
    """Find what results add to a published folder.

    Parameters
    ----------
    there : Results
        Of the folder.
    new : Results
    metrics : sequence of str
        Those that every series must have.
    replace_failed : bool
        Whether cells that failed there give way to those with a result here.
    whole : ExperimentConfig, optional
        The experiment of which both are parts. What its methods have of their own they may have.

    Raises
    ------
    MlbenchError
        If the two follow different protocols; one line for each difference.
    """
    known, own = _identities(there), _identities(new)
    experiments = there.plan.experiment, new.plan.experiment
    if problems := [*disagreements(*experiments), *other_rules(known, own)]:
        lines = "\n".join(f"  {each}" for each in problems)
        raise MlbenchError(
            f"{new.path}: follows another protocol than {there.path}, so nothing can be added:\n"
            f"{lines}"
        )
    before, here = there.keys_by_split, new.keys_by_split
    parts = []
    for (dataset, method), identity in own.items():
        keys = here[dataset, method]
        reason = (
            taken_over(method, there, new)
            or other_data(dataset, known, identity)
            or other_method(method, there, new, known, identity, whole)
            or unscored(new, keys, metrics)
            or beyond_limits(method, new, keys)
        )
        splits = {} if reason else _sorted(there, new, before.get((dataset, method), {}), keys)
        if (origin := new.origins[method]) is not None and any(splits.values()):
            reason, splits = (
                f"was taken over from {origin}, which can be added itself, from there",
                {},
            )
        if not replace_failed:
            splits["left"] = splits.pop("replaced", ())
        parts.append(AddedSeries(dataset, method, refused=reason, **splits))
    return Addition(there, new, tuple(parts), whole)


def without_methods(there: Results, methods: Collection[str], new: Results) -> Results:
    """Leave out methods of a folder, whose series results replace.

    Raises
    ------
    MlbenchError
        If the folder has no such method, or results lack one of its cells.
    """
    replaced = [cell for cell in there.cells if cell.method in methods]
    if unknown := sorted({*methods} - {cell.method for cell in replaced}):
        raise MlbenchError(f"--replace: {there.path} has no method {unknown[0]!r}")
    done = {cell[:3] for cell in new.cells if cell.key in new.rows}
    lacking = [cell for cell in replaced if cell.key in there.rows and cell[:3] not in done]
    if lacking:
        first = "/".join(map(str, lacking[0][:3]))
        raise MlbenchError(
            f"--replace: {new.path} lacks {counted(len(lacking), 'cell')} that {there.path} has, "
            f"the first {first}; nothing is replaced"
        )
    plan = there.plan
    kept = {name: each for name, each in plan.experiment.methods.items() if name not in methods}
    update = {
        "experiment": plan.experiment.model_copy(update={"methods": kept}),
        "methods": tuple(name for name in plan.methods if name not in methods),
        "cells": tuple(cell for cell in plan.cells if cell.method not in methods),
    }
    gone = {cell.key for cell in replaced}
    rows = {key: row for key, row in there.rows.items() if key not in gone}
    return replace(there, plan=plan.model_copy(update=update), rows=rows)


def _identities(results: Results) -> dict[SeriesKey, dict[str, Any]]:
    return {(each.dataset, each.method): each.identity for each in reference_of(results).series}


def _sorted(
    there: Results, new: Results, before: Mapping[int, str], keys: Mapping[int, str]
) -> dict[str, tuple[int, ...]]:
    """Sort the splits of a series that may be added into those of a :class:`AddedSeries`."""
    found: dict[str, tuple[int, ...]] = {"added": (), "replaced": (), "beyond": ()}
    for split, key in sorted(keys.items()):
        row, old = new.rows.get(key), there.rows.get(before.get(split, ""))
        if row is None:
            continue
        if split >= there.plan.n_splits:
            found["beyond"] += (split,)
        elif old is None:
            found["added"] += (split,)
        elif row.is_ok and not old.is_ok:
            found["replaced"] += (split,)
    return found


def _references(experiment: ExperimentConfig) -> dict[str, DatasetReference]:
    return {each.display: each for each in experiment.datasets}


def _ordered(names: Iterable[str], wanted: Iterable[str]) -> list[str]:
    """Return the wanted names, in the order in which they come first."""
    among = {*wanted}
    return [name for name in dict.fromkeys(names) if name in among]


def _cells(
    datasets: Sequence[str],
    methods: Mapping[str, Method],
    keys: Mapping[SeriesKey, Mapping[int, str]],
    n_splits: int,
) -> Iterator[PlannedCell]:
    """Yield all cells of the experiment; those that nobody ran are missing."""
    for dataset in datasets:
        for method, settings in methods.items():
            if dataset in settings.not_on:
                continue
            known = keys.get((dataset, method), {})
            for split in sorted({*known, *range(n_splits)}):
                place = (dataset, method, split)
                yield PlannedCell(*place, known.get(split) or digest(["not run", *place]))
