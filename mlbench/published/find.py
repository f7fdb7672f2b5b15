"""Find the numbers that a paper prints, by its name or in a CSV file."""

from __future__ import annotations

from pathlib import Path

from mlbench import plugins
from mlbench.errors import MlbenchError
from mlbench.options import is_published_file
from mlbench.published.csv_file import read_published_file
from mlbench.published.values import PublishedPaper
from mlbench.spelling import did_you_mean


def find_paper(name: str, copy: Path | None = None) -> PublishedPaper:
    """Return an installed paper by its name, or the one in a CSV file by the file's path.

    Parameters
    ----------
    name : str
        A name, or a path.
    copy : Path, optional
        The file to read in place of that path.

    Raises
    ------
    MlbenchError
        If there is no such paper, or the file cannot be read.
    """
    papers, path = plugins.names(plugins.PAPERS), Path(name)
    if name in papers:
        found: PublishedPaper = plugins.load(plugins.PAPERS, name)(name)
        return found
    if is_published_file(name) or len(path.parts) > 1 or path.is_file():
        return read_published_file(copy or path, path.stem)
    if (file := Path(f"{name}.csv")).is_file():
        raise MlbenchError(f"there are no printed values of {name!r} (did you mean '{file}'?)")
    raise MlbenchError(
        f"there are no printed values of {name!r}{did_you_mean(name, papers)}; "
        f"known papers: {', '.join(papers)}, or a CSV file of printed values: FILE.csv"
    )
