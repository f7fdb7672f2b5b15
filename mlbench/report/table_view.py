"""Tables as a notebook and a terminal show them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlbench.report.html.templates import notebook_tables
from mlbench.report.render import to_latex_pages, to_markdown, to_text
from mlbench.report.tables.table import Table, with_notes_once

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class TableView:
    """One table or several that belong together.

    A notebook shows it as HTML, a terminal as text.
    """

    tables: tuple[Table, ...]
    experiment: str = ""
    """Its name, with which labels in LaTeX begin."""

    def __repr__(self) -> str:
        """Return the text."""
        return self.to_text()

    def _repr_html_(self) -> str:
        return notebook_tables(with_notes_once(self.tables))

    def to_text(self, width: int | None = None) -> str:
        """Return the tables as text, at most `width` characters wide if that is possible."""
        return self._joined(lambda table: to_text(table, width=width))

    def to_markdown(self) -> str:
        """Return the tables in Markdown."""
        return self._joined(to_markdown)

    def to_latex(self) -> str:
        """Return the tables in LaTeX, for the packages that their first lines name."""
        return to_latex_pages(self.tables, self.experiment)

    def to_frame(self) -> pd.DataFrame:
        """Return the unrounded numbers behind the tables, a row for each."""
        import pandas as pd

        return pd.DataFrame([record for table in self.tables for record in table.records])

    def _joined(self, render: Callable[[Table], str]) -> str:
        return "\n".join(map(render, with_notes_once(self.tables)))
