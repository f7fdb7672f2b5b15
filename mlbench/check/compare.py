"""Which numbers of a results folder differ from a reference, and what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mlbench.check.rules import (
    TOLERANCE,
    ChangedValue,
    CheckedNumber,
    CheckVerdict,
    Repeated,
    judged,
    measured,
    redefined,
)
from mlbench.environment import behind_scores
from mlbench.errors import StoreError
from mlbench.number_text import splits_in_words
from mlbench.plan.identity import differing_parts
from mlbench.results.reference import (
    OF_DATA,
    Change,
    Reference,
    Series,
    reference_metrics,
    reference_of,
)
from mlbench.results.results import Results
from mlbench.spelling import chosen
from mlbench.store.plain_values import differing_values


@dataclass(frozen=True)
class NamedCells:
    """Cells of one series, and what is to be said of them."""

    dataset: str
    method: str
    splits: tuple[int, ...]
    why: str
    planned: bool = True
    """Whether the experiment has them."""
    has_run: bool = True
    failure: str = ""
    """What the first of them that failed said."""

    @property
    def series(self) -> tuple[str, str]:
        """The data set and the method."""
        return self.dataset, self.method

    def __str__(self) -> str:
        said = f": {self.failure.rstrip('.')}" if self.failure else ""
        return f"{self.dataset}/{self.method}, {splits_in_words(self.splits)}: {self.why}{said}"


@dataclass(frozen=True)
class SeriesChange:
    """What changed in the identity, the environment and the code of one series."""

    dataset: str
    method: str
    identity: tuple[ChangedValue, ...]
    environment: tuple[ChangedValue, ...]
    code: tuple[ChangedValue, ...]


@dataclass(frozen=True)
class ReferenceCheck:
    """The result of a comparison, in the order of the reference."""

    experiment: str
    written: str
    tolerance: float
    is_strict: bool
    """Whether any change of what a number depends on moves it, and new numbers fail."""
    is_strict_on_data: bool
    """Whether any change of its data or splits moves it."""
    numbers: tuple[CheckedNumber, ...]
    lost: tuple[NamedCells, ...]
    """Those with a result in the reference but not in the folder, and those that did not run."""
    added: tuple[NamedCells, ...]
    """Those that the reference does not have, or only as failed, and new ones without a result."""
    failed: tuple[NamedCells, ...]
    """Those that failed in the reference and have failed again, so that nothing is compared."""
    renamed: tuple[tuple[str, str], ...]
    """Series whose cells stand in the folder under another name, and this name."""
    unchecked: tuple[str, ...]
    """Metrics of the tables that the reference does not have."""
    changes: tuple[SeriesChange, ...]
    taken_over: int = 0
    """Numbers that others computed, which are not checked."""
    warnings: tuple[str, ...] = ()
    """Why numbers in the folder may be out of date."""
    stale: tuple[str, ...] = ()
    """Methods with rows of other code than their files have now."""
    history: tuple[Change, ...] = ()
    """The updates of the reference."""

    def of(self, verdict: CheckVerdict) -> list[CheckedNumber]:
        """Return the numbers with a verdict."""
        return [number for number in self.numbers if number.verdict == verdict]

    @property
    def exit_code(self) -> int:
        """3 if numbers moved, or are new and it is strict; else 1 if cells were lost; else 0.

        To a strict check, rows of other code than their files have now are lost, too.
        """
        has_moved = self.of("moved") or (self.is_strict and self.of("new"))
        return 3 if has_moved else 1 if self.lost or (self.is_strict and self.stale) else 0

    @property
    def is_all_the_same(self) -> bool:
        """Whether no number differs, nothing behind the numbers has changed, and none is new."""
        unlike = (*self.lost, *self.added, *self.changes)
        return not unlike and len([*self.of("same"), *self.of("failed")]) == len(self.numbers)

    def lost_of(self, dataset: str, method: str) -> list[NamedCells]:
        """Return the lost cells of a series."""
        return [each for each in self.lost if (each.dataset, each.method) == (dataset, method)]

    def change_of(self, dataset: str, method: str) -> SeriesChange:
        """Return what changed behind a series."""
        for change in self.changes:
            if (change.dataset, change.method) == (dataset, method):
                return change
        return SeriesChange(dataset, method, (), (), ())


def compare_with_reference(
    reference: Reference,
    folder: Results,
    tolerance: float = TOLERANCE,
    is_strict: bool = False,
    is_strict_on_data: bool = False,
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
) -> ReferenceCheck:
    """Compare a results folder with a reference.

    Parameters
    ----------
    reference : Reference
    folder : Results
    tolerance : float
        A mean that differs by more has moved, even if not significantly.
    is_strict : bool
        Whether a number has moved if anything that it depends on has changed, however it differs,
        and new numbers fail, too.
    is_strict_on_data : bool
        Whether it has moved if its data or splits have changed.
    datasets, methods : sequence of str
        Those that are compared, by their names in tables; none stand for all.

    Raises
    ------
    StoreError
        If the two are of different experiments.
    MlbenchError
        If a name is in neither of the two.
    """
    if folder.plan.experiment.name != reference.experiment:
        raise StoreError(
            f"{folder.path}: contains the experiment {folder.plan.experiment.name!r}, but the "
            f"reference is of {reference.experiment!r}"
        )
    now = reference_of(folder, reference.metrics)
    every = [*reference.series, *now.series]
    places = [(each.dataset, each.method) for each in every]
    places += [(cell.dataset, cell.method) for cell in folder.cells]
    wanted = _wanted(places, datasets, methods)
    elsewhere = {(series.dataset, series.method) for series in every if series.origin is not None}
    renamed = [
        (was, new)
        for was, new in _renamed(reference, now)
        if {(was.dataset, was.method), (new.dataset, new.method)} & (wanted - elsewhere)
    ]
    reference, now = (_only(each, wanted - elsewhere) for each in (reference, now))
    found = {(series.dataset, series.method): series for series in now.series}
    known_cells = {(each.dataset, each.method): each.cells for each in reference.series}
    planned = {(dataset, method, split) for dataset, method, split, _ in folder.cells}
    added = [
        each for each in _added(reference, folder, renamed) if each.series in wanted - elsewhere
    ]
    n_added = Counter(
        each.series
        for each in added
        for split in each.splits
        if not known_cells.get(each.series, {}).get(str(split))
    )
    numbers: list[CheckedNumber] = []
    redefining: list[list[ChangedValue]] = []
    """For each number, what moves it by the rules of a strict check."""
    lost: list[NamedCells] = []
    failed: list[NamedCells] = []
    changes: list[SeriesChange] = []
    for then in reference.series:
        empty = then.model_copy(update={"cells": {}})
        series = found.get((then.dataset, then.method), empty)
        lost += _lost(then, series, planned, reference.metrics, folder)
        failed += _failed(then, series)
        change = change_of_series(then, series, reference, now)
        changes.append(change)
        repeated = _repeated(then, series, reference, now)
        causes: list[ChangedValue] = []
        if is_strict:
            causes = _redefining(change, then, n_added)
        elif is_strict_on_data:
            causes = [each for each in change.identity if each[0].split(".")[0] in OF_DATA]
        for name in reference.metrics:
            numbers.append(measured(then, series, name, repeated))
            redefining.append(causes)
    strictly = ", and the check is strict" if is_strict else ""
    new = [
        CheckedNumber(
            series.dataset,
            series.method,
            name,
            "new",
            now=series.summary[name],
            why=f"not in the reference{strictly}",
        )
        for series in now.series
        if (series.dataset, series.method) not in known_cells
        for name in reference.metrics
    ]
    return ReferenceCheck(
        experiment=reference.experiment,
        written=reference.written,
        tolerance=tolerance,
        is_strict=is_strict,
        is_strict_on_data=is_strict_on_data,
        numbers=(*map(redefined, judged(numbers, tolerance), redefining), *new),
        lost=tuple(lost),
        added=tuple(added),
        failed=tuple(failed),
        renamed=tuple(
            (f"{was.dataset}/{was.method}", f"{new.dataset}/{new.method}") for was, new in renamed
        ),
        unchecked=tuple(
            name for name in reference_metrics(folder) if name not in reference.metrics
        ),
        changes=tuple(each for each in changes if each.identity or each.environment or each.code),
        taken_over=len(wanted & elsewhere) * len(reference.metrics),
        history=tuple(reference.history),
    )


def _wanted(
    places: Sequence[tuple[str, str]], datasets: Sequence[str], methods: Sequence[str]
) -> set[tuple[str, str]]:
    """Return the data set and the method of the series that are compared."""
    datasets = chosen("data set", datasets, [*dict.fromkeys(place[0] for place in places)])
    methods = chosen("method", methods, [*dict.fromkeys(place[1] for place in places)])
    return {place for place in places if place[0] in datasets and place[1] in methods}


def _only(reference: Reference, wanted: Container[tuple[str, str]]) -> Reference:
    series = [each for each in reference.series if (each.dataset, each.method) in wanted]
    return reference.model_copy(update={"series": series})


def _repeated(old: Series, new: Series, then: Reference, now: Reference) -> Repeated:
    """Return the splits with the same key and environment, by whether their code is the same."""
    repeated = Repeated([], [])
    for split, before in old.cells.items():
        after = new.cells.get(split)
        if after is None or before.key != after.key:
            continue
        there, here = then.environment_of(before), now.environment_of(after)
        if behind_scores(there) != behind_scores(here):
            continue
        codes = then.code_of(before), now.code_of(after)
        if codes[0] == codes[1]:
            repeated.same_code.append(int(split))
        elif all(codes):
            repeated.other_code.append(int(split))
    return repeated


def change_of_series(old: Series, new: Series, then: Reference, now: Reference) -> SeriesChange:
    """Return what changed behind the cells that two references have of a series."""
    pairs = [(cell, new.cells[split]) for split, cell in old.cells.items() if split in new.cells]
    identity = [*differing_parts(old.identity, new.identity)] if new.cells else []
    if identity and old.samples and new.samples and old.samples != new.samples:
        of_data = sum(what.startswith("dataset.") for what, *_ in identity)  # they come first
        identity.insert(of_data, ("dataset.samples", old.samples, new.samples))
    of_one_revision = all(what != "method.revision" for what, _, _ in identity)
    has_own_code = any(what.endswith(".code") for what, _, _ in identity)
    codes = [(then.code_of(a), now.code_of(b)) for a, b in pairs if of_one_revision]
    return SeriesChange(
        old.dataset,
        old.method,
        tuple(identity),
        _changes(
            (behind_scores(then.environment_of(a)), behind_scores(now.environment_of(b)))
            for a, b in pairs
        ),
        tuple(
            each
            for each in _changes(_of_both(before, after) for before, after in codes)
            if not (has_own_code and ".py:" in each[0])  # told as what the key has
        ),
    )


def _of_both(a: dict[str, str], b: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what both have a value of."""
    names = a.keys() & b.keys()
    return {name: a[name] for name in names}, {name: b[name] for name in names}


def _changes(pairs: Iterable[tuple[dict[str, str], dict[str, str]]]) -> tuple[ChangedValue, ...]:
    found: dict[tuple[str, str], ChangedValue] = {}
    for pair in pairs:
        for name, before, after in differing_values(*pair):
            found[name, f"{before} {after}"] = (name, before, after)
    return tuple(found.values())


def _lost(
    old: Series,
    new: Series,
    planned: Container[tuple[str, str, int]],
    metrics: Sequence[str],
    folder: Results,
) -> Iterable[NamedCells]:
    reasons: dict[tuple[str, bool], list[int]] = {}
    for split, cell in old.cells.items():
        here = (old.dataset, old.method, int(split)) in planned
        after = new.cells.get(split)
        if after is not None and (cell.status != "ok" or {*metrics} <= {*after.scores}):
            continue
        if cell.status != "ok":
            if not here:
                continue
            why = f"missing, and failed in the reference ({cell.status})"
        elif after is None:
            why = "missing" if here else "no longer part of the experiment"
        elif after.status == "ok":
            why = f"its row has no {min({*metrics} - {*after.scores})}"
        else:
            why = f"failed ({after.status})"
        reasons.setdefault((why, here), []).append(int(split))
    for (why, here), splits in reasons.items():
        has_run = all(str(split) in new.cells for split in splits)
        last = folder.rows[new.cells[str(splits[0])].key].failure if has_run else None
        said = last.message if last is not None else ""
        yield NamedCells(old.dataset, old.method, tuple(splits), why, here, has_run, said)


def _failed(old: Series, new: Series) -> Iterable[NamedCells]:
    """Yield the cells that failed in the reference and have failed again."""
    splits = [
        int(split)
        for split, cell in old.cells.items()
        if cell.status != "ok" and split in new.cells and new.cells[split].status != "ok"
    ]
    if splits:
        yield NamedCells(
            old.dataset, old.method, tuple(splits), "failed in the reference, and again"
        )


def _redefining(
    change: SeriesChange, then: Series, n_added: Mapping[tuple[str, str], int]
) -> list[ChangedValue]:
    """Return what a number of a series depends on and has changed, its splits among it."""
    before = len(then.cells)
    more = n_added.get((then.dataset, then.method), 0)
    return [*change.identity, *([("splits", before, before + more)] if more else [])]


def _added(
    reference: Reference, folder: Results, renamed: Iterable[tuple[Series, Series]]
) -> Iterable[NamedCells]:
    """Yield the cells that are new: all of known series, of new ones those without a result.

    A cell that failed in the reference and has a result now is one of them.
    """
    known = {(each.dataset, each.method): each.cells for each in reference.series}
    known |= {(now.dataset, now.method): then.cells for then, now in renamed}
    states: dict[tuple[str, str, str | None], list[int]] = {}
    mended: dict[tuple[str, str, str], list[int]] = {}
    for dataset, method, split, key in folder.cells:
        row = folder.rows.get(key)
        status = None if row is None else row.status
        there = known.get((dataset, method))
        before = (there or {}).get(str(split))
        if before is not None and before.status != "ok" and status == "ok":
            mended.setdefault((dataset, method, before.status), []).append(split)
        elif before is None and (there is not None or status != "ok"):
            states.setdefault((dataset, method, status), []).append(split)
    for (dataset, method, state), splits in states.items():
        end = "" if state == "ok" else f", and failed ({state})" if state else ", and not run"
        why = f"not in the reference{end}"
        yield NamedCells(dataset, method, tuple(splits), why, has_run=state is not None)
    for (dataset, method, failure), splits in mended.items():
        why = f"failed in the reference ({failure}), and ok now"
        yield NamedCells(dataset, method, tuple(splits), why)


def _renamed(old: Reference, new: Reference) -> Iterable[tuple[Series, Series]]:
    """Yield series whose keys have left their name, each with one that has come to have them."""
    before, after = (
        {(each.dataset, each.method): _keys(each) for each in every.series} for every in (old, new)
    )
    stayed = {name for name in before.keys() & after.keys() if before[name] & after[name]}
    by_key = {
        key: each
        for each in new.series
        if (each.dataset, each.method) not in stayed
        for key in _keys(each)
    }
    for each in old.series:
        shared = [cell.key for cell in each.cells.values() if cell.key in by_key]
        if shared and (each.dataset, each.method) not in stayed:
            yield each, by_key[shared[0]]


def _keys(series: Series) -> set[str]:
    return {cell.key for cell in series.cells.values()}
