"""Failures and warnings; what many cells share appears once."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from mlbench.report.html.split_tables import SplitTables
from mlbench.report.tables.table import Source
from mlbench.results.results import Results
from mlbench.results.scores import MISSING
from mlbench.store import Summary

_TIMES = re.compile(r" [(][0-9]+ times[)]$")

Message = tuple[str, str, str]
"""Kind, message, traceback."""


@dataclass(frozen=True)
class FailureGroup:
    """A failure or a warning, and the cells that have it."""

    kind: str
    message: str
    traceback: str
    n_cells: int
    where: tuple[tuple[str, str, str], ...]
    """The data set and method, the splits in words, and the id of the table with their rows."""


def failures(tables: SplitTables) -> list[FailureGroup]:
    """Return why cells have no result."""
    return _grouped(tables, _failed)


def warnings(tables: SplitTables) -> list[FailureGroup]:
    """Return the warnings of methods."""
    return _grouped(tables, _warned)


def damaged(folder: Results) -> list[tuple[str, str]]:
    """Return the damaged files, and what is wrong with them."""
    return [
        (str(path.relative_to(folder.path)), problem) for path, problem in folder.damaged.items()
    ]


def _failed(row: Summary | None) -> Iterator[Message]:
    if row is None:
        yield MISSING, "not run yet, or its row is damaged", ""
    elif (failure := row.failure) is not None:
        yield failure.kind, failure.message, failure.traceback


def _warned(row: Summary | None) -> Iterator[Message]:
    for warning in row.warnings if row is not None else ():
        yield "warning", _TIMES.sub("", warning), ""


def _grouped(
    tables: SplitTables, messages: Callable[[Summary | None], Iterable[Message]]
) -> list[FailureGroup]:
    by_message: dict[Message, dict[tuple[str, str], list[int]]] = {}
    for dataset, method, split, key in tables.folder.cells:
        for message in messages(tables.folder.rows.get(key)):
            by_message.setdefault(message, {}).setdefault((dataset, method), []).append(split)
    return [
        FailureGroup(
            *message,
            n_cells=sum(map(len, where.values())),
            where=tuple(
                (
                    f"{dataset}, {method}",
                    f"split{'s' * (len(splits) > 1)} {', '.join(map(str, splits))}",
                    tables.anchor(Source(dataset, "", method)),
                )
                for (dataset, method), splits in where.items()
            ),
        )
        for message, where in by_message.items()
    ]
