"""The table of a comparison: p-values of one method against others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlbench.report.findings import TITLES, Finding
from mlbench.report.numbers import ScoreFormat, listed, p_value
from mlbench.report.settings import Comparison, MetricColumn
from mlbench.report.table import Column, Scalar, Table, TableCell, TableRow, slug
from mlbench.statistics import smallest_p

FEWER = "†"
ODD = "‡"


def comparison_table(
    findings: Sequence[Finding],
    comparison: Comparison,
    metric: MetricColumn,
    style: ScoreFormat,
    alpha: float,
) -> Table:
    """Lay out the findings of one comparison in one metric, a row per data set and method.

    Where no p-value exists at all, one sentence says so.
    """
    name = slug(f"compare-{comparison.method}-{metric.name}")
    title = f"{metric.heading}: {comparison.method} against the others"
    records = tuple(record for finding in findings for record in records_of(finding))
    if all(math.isnan(r.p_value) for finding in findings for r in finding.tests.values()):
        sentence = f"{metric.title} is not tested: {_why_untested(findings)}."
        return Table(name, title, (), (), (), notes=(sentence,), records=records)
    tests = list(dict.fromkeys(name for finding in findings for name in finding.tests))
    corrected = comparison.correction == "holm" and opponents(comparison) > 1
    columns = [Column("Difference"), Column("Pairs")]
    for test in tests:
        group = TITLES[test]
        columns += (
            [Column("p", group), Column("p (Holm)", group)] if corrected else [Column("p", group)]
        )
    rows = tuple(_row(finding, tests, style, alpha, corrected) for finding in findings)
    return Table(
        name=name,
        title=title,
        corner=("Data set", "Against"),
        columns=tuple(columns),
        rows=rows,
        bold_means=f"significant at {alpha:g}" + (" after Holm's correction" if corrected else ""),
        notes=tuple(_notes(findings, comparison, tests, metric, style)),
        records=records,
    )


def _why_untested(findings: Sequence[Finding]) -> str:
    if not any(finding.is_tested for finding in findings):
        return "fewer than two splits on which both methods have a score"
    return listed(
        list(dict.fromkeys(r.note or "undefined" for f in findings for r in f.tests.values()))
    )


def _row(
    finding: Finding, tests: list[str], style: ScoreFormat, alpha: float, corrected: bool
) -> TableRow:
    shared = finding.any_test
    pairs = TableCell(str(shared.n), marks=(FEWER,) if shared.n < finding.n_splits else ())
    cells = [TableCell(style.signed(shared.mean_difference)), pairs]
    for name in tests:
        if name not in finding.tests:
            cells += [TableCell("—")] * (1 + corrected)
            continue
        result = finding.tests[name]
        final = finding.adjusted[name]
        plain = TableCell(p_value(result.p_value), marks=(ODD,) if result.note else ())
        decisive = TableCell(
            p_value(final), bold=final < alpha, marks=() if corrected else plain.marks
        )
        cells += [plain, decisive] if corrected else [decisive]
    return TableRow((finding.dataset, finding.against), tuple(cells))


def _notes(
    findings: Sequence[Finding],
    comparison: Comparison,
    tests: list[str],
    metric: MetricColumn,
    style: ScoreFormat,
) -> list[str]:
    unit = " in percentage points" if style.factor != 1 else ""
    better = "positive" if metric.greater_is_better else "negative"
    notes = [
        f"Difference: mean over pairs of {comparison.method} minus the other{unit}; "
        f"{better} favours {comparison.method}. A pair is a split on which both have a score. "
        "p-values are two-sided."
    ]
    if comparison.correction == "holm" and opponents(comparison) > 1:
        notes.append(
            f"Holm: corrected for the {opponents(comparison)} methods compared on one "
            "data set; a test that could not be made does not count."
        )
    if "corrected_t" in tests:
        notes.append(
            "Believe the corrected t-test (Nadeau and Bengio): splits share samples, which the "
            "plain t-test ignores."
        )
    lacking = [f.dataset for f in findings if "corrected_t" not in f.tests and f.is_tested]
    if lacking and {"t", "corrected_t"} & set(comparison.tests):
        names = listed(list(dict.fromkeys(lacking)))
        notes.append(f"No corrected t-test on {names}: the sizes of the splits are not known.")
    if "wilcoxon" in tests:
        notes += notes_on_wilcoxon(findings, comparison)
    return notes + notes_on_oddities(findings, tests)


def notes_on_oddities(findings: Sequence[Finding], tests: Sequence[str]) -> list[str]:
    """Say which tests had fewer pairs than there are splits, and which went another way."""
    notes = []
    few = dict.fromkeys(
        f"{finding.dataset}, {finding.against}: {finding.any_test.n} of {finding.n_splits}"
        for finding in findings
        if finding.any_test.n < finding.n_splits
    )
    if few:
        notes.append(f"{FEWER} Fewer pairs than splits: {'; '.join(few)}.")
    odd = dict.fromkeys(
        f"{finding.dataset}, {finding.against}: {result.note}"
        for finding in findings
        for name, result in finding.tests.items()
        if name in tests and result.note
    )
    if odd:
        notes.append(f"{ODD} {'; '.join(odd)}.")
    return notes


def notes_on_wilcoxon(findings: Sequence[Finding], comparison: Comparison) -> list[str]:
    """Say how the signed-rank test was made, and how small its p-values can be."""
    results = [f.tests["wilcoxon"] for f in findings if "wilcoxon" in f.tests]
    zeros = {
        "wilcox": "pairs that do not differ are dropped",
        "pratt": "pairs that do not differ are ranked, then dropped (Pratt)",
        "zsplit": "pairs that do not differ count half for each side",
    }[comparison.zero_method]
    methods = {"exact": "exact distribution", "approx": "normal approximation"}
    used = listed([methods[m] for m in dict.fromkeys(r.method for r in results)])
    version = results[0].scipy_version
    notes = [f"Wilcoxon signed-rank: {used}; {zeros} (SciPy {version})."]
    n = max(result.n for result in results)
    method = next(result.method for result in results if result.n == n)
    floor = smallest_p(n, "exact" if method == "exact" else "approx")
    tests = opponents(comparison)
    if comparison.correction == "holm" and tests > 1 and floor * tests >= 0.001:
        notes.append(
            f"With {n} pairs its p cannot fall below {p_value(floor)}, and the smallest of "
            f"{tests} p-values not below {p_value(min(1.0, floor * tests))} after Holm."
        )
    elif (comparison.correction == "none" or tests == 1) and floor >= 0.001:
        notes.append(f"With {n} pairs its p cannot fall below {p_value(floor)}.")
    return notes


def records_of(finding: Finding) -> list[dict[str, Scalar]]:
    """Return the unrounded numbers of a finding, one mapping per test."""
    return [
        {
            "dataset": finding.dataset,
            "metric": finding.metric,
            "method": finding.method,
            "against": finding.against,
            "test": name,
            "statistic": result.statistic,
            "p_value": result.p_value,
            "p_adjusted": finding.adjusted[name],
            "mean_difference": result.mean_difference,
            "n_pairs": result.n,
            "n_splits": finding.n_splits,
            "n_zero": result.n_zero,
            "computed": result.method,
            "zero_method": result.zero_method,
            "scipy_version": result.scipy_version,
            "note": result.note,
        }
        for name, result in finding.tests.items()
    ]


def opponents(comparison: Comparison) -> int:
    """Return how many methods a method is compared with."""
    return len(set(comparison.against) - {comparison.method})
