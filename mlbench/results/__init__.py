"""Results of experiments, from whichever files they are read."""

from __future__ import annotations

from os.path import lexists
from pathlib import Path

from mlbench.bundle import is_bundle, published_names, published_path
from mlbench.errors import StoreError
from mlbench.results.exported import EXPORT
from mlbench.results.results import Results
from mlbench.results.taken_over import completed
from mlbench.results.verify import read_export

__all__ = ["Results", "open_results"]


def open_results(path: str | Path, whole: bool = False) -> Results:
    """Read the folder of a run, finished or not, or a folder of `mlbench export --folder`.

    Parameters
    ----------
    path : str or Path
        The folder, or the name of published results that come with mlbench.
    whole : bool
        Whether to read whole rows of a run at once, because most of them will be needed.

    Raises
    ------
    StoreError
        If it is neither, or is damaged.
    """
    folder = published_path(path)
    if is_bundle(folder) or (lexists(folder / EXPORT) and not lexists(folder / "plan.json")):
        return read_export(folder)
    try:
        return completed(Results.of_run(folder, whole))
    except StoreError as error:
        if names := published_names(path):
            raise StoreError(f"{error}{names}") from None
        raise
