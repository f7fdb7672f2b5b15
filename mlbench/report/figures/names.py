"""Names beside an axis: long ones take several lines."""

from __future__ import annotations

from textwrap import wrap

from mlbench.report.render.layout import wrap_heading

WIDTH, MAX_LINES = 18, 3
"""Characters of a line, and lines of a name."""


def wrapped(name: str, width: int = WIDTH, most: int = MAX_LINES) -> list[str]:
    """Break a name into lines; the end of a very long one becomes an ellipsis."""
    lines = [line for part in wrap_heading(name, width) for line in wrap(part, width)]
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1][: width - 1]}…"]
    return lines or [""]
