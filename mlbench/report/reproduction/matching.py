"""Match results with the numbers that a paper prints, and compare them."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from statistics import median

from scipy import stats

from mlbench import plugins
from mlbench.errors import MlbenchError
from mlbench.number_text import listed
from mlbench.options import PUBLISHED_FILE, is_published_file
from mlbench.published import PrintedValue
from mlbench.published.csv_file import find_paper
from mlbench.report.reproduction.comparison import ComparedValue, PaperComparison, RankCorrelation
from mlbench.report.reproduction.measured import MeasuredValues
from mlbench.report.reproduction.verdict import (
    MIN_TIMES,
    PrintVerdict,
    judge_score,
    verdict_on_time,
)
from mlbench.results.results import Results
from mlbench.spelling import did_you_mean
from mlbench.statistics import Sample
from mlbench.store.paths import inside

OTHER_DATA = "other data"
MIN_METHODS = 3
"""Orders of fewer methods are not correlated."""


def compare_with_paper(
    results: Results,
    paper: str | None = None,
    table: str | None = None,
    methods: Sequence[str] = (),
    datasets: Sequence[str] = (),
) -> PaperComparison:
    """Compare results with the values that a paper prints.

    Parameters
    ----------
    results : Results
        Of a run, or exported.
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
        If there is no such paper, table, method or data set, or no paper is named.
    """
    stated = results.plan.experiment.published
    name = paper or stated
    if name is None:
        papers = ", ".join(plugins.names(plugins.PAPERS))
        raise MlbenchError(
            f"{results.path}: the experiment names no paper (`published:`), and none was asked "
            f"for; add --published PAPER ({papers}) or --published FILE.csv (printed values)"
        )
    copied = not paper and is_published_file(name)
    found = find_paper(name, inside(results.path, PUBLISHED_FILE) if copied else None)
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
    measured = MeasuredValues.of(results, {each.ours for each in targets})
    return replace(
        compare_values(measured, found.name, targets),
        title=found.title,
        datasets=tuple(results.datasets),
        methods=tuple(results.methods),
    )


def compare_values(
    ours: MeasuredValues, paper: str, targets: Sequence[PrintedValue]
) -> PaperComparison:
    """Compare measured with printed values."""
    names = list(dict.fromkeys(target.method for target in targets))
    family = {method: belongs_to(method, names) for method in ours.methods}
    lines = _with_time_verdicts(_lines(ours, targets, family))
    return PaperComparison(
        source=ours.source,
        paper=paper,
        lines=tuple(lines),
        printed=tuple(targets),
        orders=tuple(_orders(lines)),
        not_printed=tuple(method for method, name in family.items() if name is None),
        datasets=tuple(ours.datasets),
        methods=tuple(ours.methods),
        protocol=ours.protocol,
    )


def _lines(
    ours: MeasuredValues, targets: Sequence[PrintedValue], family: dict[str, str | None]
) -> list[ComparedValue]:
    """Return a line for each interpretation of a value whose metric was measured on its data set.

    All runs measure times, so those of a table count only where one of its methods ran.
    """
    methods_of = {
        (target, dataset): [
            method
            for method, name in family.items()
            if name == target.method and (dataset, method, target.ours) in ours.values
        ]
        for target in targets
        for dataset in ours.datasets
        if ours.measures(dataset, target.ours) and is_version(dataset, target.our_dataset)
    }
    tables = {target.table for (target, _), ran in methods_of.items() if ran}
    if not tables:
        return []
    lines = []
    for (target, dataset), ran in methods_of.items():
        if target.is_time and target.table not in tables:
            continue
        for method in sorted(ran, key=lambda each: each != target.method):
            line = ComparedValue(
                printed=target,
                dataset=dataset,
                method=method,
                interpretation=interpretation_of(method, target.method),
                is_variant=method != target.method and target.method in ran,
            )
            lines.append(_with_values(line, ours.values[dataset, method, target.ours]))
        if not ran:
            lines.append(ComparedValue(target, dataset))
    return lines


def _with_values(line: ComparedValue, values: Sequence[float]) -> ComparedValue:
    """Fill in ours and, for a score, the verdict."""
    target = line.printed
    if target.is_time:
        seconds = median(values)
        ratio = target.mean / seconds if seconds else math.inf
        return replace(line, mean=seconds, n=len(values), ratio=ratio)
    ours = Sample.of(values, target.scale)
    allowed, verdict = judge_score(ours, target)
    difference = ours.mean - target.mean
    filled = replace(line, **ours._asdict(), difference=difference, allowed=allowed)
    return _with_verdict(filled, verdict)


def _with_verdict(line: ComparedValue, verdict: PrintVerdict, *objections: str) -> ComparedValue:
    """Give a line its verdict, or the reasons why it is not comparable."""
    other = () if is_same_dataset(line.dataset, line.printed.our_dataset) else (OTHER_DATA,)
    reasons = (*other, *line.printed.objections, *objections)
    if not reasons:
        return replace(line, verdict=verdict)
    return replace(
        line,
        verdict=PrintVerdict.NOT_COMPARABLE,
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
            *column,
            [line.mean / line.printed.scale for line in here],
            [line.printed.mean / line.printed.scale for line in here],
        )
        if order is not None:
            yield order


def rank_correlation(
    table: str,
    dataset: str,
    metric: str,
    interpretation: str,
    ours: Sequence[float],
    theirs: Sequence[float],
) -> RankCorrelation | None:
    """Correlate two orders; None with fewer than three methods."""
    if len(ours) < MIN_METHODS:
        return None
    if len(set(ours)) == 1 or len(set(theirs)) == 1:
        kendall = spearman = float("nan")
    else:
        kendall = float(stats.kendalltau(ours, theirs, variant="b").statistic)
        spearman = float(stats.spearmanr(ours, theirs).statistic)
    return RankCorrelation(table, dataset, metric, interpretation, len(ours), kendall, spearman)


def belongs_to(method: str, printed: Iterable[str]) -> str | None:
    """Return the printed method that one of ours belongs to, if any.

    That is the one whose name it has, or the longest that its name begins with: ``ML-kNN raw``
    is an interpretation of ``ML-kNN``.
    """
    fitting = [
        name for name in printed if method == name or method.startswith((f"{name} ", f"{name},"))
    ]
    return max(fitting, key=len, default=None)


def interpretation_of(method: str, printed: str) -> str:
    """Return the part of a method's name after the printed one."""
    return method.removeprefix(printed).lstrip(", ")


def is_same_dataset(dataset: str, printed: str) -> bool:
    """Return whether a data set has the paper's name, ignoring case."""
    return dataset.casefold() == printed.casefold()


def is_version(dataset: str, printed: str) -> bool:
    """Return whether a data set is the paper's, or another version of it: ``Arts (reduced)``."""
    return is_same_dataset(dataset, printed) or (
        dataset.casefold().startswith(f"{printed.casefold()} (") and dataset.endswith(")")
    )
