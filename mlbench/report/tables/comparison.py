"""The table of a comparison: p-values of one method against others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from mlbench.comparisons.pairwise_tests import TITLES, Finding
from mlbench.comparisons.settings import MetricColumn
from mlbench.config.comparison import Comparison
from mlbench.number_text import (
    NOTHING,
    ScoreFormat,
    by_reason,
    counted,
    counted_from_to,
    listed,
    p_value,
)
from mlbench.report.tables.comparison_notes import (
    FEWER,
    ODD,
    RANK_TESTS,
    SIGNIFICANT,
    meaning_of_bold,
    notes_on_jackknife,
    notes_on_oddities,
    notes_on_wilcoxon,
)
from mlbench.report.tables.effect_sizes import (
    effect_cell,
    effect_heading,
    effect_records,
    notes_on_effects,
)
from mlbench.report.tables.table import Column, Scalar, Source, Table, TableCell, TableRow, slug
from mlbench.statistics.compare import WITH_CORRECTED
from mlbench.statistics.resolution import MAX_RATIO


def comparison_table(
    findings: Sequence[Finding],
    comparison: Comparison,
    metric: MetricColumn,
    style: ScoreFormat,
) -> Table:
    """Lay out one comparison in one metric, a row per data set and method.

    If there is no p-value at all, the table is a single sentence that says why.
    """
    name = slug(f"compare-{comparison.method}-{metric.name}")
    title = f"{metric.heading}: {comparison.method} against the others"
    records = tuple(record for finding in findings for record in records_of(finding))
    if all(math.isnan(r.p_value) for finding in findings for r in finding.tests.values()):
        sentence = f"{metric.title} is not tested: {_why_untested(findings)}."
        return Table(name, title, (), (), (), notes=(sentence,), records=records)
    tests = list(dict.fromkeys(name for finding in findings for name in finding.tests))
    corrected = comparison.is_corrected
    effects = tuple(dict.fromkeys(comparison.effect))
    difference = Column("Difference", greater_is_better=metric.greater_is_better)
    columns = [difference, Column("Pairs")]
    columns += [Column(effect_heading(effect, comparison.alpha)) for effect in effects]
    for test in tests:
        group = TITLES[test]
        columns += (
            [Column("p", group), Column("p (Holm)", group)] if corrected else [Column("p", group)]
        )
    rows = tuple(_row(finding, tests, style, corrected) for finding in findings)
    return Table(
        name=name,
        title=title,
        corner=("Data set", "Against"),
        columns=tuple(columns),
        rows=rows,
        bold_means=meaning_of_bold(corrected, comparison.alpha),
        bold_mark=SIGNIFICANT,
        caption=(
            f"{metric.heading} of {comparison.method} against "
            f"{counted(len({f.against for f in findings}), 'method')}: paired differences and tests"
        ),
        notes=(
            *_notes(findings, comparison, tests, metric, style),
            *notes_on_effects(
                effects, comparison.method, [comparison.rope], [comparison.alpha], tests
            ),
            *notes_on_oddities(findings, tests, effects),
        ),
        records=records,
    )


def _why_untested(findings: Sequence[Finding]) -> str:
    if not any(finding.is_tested for finding in findings):
        return "fewer than two splits on which both methods have a score"
    return listed(
        list(dict.fromkeys(r.note or "undefined" for f in findings for r in f.tests.values()))
    )


def _row(finding: Finding, tests: list[str], style: ScoreFormat, corrected: bool) -> TableRow:
    shared = finding.any_test
    fewer = (FEWER,) if shared.n < finding.n_splits else ()
    difference = TableCell(style.signed(shared.mean_difference), marks=() if shared.n else fewer)
    cells = [difference, TableCell(str(shared.n), marks=fewer)]
    cells += [effect_cell(effect, style) for effect in finding.effects.values()]
    for name in tests:
        if name not in finding.tests:
            cells += [TableCell(NOTHING, marks=(ODD,))] * (1 + corrected)
            continue
        result, final = finding.tests[name], finding.adjusted[name]
        marks = (ODD,) if result.note else ()
        if corrected:
            cells.append(TableCell(p_value(result.p_value), marks=marks))
            marks = marks if math.isnan(final) else ()
        cells.append(TableCell(p_value(final), bold=final < finding.alpha, marks=marks))
    source = Source(finding.dataset, finding.metric)
    sourced = tuple(replace(cell, source=source) for cell in cells)
    return TableRow((finding.dataset, finding.against), sourced)


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
        f"{better} favors {comparison.method}. A pair is a split on which both have a score. "
        "p-values are two-sided."
    ]
    numbers = [number for f in findings for number in f.n_corrected.values()]
    if comparison.is_corrected and numbers:
        notes.append(
            f"Holm: corrected for the {counted_from_to(numbers, 'method')} tested on one data set."
        )
    others = [name for name in tests if name not in ("corrected_t", "jackknife_t")]
    if "corrected_t" in tests and others:
        ignoring = "the other tests ignore"
        if others == ["t"]:
            ignoring = "the plain t-test ignores"
        elif set(others) <= {*RANK_TESTS}:
            ignoring = "Wilcoxon's test ignores"
        notes.append(
            "Decide by the corrected t-test (Nadeau and Bengio): splits share samples, which "
            f"{ignoring}."
        )
    lacking = {
        f.dataset: f.uncorrected for f in findings if "corrected_t" not in f.tests and f.is_tested
    }
    if lacking and {*WITH_CORRECTED, "corrected_t"} & set(comparison.test):
        for reason, names in by_reason(lacking):
            mark = f"{ODD} " if "corrected_t" in tests else ""
            notes.append(f"{mark}No corrected t-test on {names}: {reason}.")
    if "jackknife_t" in tests:
        notes.append(
            "Where there is a jackknife t-test, decide by it: the corrected t-test is too careful "
            f"for test parts more than {MAX_RATIO:g} times as large as training parts."
        )
    notes += notes_on_jackknife(findings, comparison)
    for name in RANK_TESTS:
        if name in tests:
            made = [f for f in findings if name in f.tests]
            number = max(f.n_corrected.get(name, 1) for f in made)
            notes += notes_on_wilcoxon([f.tests[name] for f in made], number)
    return notes


def records_of(finding: Finding) -> list[dict[str, Scalar]]:
    """Return the unrounded numbers of a finding, one mapping per test and effect size."""
    tests: list[dict[str, Scalar]] = [
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
            "scipy_version": result.scipy_version,
            "note": result.note,
        }
        for name, result in finding.tests.items()
    ]
    return tests + effect_records(finding)
