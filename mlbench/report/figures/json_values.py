"""A figure as plain values for JSON."""

from __future__ import annotations

import json

from pydantic_core import to_json

from mlbench.report.figures.style import Plot


def as_plain(plot: Plot) -> dict[str, object]:
    """Return a figure's kind, note and data; NaN and infinity become None."""
    text = to_json(plot, inf_nan_mode="null", fallback=lambda array: array.tolist())
    return {"kind": type(plot).__name__, "note": plot.note, **json.loads(text)}
