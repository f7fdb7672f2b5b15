"""Tables in Markdown, as GitHub reads it."""

from __future__ import annotations

from mlbench.report.tables.table import Table, TableCell

SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\|*_`<>[]"})


def to_markdown(table: Table) -> str:
    """Return the table with its title above and its notes below."""
    headings = [_escape(text) for text in table.corner]
    for column in table.columns:
        parts = [part for part in (column.group, column.title) if part]
        headings.append("<br>".join(map(_escape, parts)))
    rule = ["---"] * len(table.corner) + ["---:"] * len(table.columns)
    rows = [[*map(_escape, row.labels), *map(_cell, row.cells)] for row in table.rows]
    lines = [f"**{_escape(table.title)}**", ""]
    if table.corner:
        lines += [f"| {' | '.join(row)} |" for row in (headings, rule, *rows)] + [""]
    lines += ["  \n".join(map(_escape, table.legend()))]
    return "\n".join(lines).rstrip("\n") + "\n"


def _escape(text: str) -> str:
    return text.translate(SPECIAL)


def _cell(cell: TableCell) -> str:
    text = _escape(cell.printed)
    if cell.bold:
        text = f"**{text}**"
    return " ".join([text, *cell.marks])
