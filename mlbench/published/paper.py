"""A paper, with the values that it prints."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.published.tables import PAPERS
from mlbench.published.values import PrintedValue, printed_values


@dataclass(frozen=True)
class PublishedPaper:
    """A paper with its printed scores and times."""

    name: str
    """A key of :data:`PAPERS`, or the name in the user's own file."""
    title: str
    values: tuple[PrintedValue, ...]
    """In the order of print."""

    @property
    def tables(self) -> list[str]:
        """Its tables of scores and times."""
        return list(dict.fromkeys(value.table for value in self.values))


def known_paper(name: str) -> PublishedPaper:
    """Return one of the papers that come with mlbench.

    Raises
    ------
    MlbenchError
        If there is no such paper.
    """
    return PublishedPaper(name, values=printed_values(name), title=PAPERS[name])
