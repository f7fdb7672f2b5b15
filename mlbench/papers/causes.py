"""Read from a CSV file why numbers differ from the printed ones."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from mlbench.errors import MlbenchError
from mlbench.published import PrintedValue

COLUMNS = ["paper", "table", "dataset", "method", "metric", "kind", "cause"]
MEASURED, SUSPECTED = "measured", "suspected"


@dataclass(frozen=True)
class Cause:
    """Why some numbers differ; an empty pattern matches all, and ``SMTL(*+AUC)`` several.

    Names are those of the paper, in upper or lower case.
    """

    paper: str
    table: str
    dataset: str
    method: str
    metric: str
    kind: str
    """``measured``: our number with the cause removed is near the printed one; or ``suspected``."""
    cause: str
    where: str = field(default="", compare=False)
    """File and line."""

    def explains(self, value: PrintedValue) -> bool:
        """Return whether it is about a printed number."""
        pairs = (
            (self.paper, value.paper),
            (self.table, value.table),
            (self.dataset, value.dataset),
            (self.method, value.method),
            (self.metric, value.metric),
        )
        return all(
            not pattern or fnmatchcase(name.casefold(), pattern.casefold())
            for pattern, name in pairs
        )


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
        fields = {name: text.strip() for name, text in zip(COLUMNS, row, strict=True)}
        cause = Cause(**fields, where=f"{path}:{rows.line_num}")
        if cause.kind not in (MEASURED, SUSPECTED):
            raise MlbenchError(
                f"{path}:{rows.line_num}: kind: must be {MEASURED} or {SUSPECTED}, not "
                f"{cause.kind!r}"
            )
        causes.append(cause)
    return causes


def refuse_unknown(causes: Sequence[Cause], printed: Collection[PrintedValue]) -> None:
    """Refuse a cause that is about no number of the papers at hand.

    Raises
    ------
    MlbenchError
        The message names its line. Causes of other papers are left alone.
    """
    papers = {each.paper.casefold() for each in printed}
    for cause in causes:
        is_here = not cause.paper or cause.paper.casefold() in papers
        if is_here and not any(map(cause.explains, printed)):
            names = [cause.table, cause.dataset, cause.method, cause.metric]
            raise MlbenchError(
                f"{cause.where}: there is no printed number of "
                f"{', '.join(filter(None, [cause.paper, *names]))}; write names as the paper "
                "prints them, and * for any text"
            )


def cause_of(value: PrintedValue, causes: Sequence[Cause]) -> Cause | None:
    """Return the first cause that is about a printed number, if any is."""
    return next((each for each in causes if each.explains(value)), None)
