"""A comparison with a paper as tables."""

from collections.abc import Sequence

from mlbench.number_text import NOTHING, ScoreFormat, listed
from mlbench.report.reproduction.base_rate import base_rate_notes, first_readings
from mlbench.report.reproduction.comparison import AS_NAMED, ComparedValue, PaperComparison
from mlbench.report.reproduction.notes import (
    SAME,
    Remarks,
    column_of,
    not_run_notes,
    note_on_other_splits,
    title_of,
)
from mlbench.report.reproduction.records import line_record, order_record
from mlbench.report.reproduction.verdict import PrintVerdict
from mlbench.report.tables.table import Column, Source, Table, TableCell, TableRow, Tone, slug

TONES: dict[PrintVerdict, Tone] = {
    PrintVerdict.REPRODUCED: "good",
    PrintVerdict.CLOSE: "good",
    PrintVerdict.DIFFERS: "bad",
    PrintVerdict.NOT_COMPARABLE: "muted",
    PrintVerdict.NOT_RUN: "muted",
}
RULE = (
    "Reproduced: the means differ by no more than the spreads of both over splits allow (Welch's "
    "95 % interval, with the printed rounding). Close: by at most one point, and at most a tenth "
    "of the printed score and of its distance to 100 %. An interpretation is the part of our "
    "method's name after the printed one."
)


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
