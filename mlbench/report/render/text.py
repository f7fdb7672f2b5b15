"""Tables for a terminal."""

from __future__ import annotations

import io

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from mlbench.report.table import Cell, Table

UNBOUNDED = 10_000
NOTES_WIDTH = 100


def to_text(table: Table, *, styled: bool = False, width: int | None = None) -> str:
    """Return the table with its title above and its notes below.

    Parameters
    ----------
    table : Table
        What to print.
    styled : bool
        Whether the output goes to a terminal and may hold ANSI codes for bold type. Otherwise
        an asterisk stands before what would be bold, and nothing is coloured.
    width : int, optional
        Columns of the terminal; without it no line of the table is broken.
    """
    out = io.StringIO()
    console = Console(
        file=out,
        width=width or UNBOUNDED,
        force_terminal=styled,
        color_system="standard" if styled else None,
        legacy_windows=False,
        highlight=False,
    )
    grid = RichTable(box=box.SIMPLE, pad_edge=False, show_edge=False, header_style="")
    for heading in table.corner:
        grid.add_column(Text(heading), justify="left", vertical="bottom")
    for column in table.columns:
        heading = f"{column.group}\n{column.title}" if table.has_groups else column.title
        grid.add_column(Text(heading), justify="right", vertical="bottom")
    for row in table.rows:
        labels = [Text(label) for label in row.labels]
        grid.add_row(*labels, *(_cell(cell, styled) for cell in row.cells))
    console.print(Text(table.title, style="bold" if styled else ""))
    console.print()
    console.print(grid)
    notes = list(table.notes)
    if table.bold_means:
        notes.insert(0, f"{'Bold' if styled else '*'}: {table.bold_means}.")
    if notes:
        console.print()
    for note in notes:
        console.print(Text(note), width=min(width or NOTES_WIDTH, NOTES_WIDTH))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _cell(cell: Cell, styled: bool) -> Text:
    text = Text()
    if cell.bold and not styled:
        text.append("*")
    text.append(cell.printed, style="bold" if cell.bold and styled else "")
    if cell.marks:
        text.append(" " + " ".join(cell.marks))
    return text
