"""Tables as a notebook and a terminal show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from mlbench.report.render import to_latex, to_markdown, to_text
from mlbench.report.tables.table import Table, TableRow, with_notes_once

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class TableView:
    """One table or several that belong together.

    A notebook shows it as HTML, a terminal as text.
    """

    tables: tuple[Table, ...]

    def __repr__(self) -> str:
        """Return the text."""
        return self.to_text()

    def _repr_html_(self) -> str:
        return "".join(map(_html, with_notes_once(self.tables)))

    def to_text(self, width: int | None = None) -> str:
        """Return the tables as text, at most `width` characters wide if that is possible."""
        return self._joined(lambda table: to_text(table, width=width))

    def to_markdown(self) -> str:
        """Return the tables in Markdown."""
        return self._joined(to_markdown)

    def to_latex(self) -> str:
        """Return the tables in LaTeX, for the packages that their first lines name."""
        return "\n".join(map(to_latex, self.tables))

    def to_frame(self) -> pd.DataFrame:
        """Return the unrounded numbers behind the tables, a row for each."""
        import pandas as pd

        return pd.DataFrame([record for table in self.tables for record in table.records])

    def _joined(self, render: Callable[[Table], str]) -> str:
        return "\n".join(map(render, with_notes_once(self.tables)))


def _html(table: Table) -> Markup:
    lines = [Markup("<h4>{}</h4>").format(table.title)]
    if table.corner:
        body = Markup("").join(map(_row, table.rows))
        lines.append(
            Markup("<table><thead>{}</thead><tbody>{}</tbody></table>").format(
                _headings(table), body
            )
        )
    lines += [Markup("<p><small>{}</small></p>").format(note) for note in table.legend()]
    return Markup("\n").join(lines)


def _headings(table: Table) -> Markup:
    rows = []
    if table.has_groups:
        groups = [(name, len(list(run))) for name, run in groupby(c.group for c in table.columns)]
        cells = Markup("").join(
            Markup('<th colspan="{}" style="text-align: center">{}</th>').format(span, name)
            for name, span in groups
        )
        rows.append(Markup('<tr><td colspan="{}"></td>{}</tr>').format(len(table.corner), cells))
    titles = [*table.corner, *(column.title for column in table.columns)]
    rows.append(Markup("<tr>{}</tr>").format(_cells("th", titles)))
    return Markup("").join(rows)


def _row(row: TableRow) -> Markup:
    cells = [
        Markup("<td>{}{}</td>").format(
            Markup("<b>{}</b>").format(cell.printed) if cell.bold else escape(cell.printed),
            "".join(f" {mark}" for mark in cell.marks),
        )
        for cell in row.cells
    ]
    return Markup("<tr>{}{}</tr>").format(_cells("th", row.labels), Markup("").join(cells))


def _cells(tag: str, texts: Sequence[str]) -> Markup:
    return Markup("").join(Markup(f"<{tag}>{{}}</{tag}>").format(text) for text in texts)
