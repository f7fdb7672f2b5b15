"""What the template asks about a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from mlbench.report.tables.scores import MARKS
from mlbench.report.tables.table import Table, TableCell

MARK_CLASSES = {
    **{better: "beaten" for better, _ in MARKS},
    **{worse: "beating" for _, worse in MARKS},
}
"""CSS classes of the marks of significance."""


MAX_ROWS = 200
MAX_PAIRS = 30
"""Rows of a table, and of one with a row per data set and method, that is not folded."""


def is_long(table: Table) -> bool:
    """Return whether a table is folded."""
    return len(table.rows) > (MAX_PAIRS if len(table.corner) > 1 else MAX_ROWS)


def pinning(corner: Sequence[str]) -> str:
    """Return the CSS class that says which labels stay in place when a table scrolls."""
    if corner[0] == "Rank":
        return "ranked"
    return "grouped" if corner[0] == "Data set" and len(corner) > 1 else "pinned"


def marked(note: str) -> list[tuple[str, str]]:
    """Split a note at the marks of significance; return each part with its CSS class."""
    parts = re.split(f"([{''.join(MARK_CLASSES)}])", note)
    return [(part, MARK_CLASSES.get(part, "")) for part in parts if part]


def sort_value(cell: TableCell) -> float | None:
    """Return a cell's value if its text does not start with a number to sort by."""
    try:
        float(cell.printed.split(" ", 1)[0])
    except ValueError:
        return cell.value
    return None


def text_columns(table: Table) -> list[bool]:
    """Return for each column whether it holds words rather than numbers."""
    return ["words" in cell.look for cell in table.rows[0].cells] if table.rows else []


def in_order(table: Table, methods: Sequence[str]) -> Table:
    """Return a table of scores with the rows or the columns of methods in this order."""
    if not table.name.startswith("scores") or not methods:
        return table
    if table.corner == ("Method",):
        rows = sorted(table.rows, key=lambda row: methods.index(row.labels[0]))
        return replace(table, rows=tuple(rows))
    titles = [column.title for column in table.columns]
    order = [titles.index(name) for name in methods]
    return replace(
        table,
        columns=tuple(table.columns[j] for j in order),
        rows=tuple(replace(row, cells=tuple(row.cells[j] for j in order)) for row in table.rows),
    )


def most_marks(table: Table) -> int:
    """Return the largest number of marks of any cell."""
    return max((len(cell.marks) for row in table.rows for cell in row.cells), default=0)


def column_groups(table: Table) -> list[tuple[str, int]]:
    """Return the headings over groups of columns, each with the number of its columns."""
    if not table.has_groups:
        return []
    return [(name, len(list(run))) for name, run in groupby(table.columns, lambda c: c.group)]
