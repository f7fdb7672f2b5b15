"""A comparison with a paper as tables."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from mlbench.metrics import get_metric
from mlbench.number_text import NOTHING, ScoreFormat, counted, listed
from mlbench.published import PrintedValue
from mlbench.published.csv_file import is_dotted_metric
from mlbench.report.reproduction.base_rate import base_rate_notes, first_readings
from mlbench.report.reproduction.comparison import AS_NAMED, ComparedValue, PaperComparison
from mlbench.report.reproduction.matching import is_version
from mlbench.report.reproduction.records import line_record, order_record
from mlbench.report.reproduction.verdict import TIME_FACTOR, PrintVerdict
from mlbench.report.tables.table import Column, Source, Table, TableCell, TableRow, Tone, slug

TONES: dict[PrintVerdict, Tone] = {
    PrintVerdict.REPRODUCED: "good",
    PrintVerdict.CLOSE: "good",
    PrintVerdict.DIFFERS: "bad",
    PrintVerdict.NOT_COMPARABLE: "muted",
    PrintVerdict.NOT_RUN: "muted",
}
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
RULE = (
    "Reproduced: the means differ by no more than the spreads of both over splits allow (Welch's "
    "95 % interval, with the printed rounding). Close: by at most one point, and at most a tenth "
    "of the printed score and of its distance to 100 %. An interpretation is the part of our "
    "method's name after the printed one."
)
SAME = "Interpretations with the same values as the printed name are omitted."
TIME_RULE = (
    "Close: paper / ours is within a factor of {factor:g} of the median over methods, which "
    "accounts for the machine and language."
)


@dataclass(frozen=True)
class Remarks:
    """Remarks on values of a table: those on all of them, and those with a mark."""

    shared: tuple[str, ...]
    marked: tuple[str, ...]

    @classmethod
    def on(cls, lines: Sequence[ComparedValue]) -> Self:
        """Collect the remarks on values."""
        texts = [_sentences(line) for line in lines]
        shared = tuple(text for text in texts[0] if all(text in each for each in texts))
        every = dict.fromkeys(text for each in texts for text in each)
        return cls(shared, tuple(text for text in every if text not in shared))

    @property
    def notes(self) -> tuple[str, ...]:
        """The lines below the table."""
        marked = (f"{_mark(number)} {text}" for number, text in enumerate(self.marked, 1))
        return (*self.shared, *marked)

    def marks(self, line: ComparedValue) -> tuple[str, ...]:
        """Return the marks of a value."""
        texts = _sentences(line)
        return tuple(_mark(number) for number, text in enumerate(self.marked, 1) if text in texts)


def _mark(number: int) -> str:
    return str(number).translate(SUPERSCRIPTS)


def _sentences(line: ComparedValue) -> list[str]:
    texts = [*(f"not comparable: {reason}" for reason in line.reasons), *line.printed.notes]
    return [f"{text[0].upper()}{text[1:]}." for text in texts]


def reproduction_tables(comparison: PaperComparison) -> list[Table]:
    """Return tables of the verdicts, of the orders of methods, and of every value.

    A metric without a method under its printed name has no table of values.
    """
    if not comparison.lines:
        return []
    columns = dict.fromkeys(column_of(line) for line in comparison.lines if line.method)
    summary = [paper_verdict_table(comparison)]
    if comparison.orders:
        summary.append(order_table(comparison))
    return summary + [
        value_table([line for line in comparison.lines if column_of(line) == column])
        for column in columns
    ]


def column_of(line: ComparedValue) -> tuple[str, str, str]:
    """Return the table, the data set and the metric whose values stand in one table."""
    return line.printed.table, line.dataset, line.printed.metric


def paper_verdict_table(comparison: PaperComparison) -> Table:
    """Count the verdicts of each of the paper's tables, interpretation by interpretation."""
    rows = []
    for table in comparison.tables:
        for interpretation in comparison.interpretations(table):
            counts = comparison.counts(table, interpretation)
            cells = tuple(TableCell(str(counts[verdict])) for verdict in PrintVerdict)
            rows.append(TableRow((table, interpretation or AS_NAMED), cells))
    notes = [RULE] if any(not line.printed.is_time for line in comparison.lines) else []
    single = _single_splits(comparison)
    if single:
        notes.append(f"Ours is a single split {single}, so large differences are allowed there.")
    notes += not_run_notes(comparison)
    readings = first_readings(comparison.lines)
    if rates := base_rate_notes(readings):
        notes += [*rates, *_of_several(comparison.lines, readings)]
    if comparison.not_printed:
        notes.append(f"Run, not printed: {', '.join(comparison.not_printed)}.")
    if comparison.protocol:
        notes.append(comparison.protocol)
    return Table(
        name=f"{comparison.paper}-verdicts",
        title=f"Printed values and ours ({comparison.title or comparison.paper})",
        corner=("Table", "Interpretation"),
        columns=tuple(Column(verdict.value) for verdict in PrintVerdict),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def not_run_notes(comparison: PaperComparison) -> list[str]:
    """Say what the tables print that no table of ours shows: data sets, metrics, and numbers."""
    lines, tables = comparison.lines, comparison.tables
    elsewhere: dict[str, None] = {}
    unmeasured: dict[str, dict[str, None]] = {}
    compared = {(line.printed.our_dataset, line.printed.ours) for line in lines}
    for value in comparison.printed:
        if value.table not in tables:
            continue
        if not any(is_version(ours, value.our_dataset) for ours in comparison.datasets):
            elsewhere[value.our_dataset] = None
        elif (value.our_dataset, value.ours) not in compared:
            unmeasured.setdefault(title_of(value), {})[value.our_dataset] = None
    ran = {column_of(line) for line in lines if line.method}
    without: dict[str, dict[str, None]] = {}
    for line in lines:
        if column_of(line) not in ran:
            where = f"{line.dataset}, {title_of(line.printed)}"
            without.setdefault(where, {})[line.printed.method] = None
    return [
        f"Printed, but {what}: {', '.join(found)}."
        for what, found in (
            ("not among these results", elsewhere),
            (
                "not measured here",
                [f"{metric} ({', '.join(on)})" for metric, on in unmeasured.items()],
            ),
            ("not run", [f"{listed([*names])} ({on})" for on, names in without.items()]),
        )
        if found
    ]


def _of_several(lines: Sequence[ComparedValue], readings: Sequence[ComparedValue]) -> list[str]:
    """Say which variant counts of rows of which several ran, and none by the printed name."""
    ran: dict[str, set[str]] = {}
    for line in lines:
        if line.method:
            ran.setdefault(line.printed.method, set()).add(line.method)
    first = {line.printed.method: line.method for line in readings}
    named = [
        f"{method} ({ours})"
        for method, ours in first.items()
        if len(ran[method]) > 1 and ours != method
    ]
    return [f"Of a row that ran in several variants, one counts here: {listed(named)}."] * bool(
        named
    )


def _single_splits(comparison: PaperComparison) -> str:
    """Say where ours has one split: data sets, with the methods if others have more."""
    splits: dict[str, dict[str, int]] = {}
    for line in comparison.lines:
        if line.n:
            of = splits.setdefault(line.dataset, {})
            of[line.method] = max(line.n, of.get(line.method, 0))
    whole = [dataset for dataset, of in splits.items() if {*of.values()} == {1}]
    parts = [
        f"of {listed(few)} on {dataset}"
        for dataset, of in splits.items()
        if (few := [method for method, n in of.items() if n == 1]) and dataset not in whole
    ]
    return listed([*([f"on {listed(whole)}"] if whole else []), *parts])


def order_table(comparison: PaperComparison) -> Table:
    """Lay out the agreement of our orders of methods with the paper's."""
    style = ScoreFormat(1.0, 2)
    return Table(
        name=f"{comparison.paper}-orders",
        title="Order of methods: ours and the paper's",
        corner=("Table", "Data set", "Metric", "Interpretation"),
        columns=tuple(map(Column, ("methods", "Kendall's tau-b", "Spearman's rho"))),
        rows=tuple(
            TableRow(
                (order.table, order.dataset, order.metric, order.interpretation or AS_NAMED),
                (
                    TableCell(str(order.n)),
                    TableCell(style.number(order.kendall)),
                    TableCell(style.number(order.spearman)),
                ),
            )
            for order in comparison.orders
        ),
        records=tuple(map(order_record, comparison.orders)),
    )


def value_table(lines: Sequence[ComparedValue]) -> Table:
    """Lay out the values of a paper's table on one data set in one metric."""
    target = lines[0].printed
    ran = [line for line in lines if line.method]
    shown = [line for line in ran if not repeats(line, ran)]
    remarks = Remarks.on(shown)
    absent = list(dict.fromkeys(line.printed.method for line in lines if not line.method))
    notes = [
        note_on_other_splits(shown),
        *remarks.notes,
        SAME if len(shown) < len(ran) else "",
        f"Printed, not run: {', '.join(absent)}." if absent else "",
    ]
    cells = _time_cells if target.is_time else _score_cells
    rows = [
        TableRow(
            (line.method,),
            (
                *cells(line),
                TableCell(
                    line.verdict.value,
                    marks=remarks.marks(line),
                    is_text=True,
                    tone=TONES[line.verdict],
                ),
            ),
        )
        for line in shown
    ]
    of_ours = ("paper / ours", "to the median") if target.is_time else ("difference", "allowed")
    return Table(
        name=slug(f"{target.paper}-{target.table}-{lines[0].dataset}-{target.metric}"),
        title=f"{target.table}, {lines[0].dataset}, {title_of(target)}",
        corner=("Method",),
        columns=tuple(map(Column, ("paper", "ours", *of_ours, "verdict"))),
        rows=tuple(rows),
        notes=tuple(note for note in notes if note),
        records=tuple(map(line_record, lines)),
    )


def repeats(line: ComparedValue, lines: Sequence[ComparedValue]) -> bool:
    """Return whether a variant has the same values as the printed name."""
    return line.is_variant and any(
        (each.method, each.mean, each.std, each.n)
        == (line.printed.method, line.mean, line.std, line.n)
        for each in lines
    )


def record_table(comparison: PaperComparison) -> Table:
    """Return all values as one table with records only."""
    records = tuple(map(line_record, comparison.lines))
    return Table(f"{comparison.paper}-figures", "", (), (), (), records=records)


def title_of(value: PrintedValue) -> str:
    """Return what is printed, in our words."""
    ours = value.ours
    if value.is_time:
        return f"time ({ours.removeprefix('seconds_')}) in seconds"
    return ours if is_dotted_metric(ours) else get_metric(ours).title


def _score_cells(line: ComparedValue) -> tuple[TableCell, ...]:
    style = ScoreFormat(1.0, line.printed.decimals)
    finer = style
    if abs(line.difference) > line.allowed:
        finer = style.telling_apart(abs(line.difference), line.allowed)
    return (
        TableCell(line.printed.text),
        _ours(line, style.score(line.mean, line.std)),
        TableCell(finer.signed(line.difference)),
        TableCell(finer.number(line.allowed)),
    )


def _time_cells(line: ComparedValue) -> tuple[TableCell, ...]:
    relative = NOTHING if line.relative != line.relative else f"{line.relative:.2g}"
    return (
        TableCell(line.printed.text),
        _ours(line, f"{line.mean:.3g}"),
        TableCell(f"{line.ratio:.3g}"),
        TableCell(relative),
    )


def _ours(line: ComparedValue, text: str) -> TableCell:
    return TableCell(text, source=Source(line.dataset, line.printed.ours, line.method))


def note_on_other_splits(shown: Sequence[ComparedValue], means_alone: bool = False) -> str:
    """Say over how many splits both sides are summarized, and how."""
    target = shown[0].printed
    low, high = min(line.n for line in shown), max(line.n for line in shown)
    ours = counted(low, "split") if low == high else f"{low} to {counted(high, 'split')}"
    if target.is_time:
        return f"Ours: median over {ours}. {TIME_RULE.format(factor=TIME_FACTOR)}"
    theirs = _their_splits({line.printed.n_splits for line in shown})
    units = {line.printed.unit for line in shown}
    unit = "in percent, " if units == {"percent"} else ""
    if len(units) > 1:
        unit = "in the unit of what is printed, "
    what = "Mean" if high == 1 or means_alone else "Mean ± standard deviation"
    note = f"{what}, {unit}ours over {ours}; the paper's over {theirs}."
    if low == 1:
        note += " Our spread over one split is assumed to equal the paper's."
    without = [math.isnan(line.printed.std) for line in shown]
    if all(without):
        note += " The paper prints no spread; it is assumed to equal ours."
    elif any(without):
        note += " Where the paper prints no spread, it is assumed to equal ours."
    return note


def _their_splits(numbers: set[int | None]) -> str:
    """Return over how many splits a paper's means are."""
    known = sorted(each for each in numbers if each)
    told = f"{known[0]}" if len(known) == 1 else f"{known[0]} to {known[-1]}" if known else ""
    if len(known) == len(numbers):
        return told
    unknown = "as many, since their number is not given"
    return f"{told}, or {unknown}" if told else unknown
