"""What of published results must be the same here before an experiment stands on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlbench.config.datasets import DatasetReference
from mlbench.config.find_base import FoundBase
from mlbench.config.load import LoadedExperiment
from mlbench.config.schema import ExperimentConfig, Method
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import MlbenchError
from mlbench.hashing import canonical_json
from mlbench.methods.catalogue import BASE_LEARNERS, METHODS
from mlbench.metrics import get_metric
from mlbench.number_text import counted, listed, were
from mlbench.plan.cells import PlannedSearch, threshold_identity
from mlbench.plan.identity import PROTOCOL_REVISION, method_identity
from mlbench.plan.make_splitter import splitter_of
from mlbench.protocol.splitters.stratification import revision_of
from mlbench.protocol.thresholds import POLICIES
from mlbench.registry import make_method
from mlbench.registry.loading import load_class
from mlbench.results.reference import Reference, Series
from mlbench.results.results import Results
from mlbench.results.taken_over import TakenOver
from mlbench.results.verify import Verified
from mlbench.store.plain_values import differing_values, part_text
from mlbench.yaml_loader import Problem

_SHOWN = 6
"""Digits of fingerprints in messages."""


@dataclass(frozen=True)
class CheckedBase:
    """A base, and what is here."""

    loaded: LoadedExperiment
    found: FoundBase
    verified: Verified
    facts: Mapping[str, DatasetFacts]

    @property
    def reference(self) -> Reference:
        """The reference of the base."""
        return self.verified.reference

    @property
    def results(self) -> Results:
        """The results of the base."""
        return self.verified.results

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
            if there and _size(here) == _size(there):
                sizes = f"{_size(here)} in both, so values or labels are others"
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
                paths = [path for path, _, _ in differing_values(stated, value, part)]
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
            "chosen": None,
            "threshold": {"f1": threshold} if of_f1 else threshold,
            "folds": folds,
            "stratify_folds": stratify,
            "threads": self.experiment.threads if self.experiment.threads > 1 else None,
            **revision_of(stratify),
        }
        if settings.tune:
            by, *others = settings.searched_by
            search = PlannedSearch(
                settings.candidates,
                by,
                tuning.scope,
                tuple(others),
                tuning.patience,
                tuning.halving,
            )
            expected["tuning"] = search.identity
        for part, value in expected.items():
            has, wanted = identity.get(part), value
            if part == "tuning":
                left_out = ("estimators",) if _is_plain(settings) else ("estimators", "grid")
                has, wanted = (_without(each, left_out) for each in (has, wanted))
            if canonical_json(has) != canonical_json(wanted):
                (path, then, now), *_ = differing_values(has, wanted, part)
                yield (
                    f"{series.dataset}/{series.method} ran with {path} {then!r}, and the "
                    f"experiment of the base states {now!r}; restore the folder"
                )
        yield from _other_method(series, settings)

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
            if any(row.is_ok and metric not in row.metrics for row in rows):
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


def _other_method(series: Series, settings: Method) -> Iterator[str]:
    """Yield in what a series is of another method that comes with mlbench than is stated."""
    known = _built_in(METHODS.get(settings.use, ""))
    if known is None:
        return
    identity = _part(series, "method")
    ran = f"{series.dataset}/{series.method} ran with"
    stated = "the experiment of the base states"
    if (name := identity.get("name")) != settings.use:
        yield f"{ran} the method {name!r}, and {stated} {settings.use!r}; restore the folder"
        return
    if (expected := _expected(settings)) is None:
        return
    keys = {"name", *_stated_keys(settings.parameters)}
    for path, then, now in differing_values(identity, expected, "method"):
        if path.rpartition(".")[2] in keys:
            what = path.removeprefix("method.").replace("params.", "")
            yield (
                f"{ran} {what} {part_text(path, then)}, and {stated} {part_text(path, now)}; "
                "restore the folder"
            )
            return


def _expected(settings: Method) -> dict[str, Any] | None:
    """Return the identity of a method as stated; None if parts of it do not come with mlbench."""
    base = settings.parameters.get("base")
    used = {*_used(settings.parameters), *([base] if isinstance(base, str) else [])}
    if not used <= BASE_LEARNERS.keys():  # nothing is imported to read what others have published
        return None
    try:
        return method_identity(make_method(settings.use, **settings.parameters))
    except MlbenchError:
        return None


def _used(value: object) -> Iterator[str]:
    """Yield what stands under ``use``, however deep."""
    inside: Iterable[object] = value if isinstance(value, list | tuple) else ()
    if isinstance(value, Mapping):
        yield from [str(value["use"])] if "use" in value else []
        inside = value.values()
    for each in inside:
        yield from _used(each)


def _stated_keys(parameters: Mapping[str, Any]) -> Iterator[str]:
    for key, value in parameters.items():
        yield key
        if isinstance(value, Mapping):
            yield from _stated_keys(value)


def _revision_notes(series: Sequence[Series]) -> Iterator[str]:
    """Say which methods of a base have another revision here."""
    for method in dict.fromkeys(each.method for each in series):
        of = next(each for each in series if each.method == method)
        for name, then in sorted(_revisions(of.identity.get("method"))):
            known = _built_in(METHODS.get(name) or BASE_LEARNERS.get(name, ("",))[0])
            if known is not None and (now := getattr(known, "revision", 1)) != then:
                inside = "" if name == _part(of, "method").get("name") else f" of {name}"
                yield (
                    f"° {method}: revision {then}{inside} in the base, {now} here: numbers may "
                    "have moved; run it under a name of yours to see"
                )


def _built_in(target: str) -> type | None:
    """Return a class that comes with mlbench; None if it is another's or lacks a package."""
    try:
        return load_class(target) if target.startswith("mlbench") else None
    except MlbenchError:
        return None


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


def _is_plain(settings: Method) -> bool:
    """Return whether the candidates of a search are numbers, texts and truth values alone."""
    return all(
        isinstance(value, bool | int | float | str)
        for point in settings.candidates
        for value in point.values()
    )


def _without(value: Any, keys: Sequence[str]) -> Any:
    """Return a part of an identity without some of its keys."""
    if not isinstance(value, dict):
        return value
    return {key: each for key, each in value.items() if key not in keys}


def _part(series: Series, name: str) -> Any:
    return series.identity.get(name) or {}


def _size(facts: DatasetFacts) -> str:
    n_columns = facts.n_tasks or facts.n_labels
    return f"{facts.n_samples} x {facts.n_features}, {n_columns}"
