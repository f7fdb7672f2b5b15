"""What went wrong, said once where many cells say alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mlbench.report.folder import ResultsFolder
from mlbench.report.html.evidence import Evidence
from mlbench.report.results import MISSING
from mlbench.report.tables.table import Source

_TIMES = re.compile(r" [(][0-9]+ times[)]$")

Said = tuple[str, str, str]


@dataclass(frozen=True)
class Trouble:
    """A failure or a warning, and the cells that have it.

    Attributes
    ----------
    kind, message, traceback : str
    n_cells : int
    where : tuple of (str, str, str)
        Data set and method, the splits in words, and the link to their rows.
    """

    kind: str
    message: str
    traceback: str
    n_cells: int
    where: tuple[tuple[str, str, str], ...]


def failures(evidence: Evidence) -> list[Trouble]:
    """Return what kept cells without a result."""
    return _grouped(evidence, _failed(evidence.folder))


def warnings(evidence: Evidence) -> list[Trouble]:
    """Return what methods warned of."""
    return _grouped(evidence, _warned(evidence.folder))


def damaged(folder: ResultsFolder) -> list[tuple[str, str]]:
    """Return the files that are not what was written, and what is wrong with them."""
    return [
        (str(path.relative_to(folder.path)), problem)
        for path, problem in folder.scan.damaged.items()
    ]


def _failed(folder: ResultsFolder) -> Iterator[tuple[str, str, int, Said]]:
    for dataset, method, split, key in folder.cells:
        row = folder.scan.rows.get(key)
        if row is None:
            yield dataset, method, split, (MISSING, "not run yet, or its row is damaged", "")
        elif (failure := row.failure) is not None:
            said = (failure.kind, failure.message, failure.traceback)
            yield dataset, method, split, said


def _warned(folder: ResultsFolder) -> Iterator[tuple[str, str, int, Said]]:
    for dataset, method, split, key in folder.cells:
        row = folder.scan.rows.get(key)
        for warning in row.warnings if row is not None else ():
            yield dataset, method, split, ("warning", _TIMES.sub("", warning), "")


def _grouped(evidence: Evidence, found: Iterable[tuple[str, str, int, Said]]) -> list[Trouble]:
    places: dict[Said, dict[tuple[str, str], list[int]]] = {}
    for dataset, method, split, said in found:
        places.setdefault(said, {}).setdefault((dataset, method), []).append(split)
    return [
        Trouble(
            *said,
            n_cells=sum(map(len, where.values())),
            where=tuple(
                (
                    f"{dataset}, {method}",
                    _splits(splits),
                    evidence.link(Source(dataset, "", method)),
                )
                for (dataset, method), splits in where.items()
            ),
        )
        for said, where in places.items()
    ]


def _splits(splits: list[int]) -> str:
    listed = ", ".join(map(str, splits))
    return f"split {listed}" if len(splits) == 1 else f"splits {listed}"
