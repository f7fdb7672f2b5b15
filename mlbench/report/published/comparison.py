"""A results folder beside a paper's tables, figure by figure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median, stdev

from mlbench.errors import MlbenchError
from mlbench.published import PAPERS, Printed, printed
from mlbench.report.folder import ResultsFolder
from mlbench.report.numbers import listed
from mlbench.report.published.matching import belongs_to, is_other_version, is_place, reading_of
from mlbench.report.published.measured import Measured, measured
from mlbench.report.published.rank_correlation import Order, order_of
from mlbench.report.published.verdict import (
    FEWEST_TIMES,
    Verdict,
    allowed_difference,
    verdict_on_score,
    verdict_on_time,
)
from mlbench.spelling import did_you_mean

OTHER_DATA = "other data"


@dataclass(frozen=True)
class Line:
    """A printed figure and one reading of it here.

    Attributes
    ----------
    printed : Printed
        The paper's figure.
    dataset, method : str
        Our names; the method is empty where no method of ours belongs to the printed one.
    reading : str
        What our method's name says beyond the printed one: ``CV cut``; empty where nothing.
    further : bool
        Whether this is a further reading, beside a method of the printed name.
    mean, std : float
        Ours in the paper's unit; of times the median, and no deviation. nan where unknown.
    n : int
        Splits behind ours.
    difference, allowed : float
        Ours less the paper's, and what chance allows; nan for times and what is not comparable.
    ratio, relative : float
        The paper's time over ours, and that over the median of the table's; nan for scores.
    verdict : Verdict
    reasons : tuple of str
        Why it is not comparable; else empty.
    """

    printed: Printed
    dataset: str
    method: str = ""
    reading: str = ""
    further: bool = False
    mean: float = math.nan
    std: float = math.nan
    n: int = 0
    difference: float = math.nan
    allowed: float = math.nan
    ratio: float = math.nan
    relative: float = math.nan
    verdict: Verdict = Verdict.NOT_RUN
    reasons: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """The reasons in one line."""
        return "; ".join(self.reasons)


@dataclass(frozen=True)
class Comparison:
    """A results folder beside a paper.

    Attributes
    ----------
    source : str
        The folder.
    paper : str
        A key of :data:`mlbench.published.PAPERS`.
    lines : tuple of Line
        In the order of the paper, further readings after their figure.
    orders : tuple of Order
        How alike the orders of the methods are, by table, data set, metric and reading.
    not_printed : tuple of str
        Our methods that belong to none of the paper's.
    protocol : str
        How ours came about, in a sentence.
    """

    source: str
    paper: str
    lines: tuple[Line, ...]
    orders: tuple[Order, ...]
    not_printed: tuple[str, ...]
    protocol: str = ""

    @property
    def tables(self) -> list[str]:
        """The paper's tables with figures here."""
        return list(dict.fromkeys(line.printed.table for line in self.lines))

    def readings(self, table: str) -> list[str]:
        """Return the readings of a table, that of the printed names first."""
        here = [line for line in self.lines if line.printed.table == table and line.method]
        return sorted(dict.fromkeys(line.reading for line in here), key=bool)

    def counts(self, table: str, reading: str) -> Counter[Verdict]:
        """Return how many figures of a table have which verdict under one reading.

        A figure for which the reading has no method is not run.
        """
        here = [line for line in self.lines if line.printed.table == table]
        ran = [line for line in here if line.method and line.reading == reading]
        figures = {(line.printed, line.dataset) for line in here}
        counts = Counter(line.verdict for line in ran)
        counts[Verdict.NOT_RUN] = len(figures - {(line.printed, line.dataset) for line in ran})
        return counts

    @property
    def differing(self) -> list[Line]:
        """The scores that differ, without further readings of a figure whose own method ran."""
        return [
            line
            for line in self.lines
            if line.verdict is Verdict.DIFFERS and not line.further and not line.printed.is_time
        ]


def beside(
    folder: Path | ResultsFolder, paper: str | None = None, table: str | None = None
) -> Comparison:
    """Put the results in a folder beside the figures that a paper prints.

    Parameters
    ----------
    folder : Path or ResultsFolder
        A folder that ``mlbench run`` filled, or one with the CSV files of ``mlbench export``.
    paper : str, optional
        By default the one that the experiment names under ``published:``.
    table : str, optional
        Only this table, by the paper's name for it: ``Table IV``.

    Returns
    -------
    Comparison
        Without lines where no printed figure belongs to the results.

    Raises
    ------
    MlbenchError
        If there is no such paper or table, none is named, or the folder cannot be read.
    """
    ours = measured(folder)
    name = paper or ours.paper
    if name is None:
        raise MlbenchError(
            f"{ours.source}: the experiment names no paper (`published:`), and none was asked for; "
            f"known papers: {', '.join(PAPERS)}"
        )
    figures = printed(name)
    tables = list(dict.fromkeys(figure.table for figure in figures))
    if table is not None and table not in tables:
        raise MlbenchError(
            f"{name} has no table {table!r} of scores or times{did_you_mean(table, tables)}; "
            f"it has {listed(tables) or 'none'}"
        )
    return compared(ours, name, [each for each in figures if table in (None, each.table)])


def compared(ours: Measured, paper: str, figures: Sequence[Printed]) -> Comparison:
    """Put measured values beside printed figures."""
    names = list(dict.fromkeys(figure.method for figure in figures))
    family = {method: belongs_to(method, names) for method in ours.methods}
    lines = _judged_times(list(_lines(ours, figures, family)))
    return Comparison(
        source=ours.source,
        paper=paper,
        lines=tuple(lines),
        orders=tuple(_orders(lines)),
        not_printed=tuple(method for method, name in family.items() if name is None),
        protocol=ours.protocol,
    )


def _lines(
    ours: Measured, figures: Sequence[Printed], family: dict[str, str | None]
) -> Iterator[Line]:
    """Yield a line for each reading of a figure, where its metric was measured on its data set."""
    methods_of = {
        (figure, dataset): [
            method
            for method, name in family.items()
            if name == figure.method and (dataset, method, figure.ours) in ours.values
        ]
        for figure in figures
        for dataset in ours.datasets
        if is_place(dataset, figure.place) or is_other_version(dataset, figure.place)
    }
    measured_in = {
        (figure.table, dataset, figure.ours) for (figure, dataset), ran in methods_of.items() if ran
    }
    for (figure, dataset), ran in methods_of.items():
        if (figure.table, dataset, figure.ours) not in measured_in:
            continue
        for method in sorted(ran, key=lambda each: each != figure.method):
            line = Line(
                printed=figure,
                dataset=dataset,
                method=method,
                reading=reading_of(method, figure.method),
                further=method != figure.method and figure.method in ran,
            )
            yield _with_values(line, ours.values[dataset, method, figure.ours])
        if not ran:
            yield Line(figure, dataset)


def _with_values(line: Line, values: Sequence[float]) -> Line:
    """Fill in ours and, for a score, the verdict."""
    figure = line.printed
    if figure.is_time:
        ours = median(values)
        return replace(
            line, mean=ours, n=len(values), ratio=figure.mean / ours if ours else math.inf
        )
    scale = 100.0 if figure.unit == "percent" else 1.0
    ours, n = scale * mean(values), len(values)
    std = scale * stdev(values) if n > 1 else math.nan
    allowed = allowed_difference(std, n, figure.std, figure.n_splits or 1, figure.rounding)
    difference = ours - figure.mean
    filled = replace(line, mean=ours, std=std, n=n, difference=difference, allowed=allowed)
    return _judged(filled, verdict_on_score(ours, figure.mean, allowed, scale))


def _judged(line: Line, verdict: Verdict, *objections: str) -> Line:
    """Give a line its verdict, unless something stands against comparing it."""
    other = () if is_place(line.dataset, line.printed.place) else (OTHER_DATA,)
    reasons = (*other, *line.printed.objections, *objections)
    if not reasons:
        return replace(line, verdict=verdict)
    return replace(
        line,
        verdict=Verdict.NOT_COMPARABLE,
        reasons=reasons,
        difference=math.nan,
        allowed=math.nan,
        relative=math.nan,
    )


def _judged_times(lines: Sequence[Line]) -> list[Line]:
    """Judge ratios of times by the median of their table, data set and reading.

    The median stands for what machine and language make of all methods alike.
    """
    judged = []
    for line in lines:
        if math.isnan(line.ratio):
            judged.append(line)
            continue
        others = [each.ratio for each in lines if _column(each) == _column(line)]
        known = [ratio for ratio in others if not math.isnan(ratio)]
        relative = line.ratio / median(known)
        few = [] if len(known) >= FEWEST_TIMES else [f"fewer than {FEWEST_TIMES} times"]
        line = replace(line, relative=relative)
        judged.append(_judged(line, verdict_on_time(relative), *few))
    return judged


def _column(line: Line) -> tuple[str, str, str, str]:
    """Return what the methods that can be put in order have in common."""
    return line.printed.table, line.dataset, line.printed.metric, line.reading


def _orders(lines: Sequence[Line]) -> Iterator[Order]:
    ranked = [line for line in lines if line.method and line.printed.keeps_order]
    for column in dict.fromkeys(map(_column, ranked)):
        here = [line for line in ranked if _column(line) == column]
        order = order_of(
            *column, [line.mean for line in here], [line.printed.mean for line in here]
        )
        if order is not None:
            yield order
