"""The HTML templates: text from experiments and results is escaped."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment, PackageLoader, StrictUndefined

from mlbench.escape_controls import escape_controls
from mlbench.report.html.html_table import column_groups
from mlbench.report.tables.table import Table


def templates() -> Environment:
    """Return the environment of all templates."""
    return Environment(
        loader=PackageLoader("mlbench.report.html", package_path=""),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=escape_controls,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def notebook_tables(tables: Sequence[Table]) -> str:
    """Return tables as HTML for a notebook, which has styles of its own."""
    template = templates().get_template("notebook.html")
    return template.render(tables=tables, column_groups=column_groups)
