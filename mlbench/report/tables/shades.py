"""Where the scores of a column lie between its worst and its best, as shades of a page."""

from __future__ import annotations

import math
from collections.abc import Sequence

STEPS = 4


def shades(values: Sequence[float | None], greater_is_better: bool) -> list[str]:
    """Return the CSS class of each value: ``shade-4`` for the best, none for the worst."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min(known, default=0.0), max(known, default=0.0)
    if low == high:
        return [""] * len(values)
    worst, best = (low, high) if greater_is_better else (high, low)
    steps = [
        0
        if value is None or not math.isfinite(value)
        else round(STEPS * (value - worst) / (best - worst))
        for value in values
    ]
    return [f"shade-{step}" if step else "" for step in steps]
