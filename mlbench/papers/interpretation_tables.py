"""Readings of a protocol as tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from mlbench.papers.interpretations import (
    JUDGED,
    ComparedReadings,
    Explained,
    HeldOut,
    ranked,
)
from mlbench.published import PrintedValue
from mlbench.report.numbers import NOTHING, ScoreFormat, counted
from mlbench.report.reproduction.verdict import Verdict
from mlbench.report.tables.table import Column, Table, TableCell, TableRow

MAX_COLUMNS = 6
"""Readings that the tables of methods and data sets show."""

TENTHS = ScoreFormat(1.0, 1)
WHOLE_PERCENT = ScoreFormat(100.0, 0)
PERCENT = ScoreFormat(100.0, 1)

EVIDENCE = (
    "Evidence: log10 of the ratio of two likelihoods of the printed numbers, under the reading "
    "(given the standard deviations of both sides) and under chance (any value of the metric is "
    "equally likely); less {correction:.2f} for the choice among {n} readings."
)
SHARE = (
    "Explains: the share of the numbers that the reading explains, estimated with the evidence. "
    "Off by: the median difference from print, in points of percent."
)
TO_BEST = (
    "To the best: evidence less that of the first reading, on the numbers that both ran (common). "
    "A reading that ran fewer than half of the {n} numbers is not the best."
)
DEPENDENT = (
    "Metrics of one method come from the same predictions, so evidence is overstated; data sets "
    "held out are a check that needs no independence."
)
NO_SPREAD = "No evidence from {n}: no spread is known, or the metric has no range."
HELD_OUT = (
    "Each data set is judged by the reading that is best on the others. Evidence: what the data "
    "set adds to it; below 0, chance explains the data set better. No correction is needed, as the "
    "data set had no part in the choice. Best here: the reading that would have been chosen with "
    "hindsight."
)
NOT_HELD_OUT = "No data set can be held out: no reading ran half of two data sets."


def reading_tables(compared: ComparedReadings) -> list[Table]:
    """Return tables of the readings jointly, by method and data set, and held out."""
    tables = [joint_table(compared)]
    for name, key in (("Method", _method), ("Data set", _dataset)):
        tables.append(group_table(compared, name, key))
    held_out = compared.held_out()
    return [*tables, held_out_table(compared, held_out)]


def joint_table(compared: ComparedReadings) -> Table:
    """Lay out the readings, the best first."""
    numbers = compared.numbers
    n_readings = len(compared.readings)
    notes = [
        EVIDENCE.format(correction=math.log10(n_readings), n=n_readings),
        SHARE,
        TO_BEST.format(n=len(numbers)),
        DEPENDENT,
    ]
    unknown = sum(
        each not in reading.log_ratios for reading in compared.readings for each in reading.lines
    )
    if unknown:
        notes.append(NO_SPREAD.format(n=counted(unknown, "number")))
    rows = []
    for reading in compared.readings:
        explained = reading.explained(numbers)
        is_best = reading is compared.best
        common = len(compared.common(reading))
        cells = (
            *_verdict_cells(explained),
            TableCell(_percent(explained.evidence.share)),
            TableCell(PERCENT.number(explained.off_by)),
            TableCell(TENTHS.number(compared.corrected(reading))),
            TableCell(NOTHING if is_best else TENTHS.signed(compared.to_best(reading))),
            TableCell(NOTHING if is_best else str(common)),
        )
        rows.append(TableRow((reading.name,), cells))
    titles = (*_VERDICTS, "explains", "off by", "evidence", "to the best", "common")
    return Table(
        name=f"{compared.paper}-readings",
        title=f"Readings of the protocol ({compared.title})",
        corner=("Reading",),
        columns=tuple(map(Column, titles)),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def group_table(compared: ComparedReadings, name: str, key: Callable[[PrintedValue], str]) -> Table:
    """Lay out how many printed numbers of each method or data set the readings reproduce."""
    shown = compared.readings[:MAX_COLUMNS]
    rows = []
    for group, numbers in compared.by(key).items():
        best = ranked(compared.readings, numbers)[0]
        cells = []
        for reading in shown:
            explained = reading.explained(numbers)
            text = f"{explained.counts[Verdict.REPRODUCED]} / {explained.n}"
            cells.append(
                TableCell(
                    text if explained.n else NOTHING,
                    bold=reading is best and explained.evidence.log10 > 0,
                )
            )
        rows.append(TableRow((group,), tuple(cells)))
    notes = []
    if len(compared.readings) > len(shown):
        notes.append(f"The {len(shown)} best readings. The JSON output has all of them.")
    return Table(
        name=f"{compared.paper}-readings-{name.lower().replace(' ', '-')}",
        title=f"Printed numbers reproduced, of those that ran, by {name.lower()}",
        corner=(name,),
        columns=tuple(Column(reading.name) for reading in shown),
        rows=tuple(rows),
        bold_means="most evidence, if there is any",
        notes=tuple(notes),
    )


def held_out_table(compared: ComparedReadings, held_out: Sequence[HeldOut]) -> Table:
    """Lay out how the reading that is best on all other data sets does on each."""
    titles = ("chosen on the others", *_VERDICTS, "evidence", "best here", "reproduced")
    rows = [
        TableRow(
            (each.dataset,),
            (
                TableCell(each.chosen),
                *_verdict_cells(each.here),
                TableCell(TENTHS.number(each.log10)),
                TableCell(each.best),
                TableCell(f"{each.best_here.counts[Verdict.REPRODUCED]} / {each.best_here.n}"),
            ),
        )
        for each in held_out
    ]
    if len(rows) > 1:
        rows.append(TableRow(("all",), tuple(_totals(held_out)), is_total=True))
    return Table(
        name=f"{compared.paper}-readings-held-out",
        title="Data sets held out",
        corner=("Data set",) if rows else (),
        columns=tuple(map(Column, titles)) if rows else (),
        rows=tuple(rows),
        notes=(HELD_OUT if rows else NOT_HELD_OUT,),
    )


_VERDICTS = ("ran", *(verdict.value for verdict in JUDGED))


def _verdict_cells(explained: Explained) -> list[TableCell]:
    counts = [explained.n, *(explained.counts[verdict] for verdict in JUDGED)]
    return [TableCell(str(count)) for count in counts]


def _totals(held_out: Sequence[HeldOut]) -> Iterator[TableCell]:
    yield TableCell(NOTHING)
    yield TableCell(str(sum(each.here.n for each in held_out)))
    for verdict in JUDGED:
        yield TableCell(str(sum(each.here.counts[verdict] for each in held_out)))
    yield TableCell(TENTHS.number(sum(each.log10 for each in held_out)))
    yield TableCell(NOTHING)
    reproduced = sum(each.best_here.counts[Verdict.REPRODUCED] for each in held_out)
    yield TableCell(f"{reproduced} / {sum(each.best_here.n for each in held_out)}")


def _percent(share: float) -> str:
    return NOTHING if math.isnan(share) else f"{WHOLE_PERCENT.number(share)} %"


def _method(value: PrintedValue) -> str:
    return value.method


def _dataset(value: PrintedValue) -> str:
    return value.dataset
