"""A results folder as a self-contained HTML page: tables, figures, failures, and every row."""

from mlbench.report.html.page import to_html

__all__ = ["to_html"]
