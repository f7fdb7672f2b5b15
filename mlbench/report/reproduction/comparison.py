"""Compare a results folder with a paper's tables, value by value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from statistics import mean, median, stdev

from mlbench import plugins
from mlbench.errors import MlbenchError
from mlbench.published import PrintedValue
from mlbench.published.csv_file import find_paper
from mlbench.report.folder import ResultsFolder
from mlbench.report.numbers import listed
from mlbench.report.reproduction.matching import (
    belongs_to,
    interpretation_of,
    is_other_version,
    is_same_dataset,
)
from mlbench.report.reproduction.measured import MeasuredFolder, MeasuredValues
from mlbench.report.reproduction.rank_correlation import RankCorrelation, rank_correlation
from mlbench.report.reproduction.verdict import (
    MIN_TIMES,
    Verdict,
    allowed_difference,
    verdict_on_score,
    verdict_on_time,
)
from mlbench.spelling import did_you_mean

OTHER_DATA = "other data"
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
    verdict: Verdict = Verdict.NOT_RUN
    reasons: tuple[str, ...] = ()
    """Why it is not comparable, if it is not."""

    @property
    def reason(self) -> str:
        """The reasons in one line."""
        return "; ".join(self.reasons)


@dataclass(frozen=True)
class PaperComparison:
    """A results folder compared with a paper."""

    source: str
    paper: str
    """A paper's short name, or the name in the user's own file."""
    lines: tuple[ComparedValue, ...]
    """In the order of the paper, variants last."""
    printed: tuple[PrintedValue, ...]
    """What the paper prints, whether or not it belongs to the results."""
    orders: tuple[RankCorrelation, ...]
    """Agreement of the orders of the methods, by table, data set, metric and interpretation."""
    not_printed: tuple[str, ...]
    """Our methods that belong to none of the paper's."""
    protocol: str = ""
    """Our protocol in a sentence."""
    title: str = ""
    """The paper's authors and subject, or again its name."""

    @property
    def tables(self) -> list[str]:
        """The paper's tables with values here."""
        return list(dict.fromkeys(line.printed.table for line in self.lines))

    def interpretations(self, table: str) -> list[str]:
        """Return the interpretations of a table, that of the printed names first."""
        here = [line for line in self.lines if line.printed.table == table and line.method]
        return sorted(dict.fromkeys(line.interpretation for line in here), key=bool)

    def counts(self, table: str, interpretation: str) -> Counter[Verdict]:
        """Return how many values of a table have which verdict under one interpretation.

        A value for which the interpretation has no method is not run.
        """
        here = [line for line in self.lines if line.printed.table == table]
        ran = [line for line in here if line.method and line.interpretation == interpretation]
        targets = {(line.printed, line.dataset) for line in here}
        counts = Counter(line.verdict for line in ran)
        counts[Verdict.NOT_RUN] = len(targets - {(line.printed, line.dataset) for line in ran})
        return counts

    @property
    def differing(self) -> list[ComparedValue]:
        """The scores that differ, without variants of a method that ran under its printed name."""
        return [
            line
            for line in self.lines
            if line.verdict is Verdict.DIFFERS and not line.is_variant and not line.printed.is_time
        ]


def compare_with_paper(
    folder: Path | ResultsFolder,
    paper: str | None = None,
    table: str | None = None,
    methods: Sequence[str] = (),
    datasets: Sequence[str] = (),
) -> PaperComparison:
    """Compare the results in a folder with the values that a paper prints.

    Parameters
    ----------
    folder : Path or ResultsFolder
        A folder that ``mlbench run`` filled, or one with the CSV files of ``mlbench export``.
    paper : str, optional
        A paper's key, or a CSV file of printed values; by default the one that the experiment names
        under ``published:``.
    table : str, optional
        Only this table, by the paper's name for it: ``Table IV``.
    methods : sequence of str, optional
        Only these methods, by the paper's names for them.
    datasets : sequence of str, optional
        Only these data sets, by the paper's names for them.

    Returns
    -------
    PaperComparison
        Without lines if no printed value belongs to the results.

    Raises
    ------
    MlbenchError
        If there is no such paper, table, method or data set, no paper is named, or the folder
        cannot be read.
    """
    ours = MeasuredFolder(folder)
    name = paper or ours.paper
    if name is None:
        papers = ", ".join(plugins.names(plugins.PAPERS))
        raise MlbenchError(
            f"{ours.source}: the experiment names no paper (`published:`), and none was asked for; "
            f"add --published PAPER ({papers}) or --published FILE.csv (printed values)"
        )
    found = find_paper(name, None if paper else ours.published_copy)
    if table is not None and table not in found.tables:
        raise MlbenchError(
            f"{found.name} has no table {table!r} of scores or times"
            f"{did_you_mean(table, found.tables)}; it has {listed(found.tables) or 'none'}"
        )
    targets = [each for each in found.values if table in (None, each.table)]
    for wanted, what, name_of in (
        (methods, "method", attrgetter("method")),
        (datasets, "data set", attrgetter("our_dataset")),
    ):
        printed = list(dict.fromkeys(map(name_of, targets)))
        for name in wanted:
            if name not in printed:
                raise MlbenchError(
                    f"{table or found.name} has no {what} {name!r}{did_you_mean(name, printed)}; "
                    f"it has {listed(printed) or 'none'}"
                )
        targets = [each for each in targets if not wanted or name_of(each) in wanted]
    measured = ours.read({each.ours for each in targets})
    return replace(compare_values(measured, found.name, targets), title=found.title)


def compare_values(
    ours: MeasuredValues, paper: str, targets: Sequence[PrintedValue]
) -> PaperComparison:
    """Compare measured with printed values."""
    names = list(dict.fromkeys(target.method for target in targets))
    family = {method: belongs_to(method, names) for method in ours.methods}
    lines = _with_time_verdicts(list(_lines(ours, targets, family)))
    return PaperComparison(
        source=ours.source,
        paper=paper,
        lines=tuple(lines),
        printed=tuple(targets),
        orders=tuple(_orders(lines)),
        not_printed=tuple(method for method, name in family.items() if name is None),
        protocol=ours.protocol,
    )


def _lines(
    ours: MeasuredValues, targets: Sequence[PrintedValue], family: dict[str, str | None]
) -> Iterator[ComparedValue]:
    """Yield a line for each interpretation of a value whose metric was measured on its data set."""
    methods_of = {
        (target, dataset): [
            method
            for method, name in family.items()
            if name == target.method and (dataset, method, target.ours) in ours.values
        ]
        for target in targets
        for dataset in ours.datasets
        if is_same_dataset(dataset, target.our_dataset)
        or is_other_version(dataset, target.our_dataset)
    }
    measured_in = {
        (target.table, dataset, target.ours) for (target, dataset), ran in methods_of.items() if ran
    }
    for (target, dataset), ran in methods_of.items():
        if (target.table, dataset, target.ours) not in measured_in:
            continue
        for method in sorted(ran, key=lambda each: each != target.method):
            line = ComparedValue(
                printed=target,
                dataset=dataset,
                method=method,
                interpretation=interpretation_of(method, target.method),
                is_variant=method != target.method and target.method in ran,
            )
            yield _with_values(line, ours.values[dataset, method, target.ours])
        if not ran:
            yield ComparedValue(target, dataset)


def _with_values(line: ComparedValue, values: Sequence[float]) -> ComparedValue:
    """Fill in ours and, for a score, the verdict."""
    target = line.printed
    if target.is_time:
        ours = median(values)
        return replace(
            line, mean=ours, n=len(values), ratio=target.mean / ours if ours else math.inf
        )
    scale = 100.0 if target.unit == "percent" else 1.0
    ours, n = scale * mean(values), len(values)
    std = scale * stdev(values) if n > 1 else math.nan
    allowed = allowed_difference(std, n, target.std, target.n_splits or n, target.rounding)
    difference = ours - target.mean
    filled = replace(line, mean=ours, std=std, n=n, difference=difference, allowed=allowed)
    return _with_verdict(filled, verdict_on_score(ours, target.mean, allowed, scale))


def _with_verdict(line: ComparedValue, verdict: Verdict, *objections: str) -> ComparedValue:
    """Give a line its verdict, or the reasons why it is not comparable."""
    other = () if is_same_dataset(line.dataset, line.printed.our_dataset) else (OTHER_DATA,)
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


def _with_time_verdicts(lines: Sequence[ComparedValue]) -> list[ComparedValue]:
    """Judge ratios of times by the median of their table, data set and interpretation.

    The median accounts for the machine and language, which affect all methods.
    """
    judged = []
    for line in lines:
        if math.isnan(line.ratio):
            judged.append(line)
            continue
        others = [each.ratio for each in lines if _column(each) == _column(line)]
        known = [ratio for ratio in others if not math.isnan(ratio)]
        typical = median(known)
        relative = line.ratio / typical if typical else math.nan
        objections = [] if typical else ["printed times of 0"]
        objections += [] if len(known) >= MIN_TIMES else [f"fewer than {MIN_TIMES} times"]
        line = replace(line, relative=relative)
        judged.append(_with_verdict(line, verdict_on_time(relative), *objections))
    return judged


def _column(line: ComparedValue) -> tuple[str, str, str, str]:
    """Return the key that methods of one ranking share."""
    return line.printed.table, line.dataset, line.printed.metric, line.interpretation


def _orders(lines: Sequence[ComparedValue]) -> Iterator[RankCorrelation]:
    ranked = [line for line in lines if line.method and line.printed.keeps_order]
    for column in dict.fromkeys(map(_column, ranked)):
        here = [line for line in ranked if _column(line) == column]
        order = rank_correlation(
            *column, [line.mean for line in here], [line.printed.mean for line in here]
        )
        if order is not None:
            yield order
