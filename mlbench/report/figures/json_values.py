"""A figure as plain values for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass

import numpy as np

from mlbench.report.figures.style import Plot


def as_plain(plot: Plot) -> dict[str, object]:
    """Return a figure's kind, note and data; NaN and infinity become None."""
    content = {field.name: _plain(getattr(plot, field.name)) for field in fields(plot)}
    return {"kind": type(plot).__name__, "note": plot.note, **content}


def _plain(value: object) -> object:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
