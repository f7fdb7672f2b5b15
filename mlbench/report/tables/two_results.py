"""The table of two results folders: their means, the differences, and tests of these."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mlbench.options import Test
from mlbench.report.common_splits import CommonSplits, Place, Series
from mlbench.report.numbers import NOTHING, ScoreFormat, counted, p_value, score_format
from mlbench.report.results import Results
from mlbench.report.settings import Comparison, MetricColumn
from mlbench.report.tables.comparison_notes import (
    FEWER,
    ODD,
    RANK_TESTS,
    notes_on_wilcoxon,
)
from mlbench.report.tables.effect_sizes import effect_cell, effect_heading
from mlbench.report.tables.pairwise_tests import TITLES, Finding, compare
from mlbench.report.tables.table import Column, Scalar, Table, TableCell, TableRow, slug
from mlbench.statistics import holm

A, B = "A", "B"
UNPAIRED = "¶"
ALPHA = 0.05
_NAMED = 5


@dataclass(frozen=True)
class TwoResults:
    """What is compared, and how.

    Attributes
    ----------
    a, b : str
        Names of the folders.
    common : CommonSplits
    metrics : sequence of MetricColumn
        A table each.
    ratios : mapping of data set to float
        Size of a test part over that of a training part.
    test : str
        Of :data:`mlbench.options.TESTS`.
    percent, decimals
        As in :class:`mlbench.report.ReportSettings`.
    """

    a: str
    b: str
    common: CommonSplits
    metrics: Sequence[MetricColumn]
    ratios: Mapping[str, float]
    test: Test = "corrected_t"
    percent: bool = True
    decimals: int | None = None


def two_results_tables(asked: TwoResults) -> list[Table]:
    """Lay out two results folders side by side, a table per metric.

    Means and tests of a row are over the splits in common. Where splits are not the same, means
    are over all splits of each folder, and nothing is tested. Holm's correction is for all tests
    of all tables.
    """
    columns = {metric.name: metric for metric in asked.metrics}
    lines = [
        (series, _finding(series, columns[series.metric], asked)) for series in asked.common.series
    ]
    tested = [
        math.nan if found is None or asked.test not in found.tests else found.adjusted[asked.test]
        for _, found in lines
    ]
    adjusted = holm(tested).tolist()
    final = [
        (series, None if found is None else replace(found, adjusted={asked.test: p}))
        for (series, found), p in zip(lines, adjusted, strict=True)
    ]
    number = sum(not math.isnan(p) for p in tested)
    return [
        _table([line for line in final if line[0].metric == metric.name], metric, asked, number)
        for metric in asked.metrics
    ]


def _finding(series: Series, metric: MetricColumn, asked: TwoResults) -> Finding | None:
    """Test B against A as two methods on the splits that they have in common."""
    if series.differing:
        return None
    values = [
        (series.dataset, name, split, series.metric, scores[split])
        for name, scores in ((A, series.a), (B, series.b))
        for split in scores
    ]
    results = Results(values, (), len(series.a.keys() | series.b.keys()))
    found = compare(
        results,
        Comparison(B, (A,), (asked.test,), "none", ("difference",)),
        series.dataset,
        series.metric,
        asked.ratios.get(series.dataset),
        metric.greater_is_better,
        ALPHA,
    )
    return found[0] if found else None


def _table(
    lines: Sequence[tuple[Series, Finding | None]],
    metric: MetricColumn,
    asked: TwoResults,
    n_tests: int,
) -> Table:
    style = score_format(metric, asked.percent, asked.decimals)
    title = TITLES[asked.test]
    columns = (
        Column("A"),
        Column("B"),
        Column("Difference"),
        Column(effect_heading("difference", ALPHA)),
        Column("Splits"),
        Column("p", title),
        Column("p (Holm)", title),
    )
    return Table(
        name=slug(f"compare-{metric.name}"),
        title=f"{metric.heading}: {asked.a} (A) and {asked.b} (B)",
        corner=("Data set", "Method"),
        columns=columns,
        rows=tuple(
            TableRow((series.dataset, series.method), _cells(series, found, asked.test, style))
            for series, found in lines
        ),
        bold_means=f"significant at {ALPHA:g} after Holm's correction",
        notes=tuple(_notes(lines, metric, asked, style, n_tests)),
        records=tuple(_record(series, found, asked.test) for series, found in lines),
    )


def _cells(
    series: Series, found: Finding | None, test: Test, style: ScoreFormat
) -> tuple[TableCell, ...]:
    a, b = _used(series)
    mean_a, mean_b = _mean(a), _mean(b)
    means = [TableCell(style.score(mean, _std(each))) for mean, each in ((mean_a, a), (mean_b, b))]
    difference = TableCell(style.signed(mean_b - mean_a))
    if found is None or test not in found.tests:
        marks = (UNPAIRED,) if series.differing else ()
        nothing = TableCell(NOTHING, marks=marks)
        splits = TableCell(str(len(series.common)), marks=marks)
        return (*means, difference, nothing, splits, nothing, nothing)
    result, p = found.tests[test], found.adjusted[test]
    odd = (ODD,) if result.note else ()
    fewer = (FEWER,) if result.n < found.n_splits else ()
    return (
        *means,
        difference,
        effect_cell(found.effects["difference"], style),
        TableCell(str(result.n), marks=fewer),
        TableCell(p_value(result.p_value), marks=odd),
        TableCell(p_value(p), bold=p < ALPHA),
    )


def _used(series: Series) -> tuple[list[float], list[float]]:
    """Return the scores behind the means: of the common splits, or all where none can be paired."""
    if series.differing:
        return list(series.a.values()), list(series.b.values())
    return [series.a[s] for s in series.common], [series.b[s] for s in series.common]


def _mean(scores: Sequence[float]) -> float:
    return float(np.mean(scores)) if scores else math.nan


def _std(scores: Sequence[float]) -> float:
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else math.nan


def _notes(
    lines: Sequence[tuple[Series, Finding | None]],
    metric: MetricColumn,
    asked: TwoResults,
    style: ScoreFormat,
    n_tests: int,
) -> list[str]:
    unit = " in percentage points" if style.factor != 1 else ""
    better = "positive" if metric.greater_is_better else "negative"
    notes = [
        "Mean ± standard deviation (ddof = 1) over the splits that A and B have in common. "
        f"Difference: B minus A{unit}; {better} favors B.",
        f"p: {TITLES[asked.test]}, paired over the common splits, two-sided; Holm: corrected for "
        f"{counted(n_tests, 'test')}. The interval has the variance of the corrected t-test "
        "and is not corrected for their number.",
    ]
    findings = [found for _, found in lines if found is not None and asked.test in found.tests]
    if asked.test in RANK_TESTS and findings:
        notes += notes_on_wilcoxon(findings, Comparison(B, (A,), (asked.test,), "none"), asked.test)
    elif asked.test != "corrected_t":
        notes.append(f"The {TITLES[asked.test]} ignores that splits share samples.")
    notes += [
        f"{FEWER} {place}: {len(series.common)} common splits; {len(series.a)} in A, "
        f"{len(series.b)} in B."
        for place, series in ((f"{s.dataset}/{s.method}", s) for s, _ in lines)
        if not series.differing and set(series.a) != set(series.b)
    ]
    differing = [
        (series.differing, (series.dataset, series.method))
        for series, _ in lines
        if series.differing
    ]
    notes += [
        f"{UNPAIRED} Not the same splits, so not paired; means are over all splits of each: "
        f"{reason}: {places}."
        for reason, places in _grouped(differing)
    ]
    odd = [
        (note, (series.dataset, series.method))
        for series, found in lines
        if found is not None
        for note in dict.fromkeys(
            (
                *(result.note for result in found.tests.values()),
                *(effect.note for effect in found.effects.values()),
            )
        )
        if note
    ]
    notes += [f"{ODD} {note}: {places}." for note, places in _grouped(odd)]
    for name, only in ((A, asked.common.only_a), (B, asked.common.only_b)):
        if only:
            notes.append(f"Only in {name}: {_listed(only)}.")
    return notes


def _grouped(pairs: Sequence[tuple[str, Place]]) -> list[tuple[str, str]]:
    """Return each text once, with the places that it is about."""
    places: dict[str, list[Place]] = {}
    for text, place in pairs:
        places.setdefault(text, []).append(place)
    return [(text, _listed(each)) for text, each in places.items()]


def _listed(places: Sequence[Place]) -> str:
    named = [f"{dataset}/{method}" for dataset, method in places[:_NAMED]]
    more = len(places) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _record(series: Series, found: Finding | None, test: Test) -> dict[str, Scalar]:
    a, b = _used(series)
    result = None if found is None else found.tests.get(test)
    effect = None if found is None else found.effects["difference"]
    mean_a, mean_b = _mean(a), _mean(b)
    return {
        "dataset": series.dataset,
        "method": series.method,
        "metric": series.metric,
        "mean_a": mean_a,
        "std_a": _std(a),
        "mean_b": mean_b,
        "std_b": _std(b),
        "difference": mean_b - mean_a,
        "low": math.nan if effect is None else effect.low,
        "high": math.nan if effect is None else effect.high,
        "n_common": len(series.common),
        "n_a": len(series.a),
        "n_b": len(series.b),
        "test": test,
        "statistic": math.nan if result is None else result.statistic,
        "p_value": math.nan if result is None else result.p_value,
        "p_adjusted": math.nan if found is None or result is None else found.adjusted[test],
        "note": series.differing or ("" if result is None else result.note),
    }
