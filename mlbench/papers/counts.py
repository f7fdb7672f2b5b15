"""How many numbers of whole papers are reproduced, and why the others are not.

A CSV file states causes, one a line: the numbers that it is about, and whether it was measured.
"""

import csv
import io
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from mlbench.errors import MlbenchError
from mlbench.papers.interpretations import JUDGED
from mlbench.papers.printed_values import PAPERS, printed_p_values
from mlbench.published import PrintedValue
from mlbench.report.reproduction.comparison import AS_NAMED, ComparedValue, PaperComparison
from mlbench.report.reproduction.verdict import PrintVerdict

COLUMNS = ["paper", "table", "dataset", "method", "metric", "kind", "cause"]
MEASURED, SUSPECTED = "measured", "suspected"
NO_CAUSE = "no cause known"


@dataclass(frozen=True)
class Cause:
    """Why some numbers differ; an empty pattern matches all, and ``SMTL(*+AUC)`` several.

    Names are as the paper prints them, in upper or lower case.
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
    """Read a file of causes, with the columns of `Cause`.

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


@dataclass(frozen=True)
class CountedValue:
    """A printed number, and the one of our numbers that counts for it."""

    line: ComparedValue
    source: str = ""
    """The results folder, if it ran."""
    reproduced_by: tuple[str, ...] = ()
    """Other interpretations that reproduce it, if it differs."""
    cause: Cause | None = None
    """Why it differs, if that is known."""

    @property
    def verdict(self) -> PrintVerdict:
        """The verdict that counts."""
        return self.line.verdict

    @property
    def has_fewer_splits(self) -> bool:
        """Whether ours is a score over fewer splits than the printed one."""
        splits = self.line.printed.n_splits
        return self.verdict in JUDGED and splits is not None and self.line.n < splits

    @property
    def is_measured(self) -> bool:
        """Whether it differs for a measured cause."""
        return self.cause is not None and self.cause.kind == MEASURED

    @property
    def why(self) -> str:
        """Why it differs, or is not comparable; an empty text otherwise."""
        if self.verdict is PrintVerdict.NOT_COMPARABLE:
            return (self.line.reasons or self.line.printed.objections)[0]
        if self.verdict is not PrintVerdict.DIFFERS:
            return ""
        if self.cause is not None:
            return f"{self.cause.kind}: {self.cause.cause}"
        if self.reproduced_by:
            return f"{NO_CAUSE}; another interpretation reproduces it"
        return NO_CAUSE


@dataclass(frozen=True)
class PaperCounts:
    """All printed numbers of a paper, with the verdicts of several results folders."""

    paper: str
    title: str
    values: tuple[CountedValue, ...]
    """In the order of the paper."""

    @property
    def tables(self) -> list[str]:
        """The paper's tables."""
        return list(dict.fromkeys(each.line.printed.table for each in self.values))

    def of_table(self, table: str) -> tuple[CountedValue, ...]:
        """Return the numbers of a table."""
        return tuple(each for each in self.values if each.line.printed.table == table)

    def causes(self) -> Counter[tuple[PrintVerdict, str]]:
        """Return how many numbers differ, or are not comparable, for which cause."""
        return Counter((each.verdict, each.why) for each in self.values if each.why)


def count_numbers(
    comparisons: Sequence[PaperComparison], causes: Sequence[Cause] = ()
) -> list[PaperCounts]:
    """Count the printed numbers of results folders paper by paper, each once.

    Parameters
    ----------
    comparisons : sequence of PaperComparison
        Folders in the order in which they count: a number counts in the first where it can be
        compared, under the printed name of its method, or as the first variant if that did not run.
    causes : sequence of Cause
        Why numbers differ; the first that is about a number counts.
    """
    papers: dict[str, list[PaperComparison]] = {}
    for comparison in comparisons:
        papers.setdefault(comparison.paper, []).append(comparison)
    return [
        PaperCounts(paper, parts[0].title or paper, tuple(_values(parts, causes)))
        for paper, parts in papers.items()
    ]


def _values(parts: Sequence[PaperComparison], causes: Sequence[Cause]) -> list[CountedValue]:
    ran: dict[PrintedValue, list[tuple[ComparedValue, str]]] = {}
    for part in parts:
        for line in part.lines:
            if line.method:
                ran.setdefault(line.printed, []).append((line, part.source))
    printed = dict.fromkeys(each for part in parts for each in part.printed)
    paper = parts[0].paper
    p_values = printed_p_values(paper) if paper in PAPERS else ()
    return [_counted(each, ran.get(each, []), causes) for each in (*printed, *p_values)]


def _counted(
    printed: PrintedValue, ran: Sequence[tuple[ComparedValue, str]], causes: Sequence[Cause]
) -> CountedValue:
    if printed.objections:
        return CountedValue(
            ComparedValue(printed, printed.our_dataset, verdict=PrintVerdict.NOT_COMPARABLE)
        )
    if not ran:
        return CountedValue(ComparedValue(printed, printed.our_dataset))
    line, source = next((each for each in ran if each[0].verdict in JUDGED), ran[0])
    if line.verdict is not PrintVerdict.DIFFERS:
        return CountedValue(line, source)
    others = _reproduced_by(line, [other for other, _ in ran])
    return CountedValue(line, source, others, cause_of(printed, causes))


def _reproduced_by(line: ComparedValue, ran: Sequence[ComparedValue]) -> tuple[str, ...]:
    """Return other interpretations that reproduce a number over at least as many splits."""
    return tuple(
        dict.fromkeys(
            other.interpretation or AS_NAMED
            for other in ran
            if other.interpretation != line.interpretation
            and other.n >= line.n
            and other.verdict is PrintVerdict.REPRODUCED
        )
    )
