"""Read from a CSV file why numbers differ from the printed ones."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from mlbench.errors import MlbenchError
from mlbench.published import PrintedValue

COLUMNS = ["paper", "table", "dataset", "method", "metric", "kind", "cause"]
MEASURED, SUSPECTED = "measured", "suspected"


@dataclass(frozen=True)
class Cause:
    """Why some numbers differ; an empty pattern matches all, and ``SMTL(*+AUC)`` several."""

    paper: str
    table: str
    dataset: str
    method: str
    metric: str
    kind: str
    """``measured``: our number with the cause removed is near the printed one; or ``suspected``."""
    cause: str

    def explains(self, value: PrintedValue) -> bool:
        """Return whether it is about a printed number."""
        pairs = (
            (self.paper, value.paper),
            (self.table, value.table),
            (self.dataset, value.dataset),
            (self.method, value.method),
            (self.metric, value.metric),
        )
        return all(not pattern or fnmatchcase(name, pattern) for pattern, name in pairs)


def read_causes(path: Path) -> list[Cause]:
    """Read a file of causes, whose columns are those of `Cause`.

    Raises
    ------
    MlbenchError
        If it cannot be read; the message names file and line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MlbenchError(f"{path}: cannot be read: {reason}") from None
    rows = csv.reader(io.StringIO(text, newline=""))
    if next(rows, []) != COLUMNS:
        raise MlbenchError(f"{path}:1: the columns must be {','.join(COLUMNS)}")
    causes = []
    for row in rows:
        if len(row) != len(COLUMNS) or not row[-1].strip():
            raise MlbenchError(
                f"{path}:{rows.line_num}: {len(COLUMNS)} fields are needed, the last of them a "
                'cause; put a text with a comma between quotes: "a, b"'
            )
        cause = Cause(*(field.strip() for field in row))
        if cause.kind not in (MEASURED, SUSPECTED):
            raise MlbenchError(
                f"{path}:{rows.line_num}: kind: must be {MEASURED} or {SUSPECTED}, not "
                f"{cause.kind!r}"
            )
        causes.append(cause)
    return causes


def cause_of(value: PrintedValue, causes: Sequence[Cause]) -> Cause | None:
    """Return the first cause that is about a printed number, if any is."""
    return next((each for each in causes if each.explains(value)), None)
