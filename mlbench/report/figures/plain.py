"""A figure as plain values, for other programs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from mlbench.report.figures.style import Picture


def as_plain(picture: Picture) -> dict[str, Any]:
    """Return all that a figure holds, and its note; None where there is no number."""
    return {"kind": type(picture).__name__, "note": picture.note, **_plain(picture)}


def _plain(value: Any) -> Any:
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
