"""What the template asks about a table."""

from __future__ import annotations

from itertools import groupby

from mlbench.report.tables.scores import MARKS
from mlbench.report.tables.table import Table, TableCell

MARK_CLASSES = {
    **{better: "beaten" for better, _ in MARKS},
    **{worse: "beating" for _, worse in MARKS},
}
"""CSS classes of the marks of significance."""


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


def most_marks(table: Table) -> int:
    """Return the largest number of marks of any cell."""
    return max((len(cell.marks) for row in table.rows for cell in row.cells), default=0)


def column_groups(table: Table) -> list[tuple[str, int]]:
    """Return the headings over groups of columns, each with the number of its columns."""
    if not table.has_groups:
        return []
    return [(name, len(list(run))) for name, run in groupby(table.columns, lambda c: c.group)]
