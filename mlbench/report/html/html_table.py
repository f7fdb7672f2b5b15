"""What the page lays out: tables whose entries lead somewhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mlbench.report.tables.scores import MARKS
from mlbench.report.tables.table import Column, ScoreCell, Source, Table, TableCell, TableRow

Find = Callable[[Source], str]

_MARK_CLASSES = {
    **{pair[0]: "beaten" for pair in MARKS},
    **{pair[1]: "beating" for pair in MARKS},
}


@dataclass(frozen=True)
class Entry:
    """One cell of a sheet.

    Attributes
    ----------
    text : str
    href : str
        Where it leads; empty where nowhere.
    value : float, optional
        The number that the text shows.
    bold : bool
    marks : tuple of (str, str)
        Symbols after the text, each with the class of its colour.
    look : str
        Class of the cell.
    """

    text: str
    href: str = ""
    value: float | None = None
    bold: bool = False
    marks: tuple[tuple[str, str], ...] = ()
    look: str = ""

    @property
    def hidden(self) -> float | None:
        """The value, where the text does not begin with a number to sort its column by."""
        try:
            float(self.text.split(" ", 1)[0])
        except ValueError:
            return self.value
        return None


@dataclass(frozen=True)
class Line:
    """The headings of a row, and its cells."""

    labels: tuple[str, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Sheet:
    """A table of the page.

    Attributes
    ----------
    anchor : str
        Its id.
    title : str
    corner : tuple of str
        Headings of the label columns; empty where there are only notes.
    columns : tuple of Column
    lines : tuple of Line
    totals : tuple of Line
        Stand below the others, however those are sorted.
    notes : tuple of str
    """

    anchor: str
    title: str
    corner: tuple[str, ...]
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    totals: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def worded(self) -> list[bool]:
        """Whether a column holds words rather than numbers."""
        return ["words" in entry.look for entry in self.lines[0].entries] if self.lines else []

    @property
    def most_marks(self) -> int:
        """Marks in the entry that has most."""
        lines = (*self.lines, *self.totals)
        return max((len(entry.marks) for line in lines for entry in line.entries), default=0)

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The common headings over columns, each with how many it spans."""
        runs: list[tuple[str, int]] = []
        for column in self.columns:
            if runs and runs[-1][0] == column.group:
                runs[-1] = (column.group, runs[-1][1] + 1)
            else:
                runs.append((column.group, 1))
        return runs if any(name for name, _ in runs) else []


def of_table(table: Table, anchor: str, find: Find) -> Sheet:
    """Return a table as a sheet that says all that the table does.

    Parameters
    ----------
    table : Table
    anchor : str
    find : callable
        Where the scores behind an entry are shown.
    """
    bold = (f"Bold: {table.bold_means}.",) if table.bold_means else ()
    return Sheet(
        anchor=anchor,
        title=table.title,
        corner=table.corner,
        columns=table.columns,
        lines=_lines([row for row in table.rows if not row.is_total], find),
        totals=_lines([row for row in table.rows if row.is_total], find),
        notes=(*bold, *table.notes),
    )


def _lines(rows: Sequence[TableRow], find: Find) -> tuple[Line, ...]:
    return tuple(Line(row.labels, tuple(_entry(cell, find) for cell in row.cells)) for row in rows)


def _entry(cell: TableCell, find: Find) -> Entry:
    mean = cell.mean if isinstance(cell, ScoreCell) and not math.isnan(cell.mean) else None
    return Entry(
        text=cell.printed,
        href=find(cell.source) if cell.source else "",
        value=mean,
        bold=cell.bold,
        marks=tuple((mark, _MARK_CLASSES.get(mark, "note")) for mark in cell.marks),
    )
