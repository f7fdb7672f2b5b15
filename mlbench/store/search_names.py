"""The name of a search for parameters, which is the same for all cells that may share it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlbench.hashing import digest


def search_key(identity: Mapping[str, Any]) -> str:
    """Return the name of the search that a cell with tuning does.

    Parameters
    ----------
    identity : mapping
        All that the cell's result depends on. The search does not depend on the thresholds
        afterwards nor, with the scope ``first-split``, on the number of the cell's own split.
    """
    search = {key: value for key, value in identity.items() if key != "threshold"}
    if identity["tuning"]["scope"] == "first-split":
        search["split"] = {**identity["split"], "index": 0}
    return digest(search)
