"""Files bundled with the package: data-set cards and example experiments."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def bundled(folder: str) -> Path:
    """Return the bundled folder ``datasets`` or ``configs``.

    A wheel contains them inside the package; in a checkout they are next to the package.
    """
    inside = _PACKAGE / "_bundled" / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder
