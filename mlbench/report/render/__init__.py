"""Tables as text for a terminal, Markdown, LaTeX and CSV."""

from __future__ import annotations

from mlbench.report.render.csv import to_csv
from mlbench.report.render.latex import to_latex
from mlbench.report.render.markdown import to_markdown
from mlbench.report.render.text import to_text

RENDERERS = {"text": to_text, "markdown": to_markdown, "latex": to_latex, "csv": to_csv}
"""Renderer by format."""

__all__ = ["RENDERERS", "to_csv", "to_latex", "to_markdown", "to_text"]
