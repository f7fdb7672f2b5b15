"""How many numbers of whole papers are reproduced, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.papers.causes import MEASURED, Cause, cause_of
from mlbench.papers.interpretations import JUDGED
from mlbench.published import PrintedValue
from mlbench.report.reproduction.comparison import AS_NAMED, ComparedValue, PaperComparison
from mlbench.report.reproduction.verdict import Verdict

NO_CAUSE = "no cause known"


@dataclass(frozen=True)
class SummedValue:
    """A printed number, and the one of our numbers that counts for it."""

    line: ComparedValue
    source: str = ""
    """The results folder, if it ran."""
    reproduced_by: tuple[str, ...] = ()
    """Other readings that reproduce it, if it differs."""
    cause: Cause | None = None
    """Why it differs, if that is known."""

    @property
    def verdict(self) -> Verdict:
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
        if self.verdict is Verdict.NOT_COMPARABLE:
            return (self.line.reasons or self.line.printed.objections)[0]
        if self.verdict is not Verdict.DIFFERS:
            return ""
        if self.cause is not None:
            return f"{self.cause.kind}: {self.cause.cause}"
        if self.reproduced_by:
            return f"{NO_CAUSE}; another reading reproduces it"
        return NO_CAUSE


@dataclass(frozen=True)
class PaperSummary:
    """All printed numbers of a paper, with the verdicts of several results folders."""

    paper: str
    title: str
    values: tuple[SummedValue, ...]
    """In the order of the paper."""

    @property
    def tables(self) -> list[str]:
        """The paper's tables."""
        return list(dict.fromkeys(each.line.printed.table for each in self.values))

    def of_table(self, table: str) -> tuple[SummedValue, ...]:
        """Return the numbers of a table."""
        return tuple(each for each in self.values if each.line.printed.table == table)

    def causes(self) -> Counter[tuple[Verdict, str]]:
        """Return how many numbers differ, or are not comparable, for which cause."""
        return Counter((each.verdict, each.why) for each in self.values if each.why)


def summarize(
    comparisons: Sequence[PaperComparison], causes: Sequence[Cause] = ()
) -> list[PaperSummary]:
    """Sum up results folders paper by paper, each printed number once.

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
        PaperSummary(paper, parts[0].title or paper, tuple(_values(parts, causes)))
        for paper, parts in papers.items()
    ]


def _values(parts: Sequence[PaperComparison], causes: Sequence[Cause]) -> list[SummedValue]:
    ran: dict[PrintedValue, list[tuple[ComparedValue, str]]] = {}
    for part in parts:
        for line in part.lines:
            if line.method:
                ran.setdefault(line.printed, []).append((line, part.source))
    printed = dict.fromkeys(each for part in parts for each in part.printed)
    return [_summed(each, ran.get(each, []), causes) for each in printed]


def _summed(
    printed: PrintedValue, ran: Sequence[tuple[ComparedValue, str]], causes: Sequence[Cause]
) -> SummedValue:
    if printed.objections:
        return SummedValue(ComparedValue(printed, printed.place, verdict=Verdict.NOT_COMPARABLE))
    if not ran:
        return SummedValue(ComparedValue(printed, printed.place))
    line, source = next((each for each in ran if each[0].verdict in JUDGED), ran[0])
    if line.verdict is not Verdict.DIFFERS:
        return SummedValue(line, source)
    others = _reproduced_by(line, [other for other, _ in ran])
    return SummedValue(line, source, others, cause_of(printed, causes))


def _reproduced_by(line: ComparedValue, ran: Sequence[ComparedValue]) -> tuple[str, ...]:
    """Return other readings that reproduce a number over at least as many splits."""
    return tuple(
        dict.fromkeys(
            other.reading or AS_NAMED
            for other in ran
            if other.reading != line.reading
            and other.n >= line.n
            and other.verdict is Verdict.REPRODUCED
        )
    )
