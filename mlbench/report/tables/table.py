"""A table as data, which renderers print without computing anything."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Self

Scalar = str | int | float | bool | None
Tone = Literal["", "good", "bad", "muted"]


@dataclass(frozen=True)
class Source:
    """The scores behind a cell: of one data set, in one metric, and of one method or of all."""

    dataset: str
    metric: str
    method: str = ""


@dataclass(frozen=True)
class TableCell:
    """A cell."""

    printed: str
    """Its text, without emphasis and marks."""
    bold: bool = False
    """Whether it is bold; `Table.bold_means` says why."""
    marks: tuple[str, ...] = ()
    """Symbols after the text, each explained in the table's notes."""
    source: Source | None = None
    """The scores behind it."""
    value: float | None = None
    """The unrounded number that the text shows."""
    goodness: float | None = None
    """From 0 for the worst to 1 for the best of the values that it is compared with."""
    is_text: bool = False
    """Whether it holds words rather than a number."""
    tone: Tone = ""
    """Whether it is good or bad news, or less important than others."""

    def marked(self, mark: str) -> Self:
        """Return this cell with one more mark."""
        return replace(self, marks=(*self.marks, mark))


@dataclass(frozen=True)
class Column:
    """A column's heading, under a common heading of its group where there is one."""

    title: str
    group: str = ""
    greater_is_better: bool = False
    """Whether its largest value is the best."""


@dataclass(frozen=True)
class TableRow:
    """The headings of a row, one per label column, and its cells, one per column.

    Totals sum up the rows above them.
    """

    labels: tuple[str, ...]
    cells: tuple[TableCell, ...]
    is_total: bool = False


@dataclass(frozen=True)
class Table:
    """A table with its notes."""

    name: str
    """For a file: lower case, no spaces."""
    title: str
    corner: tuple[str, ...]
    """Headings of the label columns; empty if there are only notes."""
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    """Every row has as many labels as `corner` and as many cells as `columns`."""
    bold_means: str = ""
    """What bold means; empty if nothing is bold."""
    bold_mark: str = "*"
    """What stands before bold cells in plain text."""
    notes: tuple[str, ...] = ()
    """Lines below the table that explain its numbers."""
    caption: str = ""
    """What the table shows, for readers without its context; by default the title."""
    records: tuple[Mapping[str, Scalar], ...] = field(default=(), repr=False)
    """The unrounded numbers behind the table, one mapping per CSV line."""

    @property
    def has_groups(self) -> bool:
        """Whether columns stand under common headings."""
        return any(column.group for column in self.columns)

    def legend(self, emphasis: str = "Bold") -> tuple[str, ...]:
        """Return the notes, after the meaning of bold cells if there are any."""
        bold = (f"{emphasis}: {self.bold_means}.",) if self.bold_means else ()
        return (*bold, *self.notes)


def transposed(table: Table, *corner: str) -> Table:
    """Return a table of one label column with rows and columns exchanged.

    Parameters
    ----------
    table : Table
    *corner : str
        The heading of the columns' titles, after that of their groups if there are any.
    """
    descending = all(column.greater_is_better for column in table.columns)
    columns = tuple(Column(row.labels[0], greater_is_better=descending) for row in table.rows)
    rows = tuple(
        TableRow(
            (column.group, column.title) if table.has_groups else (column.title,),
            tuple(row.cells[j] for row in table.rows),
        )
        for j, column in enumerate(table.columns)
    )
    return replace(table, corner=corner, columns=columns, rows=rows)


def slug(text: str) -> str:
    """Return a text as a file name: lower case, letters, digits, underscores and hyphens."""
    return re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-")


def with_notes_once(tables: Sequence[Table]) -> list[Table]:
    """Keep a note that all tables of a kind share, under the last of them only.

    Tables are of a kind if their names start with the same word. A note that only some of them
    have is about these tables, and stays.
    """
    kinds = [table.name.partition("-")[0] for table in tables]
    last = {kind: index for index, kind in enumerate(kinds)}
    shared = {
        kind: set.intersection(
            *(set(table.notes) for table, each in zip(tables, kinds, strict=True) if each == kind)
        )
        for kind in last
    }
    return [
        table
        if index == last[kind]
        else replace(table, notes=tuple(n for n in table.notes if n not in shared[kind]))
        for index, (table, kind) in enumerate(zip(tables, kinds, strict=True))
    ]
