"""The table of two results folders: their means, the differences, and tests of these."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mlbench.comparisons.pairwise_tests import TITLES
from mlbench.comparisons.settings import MetricColumn
from mlbench.number_text import NOTHING, ScoreFormat, counted, p_value, score_format
from mlbench.options import Test
from mlbench.report.common_splits import CommonSplits, PairedSeries
from mlbench.report.tables.comparison_notes import (
    FEWER,
    ODD,
    RANK_TESTS,
    SIGNIFICANT,
    meaning_of_bold,
    notes_on_wilcoxon,
)
from mlbench.report.tables.effect_sizes import effect_cell, effect_heading
from mlbench.report.tables.table import Column, Scalar, Table, TableCell, TableRow, slug
from mlbench.results.scores import SeriesKey
from mlbench.statistics import ALPHA, Compared, PairedScores, TestResult, compare, corrected

A, B = "A", "B"
UNPAIRED = "¶"
SAME = "§"
_NAMED = 5


@dataclass(frozen=True)
class TwoResults:
    """What is compared, and how."""

    a: str
    """Name of the first folder."""
    b: str
    common: CommonSplits
    metrics: Sequence[MetricColumn]
    """One for each table."""
    ratios: Mapping[str, float]
    """By data set: size of a test part over that of a training part."""
    test: Test = "corrected_t"
    """Of :data:`mlbench.options.TESTS`."""
    percent: bool = True
    decimals: int | None = None
    """As in :class:`mlbench.report.ReportSettings`."""
    alpha: float = ALPHA
    """The level of the tests; 1 minus the level is that of the intervals."""
    changes: Sequence[str] = ()
    """What else differs behind the scores, in sentences."""


@dataclass(frozen=True)
class Line:
    """A row: scores in both folders, and what compares them, if the splits are the same."""

    series: PairedSeries
    test: str
    compared: Compared | None = None
    """What the splits in common say; None if the splits are not the same or nothing differs."""

    @property
    def result(self) -> TestResult | None:
        """The test, if it was made."""
        return None if self.compared is None else self.compared.tests.get(self.test)

    @property
    def adjusted(self) -> float:
        """The p-value after Holm's correction; NaN if nothing was tested."""
        return math.nan if self.compared is None else self.compared.adjusted[self.test]

    @cached_property
    def scores(self) -> tuple[list[float], list[float]]:
        """The scores behind the means: of the common splits, or all if none can be paired."""
        series = self.series
        if series.differing:
            return list(series.a.values()), list(series.b.values())
        return [series.a[s] for s in series.common], [series.b[s] for s in series.common]

    @cached_property
    def means(self) -> list[float]:
        """The means in A and B."""
        return [float(np.mean(each)) if each else math.nan for each in self.scores]

    @cached_property
    def stds(self) -> list[float]:
        """The standard deviations (ddof = 1) in A and B."""
        return [float(np.std(s, ddof=1)) if len(s) > 1 else math.nan for s in self.scores]

    @property
    def difference(self) -> float:
        """The mean in B minus that in A."""
        return self.means[1] - self.means[0]

    @property
    def lacks(self) -> str:
        """The folder that has no score at all, if one has none."""
        return "" if self.series.a and self.series.b else B if self.series.a else A

    @property
    def n_splits(self) -> int:
        """Splits with a score in either folder."""
        return len(self.series.a.keys() | self.series.b.keys())


def two_results_tables(asked: TwoResults) -> list[Table]:
    """Lay out two results folders side by side, a table per metric.

    Means and tests of a row are over the splits in common. If the splits are not the same, means
    are over all splits of each folder, and nothing is tested; nor are cells that are the same in
    both. Holm's correction is for all tests of all tables.
    """
    columns = {metric.name: metric for metric in asked.metrics}
    lines = [_line(series, columns[series.metric], asked) for series in asked.common.series]
    found = iter(corrected([line.compared for line in lines if line.compared is not None]))
    lines = [
        line if line.compared is None else replace(line, compared=next(found)) for line in lines
    ]
    number = sum(not math.isnan(line.adjusted) for line in lines)
    return [
        _table([line for line in lines if line.series.metric == metric.name], metric, asked, number)
        for metric in asked.metrics
    ]


def _line(series: PairedSeries, metric: MetricColumn, asked: TwoResults) -> Line:
    """Compare B with A on the splits that they have in common."""
    if series.differing or series.is_same_result:
        return Line(series, asked.test)
    found = compare(
        PairedScores.of(series.b, series.a),
        [asked.test],
        asked.ratios.get(series.dataset),
        greater_is_better=metric.greater_is_better,
        alpha=asked.alpha,
    )
    return Line(series, asked.test, found if asked.test in found.tests else None)


def _table(lines: Sequence[Line], metric: MetricColumn, asked: TwoResults, n_tests: int) -> Table:
    style = score_format(metric.is_fraction, asked.percent, asked.decimals)
    title = TITLES[asked.test]
    columns = (
        Column("A"),
        Column("B"),
        Column("Difference"),
        Column(effect_heading("difference", asked.alpha)),
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
            TableRow(line.series.place, _cells(line, style)) for line in lines if not line.lacks
        ),
        bold_means=meaning_of_bold(True, asked.alpha) if n_tests else "",
        bold_mark=SIGNIFICANT,
        notes=tuple(_notes(lines, metric, asked, style, n_tests)),
        records=tuple(_record(line, asked.test) for line in lines),
    )


def _cells(line: Line, style: ScoreFormat) -> tuple[TableCell, ...]:
    cells = [TableCell(style.score(*each)) for each in zip(line.means, line.stds, strict=True)]
    cells.append(TableCell(style.signed(line.difference)))
    if line.compared is None or line.result is None:
        marks = (UNPAIRED,) if line.series.differing else (SAME,) * line.series.is_same_result
        nothing = TableCell(NOTHING, marks=marks)
        splits = TableCell(str(len(line.series.common)), marks=marks)
        return (*cells, nothing, splits, nothing, nothing)
    fewer = (FEWER,) if line.result.n < line.n_splits else ()
    odd = (ODD,) if line.result.note else ()
    return (
        *cells,
        effect_cell(line.compared.difference, style),
        TableCell(str(line.result.n), marks=fewer),
        TableCell(p_value(line.result.p_value), marks=odd),
        TableCell(p_value(line.adjusted), bold=line.adjusted < line.compared.alpha),
    )


def _notes(
    lines: Sequence[Line],
    metric: MetricColumn,
    asked: TwoResults,
    style: ScoreFormat,
    n_tests: int,
) -> list[str]:
    lacking = [(line.lacks, line.series.place) for line in lines]
    lines = [line for line in lines if not line.lacks]
    unit = " in percentage points" if style.factor != 1 else ""
    better = "positive" if metric.greater_is_better else "negative"
    favored = f"; {better} favors B" if metric.is_quality else ""
    paired = any(not line.series.differing for line in lines)
    over = "over the splits that A and B have in common" if paired else "over splits"
    notes = [
        f"Mean ± standard deviation (ddof = 1) {over}. Difference: B minus A{unit}{favored}.",
    ]
    if n_tests:
        notes.append(
            f"p: {TITLES[asked.test]}, paired over the common splits, two-sided; Holm: corrected "
            f"for {counted(n_tests, 'test')}. The interval has the variance of the corrected "
            "t-test and is not corrected for their number."
        )
    results = [line.result for line in lines if line.result is not None]
    if asked.test in RANK_TESTS and results:
        notes += notes_on_wilcoxon(results)
    elif asked.test != "corrected_t":
        notes.append(f"The {TITLES[asked.test]} ignores that splits share samples.")
    every = [line.series for line in lines]
    fewer = [
        (
            f"{counted(len(each.common), 'common split')}; {len(each.a)} in A, {len(each.b)} in B",
            each.place,
        )
        for each in every
        if not each.differing and set(each.a) != set(each.b)
    ]
    notes += [f"{FEWER} {places}: {numbers}." for numbers, places in _grouped(fewer)]
    differing = [(series.differing, series.place) for series in every]
    notes += [
        f"{UNPAIRED} Not the same splits, so not paired; means are over all splits of each: "
        f"{reason}: {places}."
        for reason, places in _grouped(differing)
    ]
    if same := [series.place for series in every if series.is_same_result]:
        notes.append(f"{SAME} The same cells with the same scores, so not tested: {_listed(same)}.")
    odd = [
        (note, line.series.place)
        for line in lines
        if line.compared is not None and line.result is not None
        for note in dict.fromkeys((line.result.note, line.compared.difference.note))
    ]
    notes += [f"{ODD} {note}: {places}." for note, places in _grouped(odd)]
    notes += [f"No score in {name}: {places}." for name, places in _grouped(lacking)]
    for name, only in ((A, asked.common.only_a), (B, asked.common.only_b)):
        if only:
            notes.append(f"Only in {name}: {_listed(only)}.")
    return [*notes, *asked.changes]


def _grouped(pairs: Sequence[tuple[str, SeriesKey]]) -> list[tuple[str, str]]:
    """Return each text that is not empty, with the places it applies to."""
    places: dict[str, list[SeriesKey]] = {}
    for text, place in pairs:
        places.setdefault(text, []).append(place)
    return [(text, _listed(each)) for text, each in places.items() if text]


def _listed(places: Sequence[SeriesKey]) -> str:
    named = [f"{dataset}/{method}" for dataset, method in places[:_NAMED]]
    more = len(places) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _record(line: Line, test: Test) -> dict[str, Scalar]:
    series, result = line.series, line.result
    interval = None if line.compared is None else line.compared.difference
    return {
        "dataset": series.dataset,
        "method": series.method,
        "metric": series.metric,
        "mean_a": line.means[0],
        "std_a": line.stds[0],
        "mean_b": line.means[1],
        "std_b": line.stds[1],
        "difference": line.difference,
        "low": math.nan if interval is None else interval.low,
        "high": math.nan if interval is None else interval.high,
        "n_common": len(series.common),
        "n_a": len(series.a),
        "n_b": len(series.b),
        "test": test,
        "statistic": math.nan if result is None else result.statistic,
        "p_value": math.nan if result is None else result.p_value,
        "p_adjusted": line.adjusted,
        "note": series.differing
        or ("same cells" if series.is_same_result else "" if result is None else result.note),
    }
