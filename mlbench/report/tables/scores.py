"""Score tables: mean and deviation over splits, the best, and what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mlbench.report.numbers import NOTHING, ScoreFormat, counted, listed, of_kinds
from mlbench.report.results import UNDEFINED, Results
from mlbench.report.settings import ALPHA, Comparison, MetricColumn
from mlbench.report.tables.convergence_notes import notes_on_unfinished, unfinished_marks
from mlbench.report.tables.pairwise_tests import TITLES, Finding, has_pairs, verdict
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.shades import shades
from mlbench.report.tables.table import Column, Scalar, ScoreCell, Source, Table, TableRow

FEWER = "†"
MAX_NAMED = 6
"""Data sets that a caption names."""
MARKS = (("•", "◦"), ("▪", "▫"), ("▴", "▵"))


@dataclass(frozen=True)
class Place:
    """A column of a score table: a data set, a metric, and how its scores are printed."""

    dataset: str
    metric: MetricColumn
    style: ScoreFormat


def score_cell(results: Results, method: str, place: Place) -> ScoreCell:
    """Summarize the splits of one method on one data set in one metric."""
    dataset, metric = place.dataset, place.metric.name
    scores = np.array(list(results.scores(dataset, method, metric).values()))
    mean = float(scores.mean()) if scores.size else float("nan")
    has_std = scores.size > 1 and np.isfinite(scores).all()
    std = float(scores.std(ddof=1)) if has_std else float("nan")
    failures = results.failures(dataset, method, metric)
    printed = place.style.score(mean, std)
    if failures and not scores.size:
        printed = f"{NOTHING} ({of_kinds(failures)})"
    marks = [FEWER] if failures and scores.size else []
    marks += unfinished_marks(results, method, dataset) if scores.size else []
    return ScoreCell(
        printed=printed,
        marks=tuple(marks),
        source=Source(dataset, metric, method),
        value=mean if scores.size else None,
        mean=mean,
        std=std,
        n=int(scores.size),
        n_splits=results.n_splits(dataset),
        failures=failures,
    )


def score_table(
    data: ReportData, places: Sequence[Place], columns: Sequence[Column], name: str, title: str
) -> Table:
    """Lay out scores, with a row per method and a column per place."""
    results, methods = data.results, data.methods
    by_place = [_column(results, methods, place) for place in places]
    notes = [_note_on_splits(results, places, by_place)]
    for symbols, (comparison, findings) in zip(MARKS, data.findings, strict=False):
        seen = _mark(by_place, methods, places, findings, symbols)
        tested = [finding for finding in findings if finding.is_tested]
        if tested:
            notes.append(_note_on_marks(comparison, tested, symbols, seen))
    for comparison, findings in data.findings:
        notes.append(_note_on_few_pairs(results, comparison, places))
        notes.append(_note_on_unknown_sizes(results, comparison, findings, places))
    if len(data.findings) > len(MARKS):
        notes.append(f"Marks are shown for the first {len(MARKS)} comparisons.")
    cells = [
        (method, place, cell)
        for place, column in zip(places, by_place, strict=True)
        for method, cell in zip(methods, column, strict=True)
    ]
    notes += _notes_on_failures(cells)
    notes += notes_on_unfinished(
        results, [(method, place.dataset, cell.marks) for method, place, cell in cells]
    )
    return Table(
        name=name,
        title=title,
        corner=("Method",),
        columns=tuple(columns),
        rows=tuple(
            TableRow((method,), tuple(column[i] for column in by_place))
            for i, method in enumerate(methods)
        ),
        bold_means="best by printed digits" if any(cell.bold for *_, cell in cells) else "",
        caption=_caption(methods, places),
        notes=tuple(note for note in notes if note),
        records=tuple(_record(*cell) for cell in cells),
    )


def _caption(methods: Sequence[str], places: Sequence[Place]) -> str:
    datasets = list(dict.fromkeys(place.dataset for place in places))
    headings = list(dict.fromkeys(place.metric.heading for place in places))
    where = listed(datasets) if len(datasets) <= MAX_NAMED else f"{len(datasets)} data sets"
    return f"{listed(headings)} of {counted(len(methods), 'method')} on {where}"


def _column(results: Results, methods: Sequence[str], place: Place) -> list[ScoreCell]:
    """Return a column's cells, the best in bold if their means are over the same splits."""
    cells = [score_cell(results, method, place) for method in methods]
    printed = {i: float(place.style.number(c.mean)) for i, c in enumerate(cells) if c.n}
    if len(methods) < 2 or not printed:
        return cells
    splits = [results.scores(place.dataset, methods[i], place.metric.name).keys() for i in printed]
    alike = all(each == splits[0] for each in splits)
    best = max(printed.values()) if place.metric.greater_is_better else min(printed.values())
    looks = shades([cell.value for cell in cells], place.metric.greater_is_better)
    return [
        replace(cell, bold=alike and printed.get(i) == best, look=look)
        for i, (cell, look) in enumerate(zip(cells, looks, strict=True))
    ]


def _mark(
    by_place: Sequence[list[ScoreCell]],
    methods: Sequence[str],
    places: Sequence[Place],
    findings: Sequence[Finding],
    symbols: tuple[str, str],
) -> set[str]:
    """Mark the methods that the tested one beats or loses to; return the symbols used."""
    rows = {name: i for i, name in enumerate(methods)}
    used: set[str] = set()
    for column, place in zip(by_place, places, strict=True):
        for finding in findings:
            here = (finding.dataset, finding.metric) == (place.dataset, place.metric.name)
            sign = verdict(finding, place.metric) if here else 0
            if sign and finding.against in rows:
                symbol = symbols[0] if sign > 0 else symbols[1]
                column[rows[finding.against]] = column[rows[finding.against]].marked(symbol)
                used.add(symbol)
    return used


def _note_on_splits(
    results: Results, places: Sequence[Place], by_place: Sequence[Sequence[ScoreCell]]
) -> str:
    """Say what a score is, its unit, and over how many splits it is taken."""
    stated = {place.dataset: results.n_splits(place.dataset) for place in places}
    most = dict.fromkeys(stated, 0)
    for place, column in zip(places, by_place, strict=True):
        most[place.dataset] = max([most[place.dataset], *(cell.n for cell in column)])
    unfinished = all(most[name] < number for name, number in stated.items())
    numbers = {
        name: f"{most[name]} of {counted(number, 'split')}"
        if unfinished
        else counted(number, "split")
        for name, number in stated.items()
    }
    alike = len(set(numbers.values())) == 1
    named = [f"{text} ({name})" for name, text in numbers.items()]
    splits = next(iter(numbers.values())) if alike else listed(named)
    single = set(stated.values()) == {1} and not unfinished
    units = {place.style.factor for place in places if place.metric.is_fraction}
    unit = "in percent, " if units == {100.0} else ""
    if any("±" in cell.printed for column in by_place for cell in column):
        what = "Mean ± standard deviation (ddof = 1)"
    else:
        what = "Score" if single else "Mean"
    so_far = " so far" if unfinished else ""
    return f"{what}, {unit}{'of' if single else 'over'} {splits}{so_far}."


def _note_on_marks(
    comparison: Comparison,
    findings: Sequence[Finding],
    symbols: tuple[str, str],
    used: set[str],
) -> str:
    tests = listed(list(dict.fromkeys(TITLES[finding.headline] for finding in findings)))
    number = len(set(comparison.against) - {comparison.method})
    holm = f", Holm over {number} methods" if comparison.correction == "holm" and number > 1 else ""
    how = f"({tests}, two-sided, {ALPHA:g}{holm})"
    if not used:
        return f"No method is significantly worse or better than {comparison.method} {how}."
    return (
        f"{symbols[0]} / {symbols[1]}: {comparison.method} is significantly better / worse {how}."
    )


def _note_on_few_pairs(results: Results, comparison: Comparison, places: Sequence[Place]) -> str:
    """Say where the method shares too few splits with every other for any test."""
    lacking: dict[str, list[str]] = {}
    for place in places:
        if not has_pairs(results, comparison, place.dataset, place.metric.name):
            lacking.setdefault(place.dataset, []).append(place.metric.title)
    if not lacking:
        return ""
    each = [
        dataset
        if len(titles) == sum(p.dataset == dataset for p in places)
        else f"{dataset} in {listed(titles)}"
        for dataset, titles in lacking.items()
    ]
    everywhere = sum(map(len, lacking.values())) == len(places)
    where = "" if everywhere else f" on {listed(each)}"
    reason = "fewer than two splits on which both have a score"
    if not comparison.against:
        reason = "there is no other method"
    return f"{comparison.method} against the others{where}: not tested: {reason}."


def _note_on_unknown_sizes(
    results: Results,
    comparison: Comparison,
    findings: Sequence[Finding],
    places: Sequence[Place],
) -> str:
    """Say where only the corrected t-test was asked for and could not be made."""
    if set(comparison.tests) != {"corrected_t"}:
        return ""
    tested = {finding.dataset for finding in findings}
    paired = [
        place.dataset
        for place in places
        if has_pairs(results, comparison, place.dataset, place.metric.name)
    ]
    lacking = [name for name in dict.fromkeys(paired) if name not in tested]
    if not lacking:
        return ""
    return (
        f"{comparison.method} is not tested on {listed(lacking)}: the corrected t-test needs the "
        "sizes of the splits, which are not known."
    )


def _notes_on_failures(cells: Sequence[tuple[str, Place, ScoreCell]]) -> list[str]:
    few: dict[str, None] = {}
    for method, place, cell in cells:
        if cell.failures and cell.n:
            where = f"{method}, {place.dataset}"
            if any(kind == UNDEFINED for kind, _ in cell.failures):
                where += f", {place.metric.title}"
            few[f"{where}: {cell.n} of {cell.n_splits} ({of_kinds(cell.failures)})"] = None
    if not few:
        return []
    return [
        f"{FEWER} Mean over fewer splits than stated; where means are over different splits, none "
        f"is marked as best. {'; '.join(few)}."
    ]


def _record(method: str, place: Place, cell: ScoreCell) -> dict[str, Scalar]:
    return {
        "dataset": place.dataset,
        "method": method,
        "metric": place.metric.name,
        "mean": cell.mean,
        "std": cell.std,
        "n": cell.n,
        "n_splits": cell.n_splits,
        "n_failed": cell.n_failed,
        "failures": ", ".join(f"{n} {kind}" for kind, n in cell.failures),
        "best": cell.bold,
        "marks": " ".join(cell.marks),
    }
