"""Tables for a terminal."""

import io

from rich.console import Console
from rich.text import Text

from mlbench.escape_controls import escape_controls
from mlbench.number_text import NOTHING
from mlbench.report.render.layout import TextGrid, blocks
from mlbench.report.tables.table import Table, TableCell

WIDTH = 100


def to_text(table: Table, *, styled: bool = False, width: int | None = None) -> str:
    """Return the table with its title above and its notes below.

    A table that is too wide is set tighter. Columns that still do not fit follow in blocks below,
    with the same row labels.

    Parameters
    ----------
    table : Table
        The table.
    styled : bool
        Whether the output may contain ANSI codes for bold type, as on a terminal. Otherwise the
        table's mark stands before what would be bold.
    width : int, optional
        Width of the terminal in characters, by default 100. A line is longer only if a single
        column next to the row labels is.
    """
    limit = width or WIDTH
    out = io.StringIO()
    console = Console(
        file=out,
        width=limit,
        force_terminal=styled,
        force_jupyter=False,  # in a notebook rich would show each line, and return nothing
        color_system="standard" if styled else None,
        legacy_windows=False,
        highlight=False,
    )
    console.print(Text(escape_controls(table.title), style="bold" if styled else ""))
    for block in blocks(_grid(table, styled, limit), limit) if table.corner else ():
        console.print()
        for line in block:
            console.print(line, no_wrap=True, overflow="ignore", crop=False)
    notes = table.legend("Bold" if styled else table.bold_mark)
    if notes:
        console.print()
    for note in notes:
        console.print(Text(escape_controls(note)), width=min(limit, WIDTH))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _grid(table: Table, styled: bool, limit: int) -> TextGrid:
    """Return the table's texts, tighter if they would not fit otherwise."""
    labels = [[Text(escape_controls(label)) for label in row.labels] for row in table.rows]
    for tight in (False, True):
        grid = TextGrid(table.corner, table.columns, labels, _cells(table, styled, tight))
        if grid.width <= limit:
            break
    return grid


def _cells(table: Table, styled: bool, tight: bool) -> list[list[Text]]:
    """Return the cells; spaces fill in for marks that other cells of a column have."""
    marks = [[_marks(cell, tight) for cell in row.cells] for row in table.rows]
    mark_widths = [max(map(len, column)) for column in zip(*marks, strict=True)]
    return [
        [
            _number(cell, "" if styled else table.bold_mark, tight)
            + Text(mark if cell.printed[:1] == NOTHING else mark.ljust(n))
            for cell, mark, n in zip(row.cells, line, mark_widths, strict=True)
        ]
        for row, line in zip(table.rows, marks, strict=True)
    ]


def _number(cell: TableCell, mark: str, tight: bool) -> Text:
    """Return a cell with the mark of bold cells before it; in bold type if there is no mark."""
    text = Text(mark if cell.bold else "")
    printed = cell.printed.replace(" ± ", "±") if tight else cell.printed
    return text.append(printed, style="bold" if cell.bold and not mark else "")


def _marks(cell: TableCell, tight: bool) -> str:
    return "".join(mark if tight else f" {mark}" for mark in cell.marks)
