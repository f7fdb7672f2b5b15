"""Score tables: mean and deviation over splits, the best, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mlbench.report.numbers import NOTHING, ScoreFormat, counted, listed, of_kinds
from mlbench.report.results import Results
from mlbench.report.settings import Comparison, MetricColumn
from mlbench.report.tables.convergence_notes import notes_on_unfinished, unfinished_marks
from mlbench.report.tables.pairwise_tests import TITLES, Finding, has_pairs, verdict
from mlbench.report.tables.table import (
    Column,
    Scalar,
    ScoreCell,
    Source,
    Table,
    TableCell,
    TableRow,
)

FEWER = "†"
MARKS = (("•", "◦"), ("▪", "▫"), ("▴", "▵"))


@dataclass(frozen=True)
class Place:
    """A column of a score table: a data set, a metric, and how its scores are printed."""

    dataset: str
    metric: MetricColumn
    style: ScoreFormat


def score_cell(results: Results, method: str, place: Place) -> ScoreCell:
    """Summarise the splits of one method on one data set in one metric."""
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
    results: Results,
    methods: Sequence[str],
    places: Sequence[Place],
    columns: Sequence[Column],
    name: str,
    title: str,
    comparisons: Sequence[tuple[Comparison, Sequence[Finding]]] = (),
    alpha: float = 0.05,
) -> Table:
    """Lay out scores, a row per method and a column per place.

    Parameters
    ----------
    results : Results
        Scores and failures.
    methods : sequence of str
        Rows.
    places : sequence of Place
        What each column shows.
    columns : sequence of Column
        Its heading, one per place.
    name, title : str
        See `Table`.
    comparisons : sequence of (Comparison, findings)
        Give the significance marks; findings of other places are ignored.
    alpha : float
        Their level.
    """
    by_place = [_column(results, methods, place) for place in places]
    notes = [_note_on_splits(results, places, by_place)]
    for symbols, (comparison, findings) in zip(MARKS, comparisons, strict=False):
        seen = _mark(by_place, methods, places, comparison.method, findings, alpha, symbols)
        tested = [finding for finding in findings if finding.is_tested]
        if tested:
            notes.append(_note_on_marks(comparison, tested, alpha, symbols, seen))
    for comparison, findings in comparisons:
        notes.append(_note_on_few_pairs(results, comparison, places))
        notes.append(_note_on_unknown_sizes(results, comparison, findings, places))
    if len(comparisons) > len(MARKS):
        notes.append(f"Marks are shown for the first {len(MARKS)} comparisons.")
    notes += _notes_on_failures(by_place, methods, places)
    marked = [
        (method, place.dataset, cell.marks)
        for place, column in zip(places, by_place, strict=True)
        for method, cell in zip(methods, column, strict=True)
    ]
    notes += notes_on_unfinished(results, marked)
    rows = tuple(
        TableRow((method,), tuple(column[i] for column in by_place))
        for i, method in enumerate(methods)
    )
    return Table(
        name=name,
        title=title,
        corner=("Method",),
        columns=tuple(columns),
        rows=rows,
        bold_means="best by printed digits" if len(methods) > 1 else "",
        notes=tuple(note for note in notes if note),
        records=tuple(_records(by_place, methods, places)),
    )


def _column(results: Results, methods: Sequence[str], place: Place) -> list[TableCell]:
    """Return a column's cells, the best of the most complete ones in bold."""
    cells = [score_cell(results, method, place) for method in methods]
    most = max((cell.n for cell in cells), default=0)
    able = {i: float(place.style.number(c.mean)) for i, c in enumerate(cells) if c.n == most > 0}
    if len(methods) < 2 or not able:
        return list(cells)
    best = max(able.values()) if place.metric.greater_is_better else min(able.values())
    return [replace(cell, bold=able.get(i) == best) for i, cell in enumerate(cells)]


def _mark(
    by_place: list[list[TableCell]],
    methods: Sequence[str],
    places: Sequence[Place],
    method: str,
    findings: Sequence[Finding],
    alpha: float,
    symbols: tuple[str, str],
) -> set[str]:
    """Mark the methods that the tested one beats or loses to; return the symbols used."""
    rows = {name: i for i, name in enumerate(methods)}
    used: set[str] = set()
    for column, place in zip(by_place, places, strict=True):
        for finding in findings:
            here = (finding.dataset, finding.metric) == (place.dataset, place.metric.name)
            sign = verdict(finding, place.metric, alpha) if here else 0
            if sign and finding.against in rows:
                symbol = symbols[0] if sign > 0 else symbols[1]
                column[rows[finding.against]] = column[rows[finding.against]].marked(symbol)
                used.add(symbol)
    return used


def _note_on_splits(
    results: Results, places: Sequence[Place], by_place: Sequence[Sequence[TableCell]]
) -> str:
    numbers = {place.dataset: results.n_splits(place.dataset) for place in places}
    most = {
        name: max(
            (
                cell.n
                for place, column in zip(places, by_place, strict=True)
                for cell in column
                if isinstance(cell, ScoreCell) and place.dataset == name
            ),
            default=0,
        )
        for name in numbers
    }
    unfinished = all(most[name] < number for name, number in numbers.items())
    single = set(numbers.values()) == {1}
    if unfinished and len(set(numbers.values())) == len(set(most.values())) == 1:
        total = counted(next(iter(numbers.values())), "split")
        splits = f"{max(most.values())} of {total} so far"
        single = False
    elif unfinished:
        splits = listed(
            [f"{most[name]} of {counted(n, 'split')} ({name})" for name, n in numbers.items()]
        )
        splits += " so far"
        single = False
    elif len(set(numbers.values())) == 1:
        splits = counted(next(iter(numbers.values())), "split")
    else:
        splits = listed([f"{counted(n, 'split')} ({name})" for name, n in numbers.items()])
    units = {place.style.factor for place in places if place.metric.is_fraction}
    unit = "in percent, " if units == {100.0} else ""
    if any("±" in cell.printed for column in by_place for cell in column):
        what = "Mean ± standard deviation (ddof = 1)"
    else:
        what = "Score" if single else "Mean"
    return f"{what}, {unit}{'of' if single else 'over'} {splits}."


def _note_on_marks(
    comparison: Comparison,
    findings: Sequence[Finding],
    alpha: float,
    symbols: tuple[str, str],
    used: set[str],
) -> str:
    tests = listed(list(dict.fromkeys(TITLES[finding.headline] for finding in findings)))
    number = len(set(comparison.against) - {comparison.method})
    holm = f", Holm over {number} methods" if comparison.correction == "holm" and number > 1 else ""
    how = f"({tests}, two-sided, {alpha:g}{holm})"
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
    return (
        f"{comparison.method} against the others{where}: not tested: "
        "fewer than two splits on which both have a score."
    )


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


def _notes_on_failures(
    by_place: Sequence[Sequence[TableCell]], methods: Sequence[str], places: Sequence[Place]
) -> list[str]:
    few: dict[str, None] = {}
    for place, column in zip(places, by_place, strict=True):
        for method, cell in zip(methods, column, strict=True):
            if isinstance(cell, ScoreCell) and cell.failures and cell.n:
                where = f"{method}, {place.dataset}"
                if any(kind == "undefined" for kind, _ in cell.failures):
                    where += f", {place.metric.title}"
                few[f"{where}: {cell.n} of {cell.n_splits} ({of_kinds(cell.failures)})"] = None
    if not few:
        return []
    return [
        f"{FEWER} Mean over fewer splits than stated, and best only beside cells with as few. "
        f"{'; '.join(few)}."
    ]


def _records(
    by_place: Sequence[Sequence[TableCell]], methods: Sequence[str], places: Sequence[Place]
) -> list[Mapping[str, Scalar]]:
    records: list[Mapping[str, Scalar]] = []
    for place, column in zip(places, by_place, strict=True):
        for method, cell in zip(methods, column, strict=True):
            if isinstance(cell, ScoreCell):
                records.append(
                    {
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
                )
    return records
