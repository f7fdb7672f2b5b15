"""One self-contained page of a results folder: tables, figures, failures, and every row."""

from __future__ import annotations

from mlbench.report.html.page import to_html

__all__ = ["to_html"]
