"""Experiments in memory from what a check looks at: scores, and how methods were tuned and cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mlbench.audit import Facts, Severity, Threat, Threats, find_threats
from mlbench.hashing import digest
from mlbench.results.origin import Origin
from mlbench.results.results import Results
from mlbench.store import Row, Store
from mlbench.store.row import key_of
from tests.plans import facts_of, make_plan
from tests.rows import make_row

WAVES = ([0.004, -0.003, 0.002, -0.001, -0.002], [-0.002, 0.001, 0.003, -0.004, 0.002])
"""What scores of the first and of the other methods add to their means, split by split."""

N_SPLITS = 5


@dataclass(frozen=True, kw_only=True)
class Search:
    """A search over values of C."""

    values: Sequence[float] = (0.1, 1.0, 10.0)
    best: int = 1
    """The place of the chosen value."""
    scoring: str = "macro_f1"
    scope: str = "every-split"
    folds: Sequence[Sequence[float | None]] = ()
    """Of each value; by default the chosen one is ahead in two folds."""
    also: Mapping[str, int] = field(default_factory=dict)
    """More metrics that decide, and the place of the value that each has chosen."""
    record: Mapping[str, Any] = field(default_factory=dict)
    """More keys of the row's ``tuning``."""

    @property
    def grid(self) -> list[dict[str, float]]:
        return [{"C": value} for value in self.values]

    @property
    def row(self) -> dict[str, Any]:
        several = {"best_by": {self.scoring: self.best, **self.also}} if self.also else {}
        return {
            "metric": self.scoring,
            "grid": self.grid,
            "best": self.best,
            "scores": self.folds or self._folds(self.best),
            "also": {metric: self._folds(place) for metric, place in self.also.items()},
            **several,
            **self.record,
        }

    @property
    def params(self) -> dict[str, float]:
        others = {f"C@{metric}": self.values[place] for metric, place in self.also.items()}
        return {"C": self.values[self.best], **others}

    @property
    def identity(self) -> dict[str, Any]:
        scoring = [self.scoring, *self.also] if self.also else self.scoring
        return {"grid": self.grid, "scope": self.scope, "scoring": scoring}

    def _folds(self, best: int) -> list[list[float]]:
        return [[0.5 + 0.1 * (place == best)] * 2 for place in range(len(self.values))]


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method, and what its rows say."""

    scores: Mapping[str, Any]
    """By metric one mean, or a list with one for each split: a text in it says how the cell
    failed, and ``...`` that it has not run.
    """
    use: str = "br"
    settings: Mapping[str, Any] = field(default_factory=dict)
    threshold: Any = "default"
    search: Search | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    fit: Mapping[str, Any] | None = None
    warnings: Sequence[str] = ()

    @property
    def origin(self) -> dict[str, Any]:
        """What vouches for its code."""
        return {"code": digest(self.use)} if ".py:" in self.use else {"revision": 1}

    def identity(self, dataset: str, split: int) -> dict[str, Any]:
        return {
            "dataset": {"name": dataset, "fingerprint": digest(dataset)},
            "split": {"kind": "random", "index": split},
            "method": {"name": self.use, "params": self.settings, **self.origin},
            "threshold": self.threshold,
            "tuning": self.search and self.search.identity,
        }

    def row(self, dataset: str, name: str, split: int, wave: Sequence[float]) -> Row | None:
        values = {
            metric: given[split] if isinstance(given, list) else given + wave[split]
            for metric, given in self.scores.items()
        }
        if ... in values.values():
            return None
        failed = [value for value in values.values() if isinstance(value, str)]
        return make_row(
            key=self.key(dataset, name, split),
            dataset=dataset,
            method=name,
            split=split,
            status=failed[0] if failed else "ok",
            metrics={} if failed else values,
            seconds={},
            identity=self.identity(dataset, split),
            tuning=self.search and self.search.row,
            params=self.search.params if self.search else {},
            counts=self.counts,
            fit=self.fit,
            warnings=[*self.warnings],
        )

    def key(self, dataset: str, name: str, split: int) -> str:
        return digest([name, self.identity(dataset, split)])


def cut(f1: Any, at_share: Any, use: str, threshold: str = "default", ratio: float = 1.0) -> Method:
    """Return a method with its macro F1 at its own threshold and at the common cut."""
    n_splits = len(f1) if isinstance(f1, list) else N_SPLITS
    scores = {"macro_f1": f1, "macro_f1@share": at_share, "cut_ratio": [ratio] * n_splits}
    return Method(use=use, scores=scores, threshold=threshold)


def made(
    methods: Mapping[str, Method],
    datasets: Iterable[str] = ("toy",),
    path: Path = Path("runs/trial"),
    n_splits: int = N_SPLITS,
    entries: Mapping[str, Any] | None = None,
    **experiment: Any,
) -> Results:
    """Return the results of an experiment, whose metrics are those without a convention.

    Its file has `entries` for methods, by name; by default the shortest that there are.
    """
    metrics = dict.fromkeys(name for each in methods.values() for name in each.scores)
    shown = [name for name in metrics if "@" not in name and name not in CONTROLS]
    cells = [
        [dataset, name, split, each.key(dataset, name, split)]
        for dataset in datasets
        for name, each in methods.items()
        for split in range(n_splits)
    ]
    rows = [
        each.row(dataset, name, split, WAVES[place > 0])
        for dataset in datasets
        for place, (name, each) in enumerate(methods.items())
        for split in range(n_splits)
    ]
    stated = {name: {"use": "br"} for name in methods} | {**(entries or {})}
    facts = {name: facts_of(name) for name in datasets}
    plan = make_plan(
        [*datasets], stated, n_splits, cells, facts, **{"metrics": shown, **experiment}
    )
    return Results(path, plan, {row.key: row for row in rows if row is not None})


CONTROLS = ("auc_tie_share", "cut_ratio")


def threats(check: str, methods: Mapping[str, Method], *args: Any, **more: Any) -> Threats:
    """Return what a check says of an experiment; the parameters are those of `made`."""
    return find_threats(Facts.of_results(made(methods, *args, **more)), [check])


def with_true_keys(results: Results) -> Results:
    """Return results whose keys are the hashes of identities, as readers of exports ask for."""
    keys = {key: key_of(row.identity) for key, row in results.rows.items()}
    cells = tuple(cell._replace(key=keys[cell.key]) for cell in results.cells)
    rows = {keys[key]: replace(row, key=keys[key]) for key, row in results.rows.items()}
    return Results(results.path, results.plan.model_copy(update={"cells": cells}), rows)


def write(results: Results) -> Path:
    """Write an experiment as the folder of a run."""
    store = Store(results.path)
    store.write_plan(results.plan.as_plain(), "")
    for row in results.rows.values():
        assert isinstance(row, Row)
        store.write_row(row)
    return results.path


def swapped(methods: Mapping[str, Method], *metrics: str) -> dict[str, Method]:
    """Return two methods, each with the other's scores in some metrics."""
    (first, a), (second, b) = methods.items()
    return {
        first: replace(a, scores={**a.scores, **{name: b.scores[name] for name in metrics}}),
        second: replace(b, scores={**b.scores, **{name: a.scores[name] for name in metrics}}),
    }


def changed(methods: Mapping[str, Method], name: str, **parts: Any) -> dict[str, Method]:
    """Return methods of which one differs in some parts."""
    return {**methods, name: replace(methods[name], **parts)}


def essence(threat: Threat) -> tuple[Severity, tuple[str, ...], tuple[str, ...], int]:
    """Return the severity, who is ahead and behind, and the number of comparisons."""
    return threat.severity, threat.ahead, threat.behind, threat.n_comparisons


def with_base(results: Results, *methods: str) -> Results:
    """Return results whose methods of some names were taken over from a base."""
    origin = Origin(
        name="arena",
        written="2026-11-25T10:00:00+00:00",
        sha256="a" * 64,
        is_base=True,
        methods=methods,
        counts={"ok": 5},
        versions={},
    )
    return replace(results, plan=results.plan.model_copy(update={"taken_over": (origin,)}))
