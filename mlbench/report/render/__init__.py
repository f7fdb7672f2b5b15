"""Tables as text for a terminal, Markdown, LaTeX and CSV."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from mlbench.report.render.latex import to_latex, to_latex_pages
from mlbench.report.render.text import to_text
from mlbench.report.tables.table import Scalar, Table, TableCell

__all__ = [
    "RENDERERS",
    "csv_blocks",
    "to_csv",
    "to_latex",
    "to_latex_pages",
    "to_markdown",
    "to_text",
]

_MARKDOWN_ESCAPES = str.maketrans({c: f"\\{c}" for c in "\\|*_`<>[]"})


def to_csv(table: Table) -> str:
    """Return the unrounded numbers behind a table, one line per score or test.

    A field is empty where there is no number.
    """
    return _csv_block(_csv_header(table), [table])


def csv_blocks(tables: Sequence[Table]) -> Iterator[str]:
    """Yield the numbers behind tables, those of tables with the same columns below one header."""
    filled = (table for table in tables if table.records)
    for names, alike in groupby(filled, _csv_header):
        yield _csv_block(names, alike)


def to_markdown(table: Table) -> str:
    """Return the table as GitHub reads it, with its title above and its notes below."""
    headings = [_escape(text) for text in table.corner]
    for column in table.columns:
        parts = [part for part in (column.group, column.title) if part]
        headings.append("<br>".join(map(_escape, parts)))
    rule = ["---"] * len(table.corner) + ["---:"] * len(table.columns)
    rows = [[*map(_escape, row.labels), *map(_markdown_cell, row.cells)] for row in table.rows]
    lines = [f"**{_escape(table.title)}**", ""]
    if table.corner:
        lines += [f"| {' | '.join(row)} |" for row in (headings, rule, *rows)] + [""]
    lines += ["  \n".join(map(_escape, table.legend()))]
    return "\n".join(lines).rstrip("\n") + "\n"


def _csv_header(table: Table) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for record in table.records for name in record))


def _csv_block(names: Sequence[str], tables: Iterable[Table]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for record in (each for table in tables for each in table.records):
        writer.writerow([_csv_field(record.get(name)) for name in names])
    return out.getvalue()


def _csv_field(value: Scalar) -> str:
    if value is None or value != value:
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def _escape(text: str) -> str:
    return text.translate(_MARKDOWN_ESCAPES)


def _markdown_cell(cell: TableCell) -> str:
    text = _escape(cell.printed)
    if cell.bold:
        text = f"**{text}**"
    return " ".join([text, *cell.marks])


RENDERERS = {"text": to_text, "markdown": to_markdown, "latex": to_latex, "csv": to_csv}
"""Renderer by format."""
