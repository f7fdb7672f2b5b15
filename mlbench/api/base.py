"""The published results that an experiment stands on: checked against what is here."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlbench.config.datasets import DatasetReference
from mlbench.config.find_base import FoundBase
from mlbench.config.load import LoadedExperiment, format_problems
from mlbench.config.schema import ExperimentConfig
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import ConfigError, MlbenchError
from mlbench.hashing import canonical_json
from mlbench.methods.catalogue import BASE_LEARNERS, METHODS
from mlbench.metrics import get_metric
from mlbench.number_text import counted, listed, were
from mlbench.plan import Plan
from mlbench.plan.cells import PlannedSearch, threshold_identity
from mlbench.plan.identity import PROTOCOL_REVISION
from mlbench.plan.make_splitter import splitter_of
from mlbench.protocol.splitters.stratification import revision_of
from mlbench.protocol.thresholds import POLICIES
from mlbench.registry.loading import load_class
from mlbench.results.exported import export_of_texts, folder_texts
from mlbench.results.reference import Reference, Series
from mlbench.results.results import Results
from mlbench.results.taken_over import TakenOver
from mlbench.results.verify import verify
from mlbench.store import Summary
from mlbench.store.plain_values import differences
from mlbench.yaml_loader import Location

Problem = tuple[Location, str]
_SHOWN = 6
"""Digits of fingerprints in messages."""


def take_over_base(
    loaded: LoadedExperiment, facts: Mapping[str, DatasetFacts]
) -> tuple[TakenOver, list[str]]:
    """Take over the cells of an experiment's base, and return notes on them.

    Parameters
    ----------
    loaded : LoadedExperiment
        It has a base.
    facts : mapping
        Facts about each data set as it is here, by its name in tables.

    Raises
    ------
    StoreError
        If the base is damaged, or the key of a cell is not the hash of its identity.
    ConfigError
        If it is of other data, splits or revisions than are here, or lacks a metric.
    """
    found = loaded.base
    assert found is not None
    texts = folder_texts(found.path)
    reference = verify(found.path, texts)
    results = export_of_texts(found.path, texts)
    checked = _Checked(loaded, found, reference, results, facts)
    if problems := list(checked.problems()):
        raise ConfigError(format_problems(loaded.source, problems))
    cells = {
        (cell.dataset, cell.method, cell.split)
        for cell in results.cells
        if cell.key in results.rows
        if cell.dataset in found.datasets and cell.method in found.methods
    }
    part = TakenOver.of_export(found.path, texts, cells, is_base=True)
    return part, [_heading(part), *checked.notes(part)]


def moved_numbers(old: Results, new: Results) -> list[str]:
    """Return the numbers of a base that are not what they were: ``emotions/BR/0 macro_f1``."""
    scores = {line[:4]: line[4] for line in new.numbers("scores")}
    return [
        f"{dataset}/{method}/{split} {metric}"
        for dataset, method, split, metric, score in old.numbers("scores")
        if (place := (dataset, method, split, metric)) in scores and scores[place] != score
    ]


def agreements(plan: Plan, rows: Mapping[str, Summary], parts: Sequence[TakenOver]) -> list[str]:
    """Say of each own method that is one of the base whether it got the same numbers."""
    base = {
        cell.key: part.results.rows[cell.key]
        for part in parts
        if part.origin.is_base
        for cell in part.results.cells
    }
    found: dict[str, list[float]] = {}
    for cell in plan.cells:
        row, other = rows.get(cell.key), base.get(cell.key)
        if row is not None and other is not None and row.is_ok and other.is_ok:
            found.setdefault(cell.method, []).append(largest_difference(other, row))
    return [f"{method}: {same_bits(gaps)}" for method, gaps in found.items()]


def same_bits(gaps: Sequence[float]) -> str:
    """Say how many cells have the numbers that the base has for them."""
    same = sum(gap == 0 for gap in gaps)
    of = f"the same bits as the base on {same} of {counted(len(gaps), 'cell')}"
    return of if same == len(gaps) else f"{of}, largest difference {max(gaps):.2g}"


def largest_difference(there: Summary, here: Summary) -> float:
    """Return by how much two rows differ at most, in the metrics that both have."""
    pairs = [
        (there.metrics[name], here.metrics[name]) for name in there.metrics if name in here.metrics
    ]
    gaps = [abs(a - b) for a, b in pairs if a is not None and b is not None]
    undefined = any((a is None) != (b is None) for a, b in pairs)
    return math.inf if undefined else max(gaps, default=0.0)


def _heading(part: TakenOver) -> str:
    origin, plan = part.origin, part.results.plan
    verified = "no key can be verified" if _is_chosen(part.results) else "all keys verified"
    return (
        f"base {origin.title}: {counted(len(plan.methods), 'method')}, "
        f"{counted(len(plan.datasets), 'data set')}, {counted(plan.n_splits, 'split')}: "
        f"{counted(origin.n_cells, 'cell')} taken over, {verified}"
    )


@dataclass(frozen=True)
class _Checked:
    """A base, and what is here."""

    loaded: LoadedExperiment
    found: FoundBase
    reference: Reference
    results: Results
    facts: Mapping[str, DatasetFacts]

    @property
    def experiment(self) -> ExperimentConfig:
        """The experiment of the base."""
        return self.results.plan.experiment

    @property
    def series(self) -> list[Series]:
        """The chosen ones."""
        return [
            each
            for each in self.reference.series
            if each.dataset in self.found.datasets and each.method in self.found.methods
        ]

    def problems(self) -> Iterator[Problem]:
        """Yield why the own methods cannot be compared with those of the base."""
        told: set[str] = set()
        first = {each.dataset: each for each in reversed(self.series)}
        for reference in self.loaded.experiment.datasets:
            if reference.display in first:
                yield from self._data(reference, first[reference.display])
        for series in self.series:
            for text in self._of_series(series):
                if text not in told:
                    told.add(text)
                    yield ("base",), text
        yield from self._metrics()

    def _data(self, reference: DatasetReference, series: Series) -> Iterator[Problem]:
        name, of = reference.display, _part(series, "dataset")
        here, there = self.facts[name], self.results.plan.datasets.get(name)
        if of.get("fingerprint") != here.fingerprint:
            sizes = f"{_size(here)} here" + (f"; {_size(there)} there" if there else "")
            yield (
                ("base",),
                f"{name}: your data are not those of the base (fingerprint "
                f"{here.fingerprint[:_SHOWN]} here, {str(of.get('fingerprint'))[:_SHOWN]} there): "
                f"{sizes}",
            )
        elif of.get("name") != reference.canonical:
            yield (
                ("base",),
                f"your file {reference.canonical!r} must be called {of.get('name')!r}: splits are "
                "drawn from the name",
            )
        splitter = splitter_of(self.loaded.experiment, reference, self.loaded.folder)
        for part, value in splitter.identity(0).items():
            stated = _part(series, part)
            if isinstance(value, dict):
                value = {key: each for key, each in value.items() if key != "index"}
            if canonical_json(stated) != canonical_json(value):
                paths = [path for path, _, _ in differences(stated, value, part)]
                yield (
                    ("base",),
                    f"{name}: the splits of its cells are not those that its experiment makes here "
                    f"(they differ in {', '.join(paths)}); restore the folder",
                )

    def _of_series(self, series: Series) -> Iterator[str]:
        """Yield what is of another revision, or not as the experiment of the base states it."""
        identity, settings = series.identity, self.experiment.settings_of(series.method)
        if (revision := identity.get("revision")) != PROTOCOL_REVISION:
            yield self._of_revision(f"protocol revision {revision}", f"{PROTOCOL_REVISION}")
            return
        stated = identity.get("threshold")
        of_f1 = isinstance(stated, dict) and "f1" in stated
        policy = stated["f1"] if isinstance(stated, dict) and of_f1 else stated
        name = policy["policy"] if isinstance(policy, dict) else policy
        if name == settings.policy and policy != threshold_identity(settings.policy):
            then = policy["revision"] if isinstance(policy, dict) else 1
            now = POLICIES[settings.policy].revision
            yield self._of_revision(f"revision {then} of the threshold {name}", f"revision {now}")
            return
        tuning = self.experiment.protocol.tuning
        folds = tuning.folds if settings.needs_folds else None
        stratify = tuning.stratify if settings.needs_folds else None
        threshold = threshold_identity(settings.policy)
        expected: dict[str, Any] = {
            "preprocess": list(settings.preprocess or ()),
            "threshold": {"f1": threshold} if of_f1 else threshold,
            "folds": folds,
            "stratify_folds": stratify,
            "threads": self.experiment.threads if self.experiment.threads > 1 else None,
            **revision_of(stratify),
        }
        if settings.tune:
            by, *others = settings.searched_by
            search = PlannedSearch(
                [], by, tuning.scope, tuple(others), tuning.patience, tuning.halving
            )
            expected["tuning"] = search.identity
        for part, value in expected.items():
            has, wanted = _comparable(identity.get(part)), _comparable(value)
            if canonical_json(has) != canonical_json(wanted):
                (path, then, now), *_ = differences(has, wanted, part)
                yield (
                    f"{series.dataset}/{series.method} ran with {path} {then!r}, and the "
                    f"experiment of the base states {now!r}; restore the folder"
                )

    def _of_revision(self, then: str, now: str) -> str:
        versions = {each["mlbench"] for each in self.reference.environments if "mlbench" in each}
        install = f", or install mlbench {listed(sorted(versions))}" if versions else ""
        return (
            f"computed under {then}, this mlbench has {now}: splits or metrics may differ; run "
            f"{self.found.path / 'experiment.yaml'} again{install}"
        )

    def _metrics(self) -> Iterator[Problem]:
        """Yield the metrics that cells of the base lack."""
        known = self.reference.metrics
        rows = [self.results.rows[each.key] for of in self.series for each in of.cells.values()]
        for i, name in enumerate(self.loaded.experiment.metrics):
            metric = get_metric(name).name
            lacking = [row for row in rows if row.is_ok and metric not in row.metrics]
            if lacking and metric in known:
                place = f"{lacking[0].dataset}/{lacking[0].method}/{lacking[0].split}"
                yield ("base",), f"scores.csv has no {metric} of {place}; restore the folder"
            elif lacking:
                yield ("metrics", i), f"{name}: the base has {', '.join(known)}"

    def notes(self, part: TakenOver) -> Iterator[str]:
        """Yield what readers of the numbers should know."""
        datasets = [*self.found.datasets]
        missing = [
            cell
            for cell in self.results.cells
            if cell.key not in self.results.rows
            if cell.dataset in datasets and cell.method in self.found.methods
        ]
        if missing:
            where = listed([*dict.fromkeys(f"{c.dataset}/{c.method}" for c in missing)], _SHOWN)
            number = len(missing)
            yield f"base: {counted(number, 'cell')} {were(number)} not run there: {where}"
        yield from _revision_notes(self.series)


def _revision_notes(series: Sequence[Series]) -> Iterator[str]:
    """Say which methods of a base have another revision here."""
    for method in dict.fromkeys(each.method for each in series):
        of = next(each for each in series if each.method == method)
        for name, then in sorted(_revisions(of.identity.get("method"))):
            target = METHODS.get(name) or BASE_LEARNERS.get(name, ("",))[0]
            if not target.startswith("mlbench"):
                continue
            try:
                now = getattr(load_class(target), "revision", 1)
            except MlbenchError:
                continue
            if now != then:
                inside = "" if name == _part(of, "method").get("name") else f" of {name}"
                yield (
                    f"° {method}: revision {then}{inside} in the base, {now} here: numbers may "
                    "have moved; run it under a name of yours to see"
                )


def _revisions(identity: object) -> set[tuple[str, int]]:
    """Return the names in the identity of a method that have a revision."""
    found: set[tuple[str, int]] = set()
    if isinstance(identity, dict):
        name, revision = identity.get("name"), identity.get("revision")
        if isinstance(name, str) and isinstance(revision, int):
            found.add((name, revision))
    inside = identity if isinstance(identity, list) else []
    for each in identity.values() if isinstance(identity, dict) else inside:
        found |= _revisions(each)
    return found


def _comparable(value: Any) -> Any:
    """Return a part of an identity without the candidates of a search."""
    if isinstance(value, dict) and "grid" in value:
        return {key: each for key, each in value.items() if key not in ("grid", "estimators")}
    return value


def _part(series: Series, name: str) -> Any:
    return series.identity.get(name) or {}


def _size(facts: DatasetFacts) -> str:
    n_columns = facts.n_tasks or facts.n_labels
    return f"{facts.n_samples} x {facts.n_features}, {n_columns}"


def _is_chosen(results: Results) -> bool:
    return any("chosen" in row.identity for row in results.rows.values())
