"""Marks of methods whose scores were taken over from an export, and notes on where they are from.

Names stay as they are in all that is computed; the mark is put behind them at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from mlbench.config.fields import ForF1
from mlbench.number_text import counted, listed, were
from mlbench.report.tables.table import Scalar, Table, TableRow
from mlbench.results.results import Results

MARK = "°"
_OF_METHODS = ("method", "against")
"""Headings of label columns that hold methods."""


@dataclass(frozen=True)
class Marks:
    """What tables tell of methods that were taken over."""

    origins: Mapping[str, str | None]
    """By method; see :attr:`mlbench.results.Results.origins`."""
    notes: tuple[str, ...] = ()
    """Below tables with such methods."""

    def name(self, method: str) -> str:
        """Return the name of a method with its mark, if it has one."""
        return f"{method}{MARK}" if self.origins.get(method) else method

    def of(self, table: Table, with_notes: bool = True) -> Table:
        """Return a table in which such methods are marked."""
        if not self.notes:
            return table
        places = [i for i, title in enumerate(table.corner) if title.lower() in _OF_METHODS]
        rows = tuple(self._row(row, places) for row in table.rows)
        columns = tuple(table.columns)
        if not places:
            columns = tuple(replace(each, title=self.name(each.title)) for each in columns)
        is_marked = (rows, columns) != (table.rows, table.columns)
        return replace(
            table,
            rows=rows,
            columns=columns,
            notes=(*table.notes, *self.notes) if is_marked and with_notes else table.notes,
            records=tuple(self._record(each) for each in table.records),
        )

    def _row(self, row: TableRow, places: Iterable[int]) -> TableRow:
        labels = [*row.labels]
        for place in places:
            labels[place] = self.name(labels[place])
        return replace(row, labels=tuple(labels))

    def _record(self, record: Mapping[str, Scalar]) -> Mapping[str, Scalar]:
        method = record.get("method")
        return {**record, "origin": self.origins.get(str(method))} if method else record


def marks_of(results: Results) -> Marks:
    """Return the marks of the methods of some results."""
    notes = [*_notes_on_origins(results), *notes_on_departures(results)]
    return Marks(results.origins, tuple(notes) if any(results.origins.values()) else ())


def with_origin(tables: Iterable[Table], results: Results) -> list[Table]:
    """Return tables in which the methods that were taken over are marked."""
    marks = marks_of(results)
    return [marks.of(table) for table in tables]


def _notes_on_origins(results: Results) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for method, label in results.origins.items():
        if label:
            found.setdefault(label, []).append(method)
    titles = {each.label: each.note for each in reversed(results.plan.taken_over) if each.is_base}
    parts = parts_of_bases(results)
    for label, methods in found.items():
        which = f" {listed(methods)}: taken" if len(found) > 1 else " Taken"
        yield f"{MARK}{which} over from {titles[label]}, not run here."
        if label in parts:
            yield parts[label]


def parts_of_bases(results: Results) -> dict[str, str]:
    """Say of how much of each base there are scores, by its name and day; not of whole ones."""
    return {
        each.label: f"Of {each.name}, {each.part} were taken over."
        for each in results.plan.taken_over
        if each.part
    }


def notes_on_cells(results: Results) -> list[str]:
    """Say how many cells of the experiment itself were taken over from exports of it."""
    return [
        f"{counted(each.n_cells, 'cell')} of these {were(each.n_cells)} taken over from "
        f"{each.note}, not run here."
        for each in results.plan.taken_over
        if not each.is_base
    ]


def notes_on_departures(results: Results) -> list[str]:
    """Say where own methods depart from the protocol of the methods that were taken over."""
    if not any(results.origins.values()):
        return []
    experiment = results.plan.experiment
    common = {
        "scoring": experiment.protocol.tuning.scoring,
        "threshold": experiment.protocol.threshold,
        "preprocess": experiment.protocol.preprocess,
        "input": "features",
        "draws": experiment.protocol.tuning.draws,
    }
    notes = []
    for name in results.methods:
        own = [] if results.origins[name] else [*common]
        settings = experiment.methods[name]
        told = [
            f"{key} {_words(stated)}, where the base has {_words(common[key])}"
            for key in own
            if (stated := getattr(settings, key)) is not None and stated != common[key]
        ]
        notes += [f"{name}: {'; '.join(told)}."] if told else []
    return notes


def _words(value: Any) -> str:
    if isinstance(value, ForF1):
        return f"{value.f1} for F1"
    if isinstance(value, tuple):
        return listed(value) if value else "none"
    return "none" if value is None else str(getattr(value, "number", value))
