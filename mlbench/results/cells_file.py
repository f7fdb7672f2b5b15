"""What became of each cell, as a CSV file with a line for each: cells.csv."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from mlbench.errors import StoreError
from mlbench.results.long_csv import SPLIT, parse_fields
from mlbench.results.results import Results
from mlbench.results.scores import MISSING, OK
from mlbench.results.searches import SearchOutcome
from mlbench.store import EarlyStop, Summary, Unconverged, UndefinedScores
from mlbench.store.row import TuningSummary
from mlbench.store.strict_json import parse_json

_PLACE = ("dataset", "method", "split")
_OUTCOME = ("status", "message", "warnings", "finished")
_SEARCH: dict[str, tuple[str, Any]] = {
    "unconverged": ("not_converged", Unconverged),
    "stopped": ("stopped", EarlyStop),
}
"""Columns of how searches ended, where that is known: fields of the summary, and their types."""

_UNKNOWN = "null"
"""Stands in the first of these columns where it is not known, as in cells of older versions."""

_UNDEFINED = {"undefined_tuning": ("undefined", UndefinedScores)}
"""A column that is there where a search had undefined scores."""
_OF_SEARCH = tuple(field.name for field in fields(SearchOutcome))
"""Columns of :class:`SearchOutcome`, where there is something to tell."""

_SEARCH_OUTCOME = TypeAdapter(SearchOutcome)

CellPlace = tuple[str, str, int]
"""Data set, method and split."""


@dataclass(frozen=True)
class CellOutcome:
    """What a line tells of a cell."""

    columns: Mapping[str, str]
    """But for its place and the counts; older versions write fewer."""
    counts: dict[str, int]

    @property
    def status(self) -> str:
        """`MISSING` if the cell has not run."""
        return self.columns["status"]

    @property
    def message(self) -> str:
        """Why it failed."""
        return self.columns.get("message", "")

    @property
    def finished(self) -> str:
        """When it ended, or nothing."""
        return self.columns.get("finished", "")

    @property
    def warnings(self) -> list[str]:
        """What it warned of."""
        told: list[str] = parse_json(self.columns.get("warnings") or "[]")
        return told

    @property
    def tuning(self) -> TuningSummary | None:
        """How the fits of its search ended; None if that is not known."""
        is_told = {*_SEARCH} <= {*self.columns} and _UNKNOWN not in self.columns.values()
        if self.status != OK or not is_told:
            return None
        return TuningSummary(
            **{
                field: kind(*parse_json(self.columns[name]))
                for name, (field, kind) in (_SEARCH | _UNDEFINED).items()
                if self.columns.get(name)
            }
        )

    @property
    def search(self) -> SearchOutcome | None:
        """What is told of its search; None if nothing is."""
        told = {name: parse_json(text) for name in _OF_SEARCH if (text := self.columns.get(name))}
        return _SEARCH_OUTCOME.validate_python(told) if told else None


def cells_text(results: Results) -> str:
    """Return the file of some results."""
    found = [results.rows.get(cell.key) for cell in results.cells]
    counts = sorted({name for row in found if row is not None for name in row.counts})
    tuned = [row.tuning for row in found if row is not None and row.tuning is not None]
    search = [*_SEARCH] if tuned else []
    search += _UNDEFINED if any(each.undefined is not None for each in tuned) else []
    outcomes = {key: _search_fields(found) for key, found in results.searches.items()}
    search += [name for name in _OF_SEARCH if any(name in each for each in outcomes.values())]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    columns = (*_OUTCOME, *search, *counts)
    writer.writerow((*_PLACE, *columns))
    for (dataset, method, split, key), row in zip(results.cells, found, strict=True):
        fields = dict.fromkeys(columns, "")
        fields["status"] = MISSING
        if row is not None:
            fields |= {name: str(number) for name, number in row.counts.items()}
            told = _outcome(row) | outcomes.get(key, {})
            fields |= {name: text for name, text in told.items() if name in columns}
        writer.writerow((dataset, method, split, *fields.values()))
    return file.getvalue()


def _outcome(row: Summary) -> dict[str, str]:
    fields: dict[str, str] = {"status": row.status, "finished": row.finished}
    if row.failure is not None:
        fields["message"] = row.failure.message
    if row.warnings:
        fields["warnings"] = json.dumps(row.warnings, ensure_ascii=False)
    if row.is_ok and row.tuning is None and row.identity.get("tuning") is not None:
        fields[next(iter(_SEARCH))] = _UNKNOWN
    if row.tuning is not None:
        for name, (field, _) in (_SEARCH | _UNDEFINED).items():
            if (found := getattr(row.tuning, field)) is not None:
                fields[name] = json.dumps(astuple(found))
    return fields


def _search_fields(found: SearchOutcome) -> dict[str, str]:
    """Return what there is to tell of a search, as JSON."""
    return {name: json.dumps(told) for name in _OF_SEARCH if (told := getattr(found, name))}


def parse_cells(path: Path, text: str) -> dict[CellPlace, CellOutcome]:
    """Return what the file tells of each cell, in the order of the experiment.

    Raises
    ------
    StoreError
        If a line is damaged; the message names it.
    """
    head, *lines = parse_fields(path, text)
    columns = (*_PLACE, "status")
    if tuple(head[: len(columns)]) != columns:
        raise StoreError(f"{path}:1: the columns must begin with {','.join(columns)}")
    found: dict[CellPlace, CellOutcome] = {}
    for number, line in enumerate(lines, 2):
        where = f"{path}:{number}"
        if len(line) != len(head):
            raise StoreError(f"{where}: {len(line)} fields instead of {len(head)}")
        values = dict(zip(head, line, strict=True))
        if not SPLIT.fullmatch(values["split"]):
            raise StoreError(f"{where}: the split must be a number from 0, not {values['split']!r}")
        place = (values["dataset"], values["method"], int(values["split"]))
        if place in found:
            raise StoreError(f"{where}: a second line of {'/'.join(map(str, place))}")
        outcome = {
            name: values[name]
            for name in (*_OUTCOME, *_SEARCH, *_UNDEFINED, *_OF_SEARCH)
            if name in values
        }
        counts = {
            name: text
            for name, text in values.items()
            if text and name not in _PLACE and name not in outcome
        }
        if bad := [name for name, text in counts.items() if not SPLIT.fullmatch(text)]:
            raise StoreError(f"{where}: {bad[0]} must be a number from 0, not {counts[bad[0]]!r}")
        found[place] = CellOutcome(outcome, {name: int(text) for name, text in counts.items()})
    return found
