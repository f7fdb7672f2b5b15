"""The rows behind the numbers: every split of every method, and all methods split by split."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.number_text import NOTHING, ScoreFormat
from mlbench.report.html.templates import PageCell
from mlbench.report.tables.origin import marks_of
from mlbench.report.tables.table import Column, Source, Table, TableCell, TableRow
from mlbench.report.tables.times import amount, seconds_of, step_titles
from mlbench.results.results import Results
from mlbench.results.scores import MISSING, NOT_RUN, NOT_SCORED, OK, UNDEFINED
from mlbench.store import Plain, Step, Store
from mlbench.store.plain_values import in_python

MORE_DIGITS = 2
"""A single split's score has so many more digits than a mean."""


@dataclass(frozen=True)
class SplitTables:
    """The rows of a results folder as tables, to which the numbers on the page link."""

    folder: Results
    settings: ReportSettings
    """Names the metrics that are shown."""
    home: Path
    """The folder of the page, where links to row files start."""

    @cached_property
    def _formats(self) -> dict[str, ScoreFormat]:
        return {
            name: replace(style, decimals=style.decimals + MORE_DIGITS)
            for name, style in self.settings.formats.items()
        }

    def anchor(self, source: Source) -> str:
        """Return the id of the table with the scores behind a number."""
        dataset = self.folder.datasets.index(source.dataset)
        if source.method:
            return f"rows-{dataset}-{self.folder.methods.index(source.method)}"
        return f"splits-{dataset}-{list(self._formats).index(source.metric)}"

    @cached_property
    def _steps(self) -> dict[Step, str]:
        return step_titles(self.folder)

    def link(self, cell: TableCell) -> str:
        """Return where a cell links to, or an empty text."""
        if cell.source:
            return f"#{self.anchor(cell.source)}"
        return cell.href if isinstance(cell, PageCell) else ""

    def _file_of(self, key: str) -> Path:
        """Return where the file of a row is, if it is not packed or exported."""
        return Store(self.folder.path).row_path(key)

    @property
    def has_files(self) -> bool:
        """Whether rows have files to link to."""
        return any(self._file_of(key).is_file() for key in self.folder.rows)

    def tables(self, dataset: str) -> list[Table]:
        """Return a table for each metric and one for each method on a data set."""
        marks = marks_of(self.folder)
        of_metrics = (self._of_metric(dataset, metric) for metric in self.settings.metrics)
        return [
            *(marks.of(table, with_notes=False) for table in of_metrics),
            *(
                self._of_method(dataset, method)
                for method in self.folder.methods
                if (dataset, method) in self.folder.keys_by_split
            ),
        ]

    def _of_metric(self, dataset: str, metric: MetricColumn) -> Table:
        keys = self.folder.keys_by_split
        columns = [keys.get((dataset, method), {}) for method in self.folder.methods]
        splits = sorted({split for column in columns for split in column})
        return Table(
            name=self.anchor(Source(dataset, metric.name)),
            title=f"{metric.heading}, split by split",
            corner=("Split",),
            columns=tuple(
                Column(method, group, metric.greater_is_better)
                for group, methods in (("", self.folder.methods), *self._compared.items())
                for method in methods
            ),
            rows=tuple(
                TableRow(
                    (str(split),),
                    tuple(self._scores(metric.name, [column.get(split) for column in columns])),
                )
                for split in splits
            ),
        )

    @cached_property
    def _compared(self) -> dict[str, list[str]]:
        """The methods that each tested method is compared with, by a heading for both."""
        return {f"{each.method} minus": [*each.others] for each in self.settings.comparisons}

    def _scores(self, metric: str, keys: Sequence[str | None]) -> Iterable[TableCell]:
        """Yield the score of every method on a split, then the differences that are tested."""
        cells = {
            method: self._score(key, metric)
            for method, key in zip(self.folder.methods, keys, strict=True)
        }
        yield from cells.values()
        for heading, others in self._compared.items():
            tested = cells[heading.removesuffix(" minus")].value
            for other in others:
                compared = cells[other].value
                if tested is None or compared is None:
                    yield TableCell(NOTHING)
                else:
                    difference = tested - compared
                    yield TableCell(self._formats[metric].signed(difference), value=difference)

    def _score(self, key: str | None, metric: str) -> TableCell:
        if key is None:
            return TableCell(NOT_RUN)
        row = self.folder.rows.get(key)
        if row is None or not row.is_ok:
            return TableCell(MISSING if row is None else row.status, tone="bad")
        value = row.metrics.get(metric)
        if value is None:
            return TableCell(UNDEFINED if metric in row.metrics else NOT_SCORED, tone="bad")
        return TableCell(self._formats[metric].number(value), value=value)

    def _of_method(self, dataset: str, method: str) -> Table:
        keys = self.folder.keys_by_split.get((dataset, method), {})
        return Table(
            name=self.anchor(Source(dataset, "", method)),
            title=marks_of(self.folder).name(method),
            corner=("Split",),
            columns=(
                Column("Status"),
                *(
                    Column(metric.heading, greater_is_better=metric.greater_is_better)
                    for metric in self.settings.metrics
                ),
                Column("Chosen"),
                *(Column(title, group="Seconds") for title in self._steps.values()),
                Column("Peak memory (MB)"),
                Column("Row file, by key"),
            ),
            rows=tuple(
                TableRow((str(split),), tuple(self._of_cell(key)))
                for split, key in sorted(keys.items())
            ),
        )

    def _of_cell(self, key: str) -> Iterable[TableCell]:
        row = self.folder.rows.get(key)
        status = MISSING if row is None else row.status
        yield TableCell(status, is_text=True, tone="" if status == OK else "bad")
        for name, style in self._formats.items():
            value = row.metrics.get(name) if row is not None and status == OK else None
            yield TableCell(NOTHING if value is None else style.number(value), value=value)
        params = chosen(row.params) if row is not None else ""
        yield PageCell(params or NOTHING, is_text=True, css_class="long")
        for step in self._steps:
            yield amount(seconds_of(row, step) if row is not None else None)
        yield amount(row.peak_memory_mb if row is not None else None)
        path = self._file_of(key)
        target = os.path.relpath(path, self.home) if path.is_file() else ""
        yield PageCell(key, href=quote(target), css_class="key")


def chosen(params: Mapping[str, Plain]) -> str:
    """Return the parameters that tuning chose, on one line."""
    return ", ".join(f"{name} = {parameter_text(value)}" for name, value in params.items())


def parameter_text(value: Plain) -> str:
    """Return a parameter's value; numbers are shortened."""
    return f"{value:.6g}" if isinstance(value, float) else str(in_python(value))
