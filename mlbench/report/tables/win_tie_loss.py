"""Wins, ties and losses over data sets, and Wilcoxon's test of the means."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.comparisons.over_datasets import CommonMeans, common_means
from mlbench.comparisons.pairwise_tests import Finding, in_words
from mlbench.comparisons.settings import MetricColumn
from mlbench.config.comparison import Comparison
from mlbench.number_text import NOTHING, counted, listed, p_in_words, p_value
from mlbench.report.tables import comparison_notes
from mlbench.report.tables.comparison_notes import ODD
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.score_notes import holm_over
from mlbench.report.tables.table import Column, Scalar, Table, TableCell, TableRow, slug
from mlbench.statistics import TestResult, decided, holm, smallest_p, wilcoxon
from mlbench.statistics.pairs import differences

WIN, TIE, LOSS = "•", "=", "◦"


@dataclass(frozen=True)
class Tally:
    """A method against another one over all data sets, in one metric."""

    metric: MetricColumn
    against: str
    raw: tuple[int, ...]
    """1, 0 or -1 per data set: a win, a tie or a loss by means."""
    decided: tuple[int, ...]
    """The same by the deciding test, on data sets with enough splits for it."""
    test: TestResult
    """Wilcoxon's test of the means."""
    adjusted: float
    """Its p-value, corrected for the number of methods compared."""
    means: CommonMeans
    alpha: float
    """The level of the tests."""
    n_corrected: int
    """The number of p-values that the correction is for; 1 without one."""

    @property
    def smallest_p(self) -> float:
        """The smallest p-value that so many data sets can have, corrected."""
        found = smallest_p(self.test.n, "exact" if self.test.method == "exact" else "approx")
        return min(1.0, found * self.n_corrected)


def wins_table(data: ReportData, comparison: Comparison, findings: Sequence[Finding]) -> Table:
    """Lay out a method against each of the others over data sets.

    The findings decide which data sets are significant wins and losses.
    """
    metrics = data.settings.judged_metrics
    by_metric = [_tallies(data, comparison, metric, findings) for metric in metrics]
    corrected = comparison.is_corrected
    columns = []
    for metric in metrics:
        titles = ["Means", "Significant", "p"] + ["p (Holm)"] * corrected
        columns += [Column(title, group=metric.heading) for title in titles]
    rows = [
        TableRow(
            (of_one[0].against,),
            tuple(c for tally in of_one for c in _cells(tally, len(data.datasets), corrected)),
        )
        for of_one in zip(*by_metric, strict=True)
    ]
    tallies = [tally for each in by_metric for tally in each]
    return Table(
        name=slug(f"wins-{comparison.method}"),
        title=f"{comparison.method} against the others over data sets",
        corner=("Against",),
        columns=tuple(columns),
        rows=tuple(rows),
        bold_means=comparison_notes.meaning_of_bold(corrected, comparison.alpha),
        bold_mark=comparison_notes.SIGNIFICANT,
        notes=tuple(_notes(tallies, comparison, findings, data.datasets)),
        records=tuple(_record(tally, comparison) for tally in tallies),
    )


def _tallies(
    data: ReportData,
    comparison: Comparison,
    metric: MetricColumn,
    findings: Sequence[Finding],
) -> list[Tally]:
    means = [
        common_means(data.results, (comparison.method, other), data.datasets, metric.name)
        for other in comparison.others
    ]
    pairs = [np.array(each.rows).reshape(-1, 2).T for each in means]
    tests = [wilcoxon(a, b) for a, b in pairs]
    adjusted, n_corrected = [test.p_value for test in tests], 1
    if comparison.correction == "holm":
        n_corrected = max(1, sum(not math.isnan(p) for p in adjusted))
        adjusted = holm(adjusted).tolist()
    better = 1 if metric.greater_is_better else -1
    tallies = []
    for i, other in enumerate(comparison.others):
        if other not in data.methods:
            continue
        here = [f for f in findings if (f.metric, f.against) == (metric.name, other)]
        tested = [f for f in here if not math.isnan(f.adjusted[f.headline])]
        tallies.append(
            Tally(
                metric,
                other,
                tuple(better * int(np.sign(d)) for d in differences(*pairs[i]).values),
                tuple(f.decision() for f in tested),
                tests[i],
                adjusted[i],
                means[i],
                comparison.alpha,
                n_corrected,
            )
        )
    return tallies


def _cells(tally: Tally, n_datasets: int, corrected: bool) -> list[TableCell]:
    untested = (ODD,) if len(tally.decided) < n_datasets else ()
    odd = (ODD,) if tally.test.note else ()
    better = tally.metric.greater_is_better
    sign = decided(tally.adjusted, tally.test.direction, better, tally.alpha)
    marks = odd if math.isnan(tally.adjusted) else ((TIE, WIN, LOSS)[sign], *odd)
    return [
        TableCell(win_tie_loss_counts(tally.raw)),
        TableCell(win_tie_loss_counts(tally.decided) if tally.decided else NOTHING, marks=untested),
        *([TableCell(p_value(tally.test.p_value), marks=odd)] if corrected else []),
        TableCell(p_value(tally.adjusted), bold=sign != 0, marks=marks),
    ]


def _notes(
    tallies: Sequence[Tally],
    comparison: Comparison,
    findings: Sequence[Finding],
    datasets: Sequence[str],
) -> list[str]:
    tested = [finding for finding in findings if finding.is_tested]
    by_test = "by tests"
    if tested:
        headlines = listed(list(dict.fromkeys(in_words(each.headline) for each in tested)))
        after = f", {holm_over(tested)}" if comparison.is_corrected else ""
        by_test = f"by the {headlines} on each ({comparison.alpha:g}{after})"
    forms = comparison_notes.forms_used([tally.test for tally in tallies])
    notes = [
        f"Data sets won / tied / lost by {comparison.method}: by means, and {by_test}.",
        f"p: Wilcoxon signed-rank test of the means, two-sided, one pair per data set "
        f"({forms}). {WIN} / {TIE} / {LOSS}: "
        f"{comparison.method} is significantly better / neither / significantly worse over data "
        "sets.",
    ]
    best = min(tallies, key=lambda tally: (tally.smallest_p, -tally.test.n))
    if best.smallest_p >= comparison.alpha:
        notes.append(
            f"With {counted(best.test.n, 'data set')} p cannot fall below "
            f"{p_in_words(best.smallest_p)}"
            f"{' after Holm' if best.n_corrected > 1 else ''}: no verdict is possible."
        )
    untested = [
        f"{tally.metric.title}, {tally.against}: {len(datasets) - len(tally.decided)}"
        for tally in tallies
        if len(tally.decided) < len(datasets)
    ]
    if untested:
        notes.append(f"{ODD} Data sets without a test: {'; '.join(untested)}.")
    odd: dict[str, dict[str, None]] = {}
    for tally in tallies:
        if tally.test.note:
            name = f"{tally.metric.title}, {tally.against}"
            odd.setdefault(tally.test.note, {})[name] = None
    if odd:
        every = {f"{tally.metric.title}, {tally.against}" for tally in tallies}
        words = (
            f"{'all' if {*names} == every else ', '.join(names)}: {note}"
            for note, names in odd.items()
        )
        notes.append(f"{ODD} {'; '.join(words)}.")
    means = [(tally.against, tally.means) for tally in tallies]
    return notes + comparison_notes.notes_on_means(means)


def _record(tally: Tally, comparison: Comparison) -> dict[str, Scalar]:
    signs = {"raw": tally.raw, "significant": tally.decided}
    return {
        "metric": tally.metric.name,
        "method": comparison.method,
        "against": tally.against,
        **{
            f"{what}_{name}": each.count(sign)
            for what, each in signs.items()
            for name, sign in (("wins", 1), ("ties", 0), ("losses", -1))
        },
        "n_datasets": tally.test.n,
        "statistic": tally.test.statistic,
        "p_value": tally.test.p_value,
        "p_adjusted": tally.adjusted,
        "computed": tally.test.method,
        "scipy_version": tally.test.scipy_version,
        "note": tally.test.note,
    }


def win_tie_loss_counts(signs: Sequence[int]) -> str:
    """Return ``wins/ties/losses``."""
    return "/".join(str(signs.count(sign)) for sign in (1, 0, -1))
