"""What a comparison with a paper finds, value by value."""

import math
from collections import Counter
from dataclasses import dataclass

from mlbench.published import PrintedValue
from mlbench.report.reproduction.verdict import PrintVerdict

AS_NAMED = "as named"
"""The interpretation of the printed names."""


@dataclass(frozen=True)
class ComparedValue:
    """A printed value and one of our methods that may reproduce it."""

    printed: PrintedValue
    dataset: str
    method: str = ""
    """Our names; the method is empty if none of ours belongs to the printed one."""
    interpretation: str = ""
    """The part of our method's name after the printed one, such as ``CV cut``; may be empty."""
    is_variant: bool = False
    """Whether a method with exactly the printed name was run as well."""
    mean: float = math.nan
    std: float = math.nan
    """Ours in the paper's unit. Of times, the median and no deviation. NaN if unknown."""
    n: int = 0
    difference: float = math.nan
    allowed: float = math.nan
    """Ours minus the paper's, and how far apart they may be by chance; NaN for times and values
    that are not comparable.
    """
    ratio: float = math.nan
    relative: float = math.nan
    """The paper's time over ours, and that over the median of the table's; NaN for scores."""
    verdict: PrintVerdict = PrintVerdict.NOT_RUN
    reasons: tuple[str, ...] = ()
    """Why it is not comparable, if it is not."""

    @property
    def reason(self) -> str:
        """The reasons in one line."""
        return "; ".join(self.reasons)


@dataclass(frozen=True)
class RankCorrelation:
    """Agreement of our order of methods with the paper's, on one data set in one metric."""

    table: str
    dataset: str
    metric: str
    interpretation: str
    """Where; data set and interpretation in our words, the rest in the paper's."""
    n: int
    """Methods with a value on both sides."""
    kendall: float
    spearman: float
    """Kendall's tau-b and Spearman's rho: 1 for the same order, -1 for the reverse; NaN if all
    values of a side are equal.
    """


@dataclass(frozen=True)
class PaperComparison:
    """A results folder compared with a paper."""

    source: str
    paper: str
    """A paper's short name, or the name in the user's file."""
    lines: tuple[ComparedValue, ...]
    """In the order of the paper, variants last."""
    printed: tuple[PrintedValue, ...]
    """What the paper prints, whether or not it belongs to the results."""
    orders: tuple[RankCorrelation, ...]
    """Agreement of the orders of the methods, by table, data set, metric and interpretation."""
    not_printed: tuple[str, ...]
    """Our methods that belong to none of the paper's."""
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    """Ours, with a value."""
    protocol: str = ""
    """Our protocol in a sentence."""
    title: str = ""
    """The paper's authors and subject, or again its name."""

    @property
    def tables(self) -> list[str]:
        """The paper's tables with values here."""
        return list(dict.fromkeys(line.printed.table for line in self.lines))

    def interpretations(self, table: str) -> list[str]:
        """Return the interpretations of a table, the printed names first.

        A table of which nothing ran has the printed names alone.
        """
        here = [line for line in self.lines if line.printed.table == table and line.method]
        return sorted(dict.fromkeys(line.interpretation for line in here), key=bool) or [""]

    def counts(self, table: str, interpretation: str) -> Counter[PrintVerdict]:
        """Return how many values of a table have which verdict under one interpretation.

        A value for which the interpretation has no method is not run.
        """
        here = [line for line in self.lines if line.printed.table == table]
        ran = [line for line in here if line.method and line.interpretation == interpretation]
        targets = {(line.printed, line.dataset) for line in here}
        counts = Counter(line.verdict for line in ran)
        counts[PrintVerdict.NOT_RUN] = len(targets - {(line.printed, line.dataset) for line in ran})
        return counts

    @property
    def differing(self) -> list[ComparedValue]:
        """The scores that differ, without variants of a method that ran under its printed name."""
        return [
            line
            for line in self.lines
            if line.verdict is PrintVerdict.DIFFERS
            and not line.is_variant
            and not line.printed.is_time
        ]
