"""Notes on rows of different versions, which a table shows side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mlbench.library_versions import LIBRARIES
from mlbench.store import Summary


def version_notes(
    cells: Iterable[tuple[str, str, int, str]], rows: Mapping[str, Summary]
) -> list[str]:
    """Say which methods have rows that different code computed, and which libraries differ.

    Parameters
    ----------
    cells : iterable of (data set, method, split, key)
    rows : mapping
        Rows by key.

    Returns
    -------
    list of str
        One sentence for each class or library with several versions.
    """
    found: dict[tuple[str, str], dict[str, None]] = {}
    for _, method, _, key in cells:
        row = rows.get(key)
        if row is None or not row.is_ok:
            continue
        for name, version in row.code.items():
            found.setdefault((f" of {method}", name), {})[_short(version)] = None
        for name in LIBRARIES:
            if name in row.environment:
                found.setdefault(("", name), {})[row.environment[name]] = None
    return [
        f"Rows{whose} were computed by different versions of {name}: {', '.join(versions)}."
        for (whose, name), versions in found.items()
        if len(versions) > 1
    ]


def _short(version: str) -> str:
    return version[:12] if len(version) == 64 else version
