"""The rows behind the numbers: every split of every method, and all methods split by split."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from mlbench.report.folder import ResultsFolder
from mlbench.report.html.html_table import Entry, Line, Sheet
from mlbench.report.numbers import NOTHING, ScoreFormat, score_format
from mlbench.report.results import MISSING, OK, UNDEFINED
from mlbench.report.settings import ReportSettings
from mlbench.report.tables.table import Column, Source
from mlbench.store import Row, Step, Store
from mlbench.store.plain import Plain

STEPS: dict[Step, str] = {
    "tune": "Tuning",
    "fit": "Fit",
    "predict": "Prediction",
    "total": "Whole cell",
}
MORE_DIGITS = 2
LEAST_SHOWN = 0.001


@dataclass(frozen=True)
class Evidence:
    """The rows of a results folder, and where the page shows them.

    Attributes
    ----------
    folder : ResultsFolder
    settings : ReportSettings
        Names the metrics that are shown.
    home : Path
        The folder of the page, from which links to row files start.
    """

    folder: ResultsFolder
    settings: ReportSettings
    home: Path

    @cached_property
    def datasets(self) -> list[str]:
        """All data sets, in the order of the experiment."""
        return list(self.folder.plan.datasets)

    @cached_property
    def methods(self) -> list[str]:
        """All methods, in the order of the experiment."""
        return list(self.folder.plan.methods)

    @cached_property
    def _cells(self) -> dict[tuple[str, str], dict[int, str]]:
        """Keys by split, of every data set and method."""
        found: dict[tuple[str, str], dict[int, str]] = {}
        for dataset, method, split, key in self.folder.cells:
            found.setdefault((dataset, method), {})[split] = key
        return found

    def rows(self, dataset: str, method: str) -> list[Row]:
        """Return the rows of a method on a data set that have scores."""
        keys = self._cells.get((dataset, method), {}).values()
        rows = [self.folder.scan.rows[key] for key in keys if key in self.folder.scan.rows]
        return [row for row in rows if row.is_ok]

    def link(self, source: Source) -> str:
        """Return the link to the sheet with the scores behind a number."""
        return f"#{self._anchor(source)}"

    def sheets(self, dataset: str) -> list[Sheet]:
        """Return all that is known of a data set: its metrics by split, its methods by split."""
        metrics = range(len(self.settings.metrics))
        return [
            *(self._by_split(dataset, number) for number in metrics),
            *(self._of_method(dataset, method) for method in self.methods),
        ]

    def _anchor(self, source: Source) -> str:
        dataset = self.datasets.index(source.dataset)
        if source.method:
            return f"rows-{dataset}-{self.methods.index(source.method)}"
        names = [metric.name for metric in self.settings.metrics]
        return f"splits-{dataset}-{names.index(source.metric)}"

    def _formats(self) -> list[tuple[str, ScoreFormat]]:
        """Return how scores of one split are printed: a little longer than their mean."""
        percent, decimals = self.settings.percent, self.settings.decimals
        found = []
        for metric in self.settings.metrics:
            style = score_format(metric, percent, decimals)
            found.append((metric.name, replace(style, decimals=style.decimals + MORE_DIGITS)))
        return found

    def _by_split(self, dataset: str, number: int) -> Sheet:
        metric, (name, style) = self.settings.metrics[number], self._formats()[number]
        columns = [self._cells.get((dataset, method), {}) for method in self.methods]
        splits = sorted({split for column in columns for split in column})
        return Sheet(
            anchor=self._anchor(Source(dataset, name)),
            title=f"{metric.heading}, split by split",
            corner=("Split",),
            columns=tuple(map(Column, self.methods)),
            lines=tuple(
                Line(
                    (str(split),),
                    tuple(self._score(column.get(split), name, style) for column in columns),
                )
                for split in splits
            ),
        )

    def _score(self, key: str | None, metric: str, style: ScoreFormat) -> Entry:
        row = self.folder.scan.rows.get(key or "")
        if row is None or not row.is_ok:
            return Entry(MISSING if row is None else row.status, look="bad")
        value = row.metrics.get(metric)
        if value is None:
            return Entry(UNDEFINED, look="bad")
        return Entry(style.number(value), value=value)

    def _of_method(self, dataset: str, method: str) -> Sheet:
        formats = self._formats()
        return Sheet(
            anchor=self._anchor(Source(dataset, "", method)),
            title=method,
            corner=("Split",),
            columns=(
                Column("Status"),
                *(Column(metric.heading) for metric in self.settings.metrics),
                Column("Chosen"),
                *(Column(title, group="Seconds") for title in STEPS.values()),
                Column("Peak memory (MB)"),
                Column("Row file, by key"),
            ),
            lines=tuple(
                Line((str(split),), tuple(self._of_cell(key, formats)))
                for split, key in sorted(self._cells.get((dataset, method), {}).items())
            ),
        )

    def _of_cell(self, key: str, formats: Sequence[tuple[str, ScoreFormat]]) -> Iterable[Entry]:
        row = self.folder.scan.rows.get(key)
        status = MISSING if row is None else row.status
        yield Entry(status, look="words" if status == OK else "words bad")
        for name, style in formats:
            value = row.metrics.get(name) if row is not None and status == OK else None
            yield Entry(NOTHING) if value is None else Entry(style.number(value), value=value)
        yield Entry((chosen(row.params) if row is not None else "") or NOTHING, look="words long")
        for step in STEPS:
            yield amount(seconds_of(row, step) if row is not None else None)
        yield amount(row.peak_memory_mb if row is not None else None)
        path = Store(self.folder.path).row_path(key)
        there = os.path.relpath(path, self.home) if path.is_file() else ""  # it may be packed
        yield Entry(key, href=quote(there), look="key")


def seconds_of(row: Row, step: Step) -> float | None:
    """Return how long a step took; None where there was no such step."""
    if step == "tune" and row.tuning is None:
        return None
    return row.seconds.get(step)


def chosen(params: Mapping[str, Plain]) -> str:
    """Return what tuning chose, in a line."""
    return ", ".join(f"{name} = {plain(value)}" for name, value in params.items())


def plain(value: Plain) -> str:
    """Return a parameter's value, short where it is a number."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def amount(value: float | None, href: str = "") -> Entry:
    """Return a quantity with as many decimals as its size deserves."""
    if value is None:
        return Entry(NOTHING)
    decimals = next((n for n, least in enumerate((100, 10, 1)) if value >= least), 3)
    text = f"{value:.{decimals}f}" if value >= LEAST_SHOWN else f"< {LEAST_SHOWN}"
    return Entry(text, href=href, value=value)
