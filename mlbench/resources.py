"""What there is to use: files bundled with the package, and the cores of this machine."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).parent


def bundled(folder: str) -> Path:
    """Return the bundled folder ``datasets``, ``configs`` or ``results``.

    A wheel contains them inside the package; in a checkout they are next to the package.
    """
    inside = _PACKAGE / "_bundled" / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder


def n_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
