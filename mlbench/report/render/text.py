"""Tables for a terminal."""

from __future__ import annotations

import io

from rich.console import Console
from rich.text import Text

from mlbench.report.render.layout import Grid, blocks
from mlbench.report.tables.table import Table, TableCell

WIDTH = 100


def to_text(table: Table, *, styled: bool = False, width: int | None = None) -> str:
    """Return the table with its title above and its notes below.

    A table that is too wide is set closer; where that does not help, the columns that do not fit
    follow below the others, under the same row headings.

    Parameters
    ----------
    table : Table
        What to print.
    styled : bool
        Whether the output goes to a terminal and may hold ANSI codes for bold type. Otherwise
        an asterisk stands before what would be bold, and nothing is coloured.
    width : int, optional
        Columns of the terminal; 100 without it. A line is longer only where one column of
        numbers beside the row headings is.
    """
    limit = width or WIDTH
    out = io.StringIO()
    console = Console(
        file=out,
        width=limit,
        force_terminal=styled,
        color_system="standard" if styled else None,
        legacy_windows=False,
        highlight=False,
    )
    console.print(Text(table.title, style="bold" if styled else ""))
    for block in blocks(_grid(table, styled, limit), limit) if table.corner else ():
        console.print()
        for line in block:
            console.print(line, no_wrap=True, overflow="ignore", crop=False)
    notes = list(table.notes)
    if table.bold_means:
        notes.insert(0, f"{'Bold' if styled else '*'}: {table.bold_means}.")
    if notes:
        console.print()
    for note in notes:
        console.print(Text(note), width=min(limit, WIDTH))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _grid(table: Table, styled: bool, limit: int) -> Grid:
    """Return the table's texts, set closer if they would not fit otherwise."""
    labels = [[Text(label) for label in row.labels] for row in table.rows]
    for close in (False, True):
        cells = [[_cell(cell, styled, close) for cell in row.cells] for row in table.rows]
        grid = Grid(table.corner, table.columns, labels, cells)
        if grid.width <= limit:
            break
    return grid


def _cell(cell: TableCell, styled: bool, close: bool) -> Text:
    text = Text()
    if cell.bold and not styled:
        text.append("*")
    printed = cell.printed.replace(" ± ", "±") if close else cell.printed
    text.append(printed, style="bold" if cell.bold and styled else "")
    if cell.marks:
        text.append("".join(cell.marks) if close else " " + " ".join(cell.marks))
    return text
