"""Results of experiments, from whichever files they are read."""

from __future__ import annotations

from os.path import lexists
from pathlib import Path

from mlbench.results.exported import EXPORT, read_export
from mlbench.results.results import Results
from mlbench.results.taken_over import completed

__all__ = ["Results", "open_results"]


def open_results(path: str | Path, whole: bool = False) -> Results:
    """Read the folder of a run, finished or not, or a folder of `mlbench export --folder`.

    Parameters
    ----------
    path : str or Path
    whole : bool
        Whether to read whole rows of a run at once, because most of them will be needed.

    Raises
    ------
    StoreError
        If it is neither, or is damaged.
    """
    folder = Path(path)
    if lexists(folder / EXPORT) and not lexists(folder / "plan.json"):
        return read_export(folder)
    return completed(Results.of_run(folder, whole))
