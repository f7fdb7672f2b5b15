"""Find the numbers that a paper prints, by its name or in a CSV file."""

from __future__ import annotations

from pathlib import Path

from mlbench.errors import MlbenchError
from mlbench.options import PAPERS, is_published_file
from mlbench.papers.printed import known_paper
from mlbench.published.csv_file import read_published_file
from mlbench.published.values import PublishedPaper


def find_paper(name: str, copy: Path | None = None) -> PublishedPaper:
    """Return a paper by its key, or the one in a CSV file by the file's path.

    Parameters
    ----------
    name : str
        A key of `PAPERS`, or a path.
    copy : Path, optional
        The file to read in place of that path.

    Raises
    ------
    MlbenchError
        If there is no such paper, or the file cannot be read.
    """
    path = Path(name)
    if name not in PAPERS and (is_published_file(name) or len(path.parts) > 1 or path.is_file()):
        return read_published_file(copy or path, path.stem)
    if name not in PAPERS and (file := Path(f"{name}.csv")).is_file():
        raise MlbenchError(f"there are no printed values of {name!r} (did you mean '{file}'?)")
    return known_paper(name)
