"""Files that come with the package: data-set cards and ready-made experiments."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def bundled(folder: str) -> Path:
    """Return the folder ``datasets`` or ``configs`` that comes with the package.

    A wheel carries both inside the package; in a checkout they stand beside it.
    """
    inside = _PACKAGE / "_bundled" / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder
