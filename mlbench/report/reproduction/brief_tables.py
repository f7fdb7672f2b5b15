"""A comparison with a paper in brief: the means of a data set, all metrics in one table."""

from collections.abc import Sequence
from dataclasses import replace

from mlbench.number_text import NOTHING, ScoreFormat
from mlbench.report.reproduction.comparison import ComparedValue, PaperComparison
from mlbench.report.reproduction.notes import (
    SAME,
    Remarks,
    not_run_notes,
    note_on_other_splits,
    title_of,
)
from mlbench.report.reproduction.tables import repeats
from mlbench.report.reproduction.verdict import PrintVerdict
from mlbench.report.tables.table import Column, Source, Table, TableCell, TableRow, slug

DECIMALS = {"percent": 1, "fraction": 3}
"""Digits after the point; of times, as many as the paper prints."""


def brief_tables(comparison: PaperComparison) -> list[Table]:
    """Return a table for each of the paper's tables and data sets.

    Its rows are our methods, and its columns the printed mean and ours in each metric.
    """
    tables = dict.fromkeys(
        (line.printed.table, line.dataset) for line in comparison.lines if line.method
    )
    made = [
        _table([line for line in comparison.lines if _table_of(line) == table]) for table in tables
    ]
    rest = not_run_notes(comparison)
    return [*made[:-1], replace(made[-1], notes=(*made[-1].notes, *rest))] if made else []


def _table_of(line: ComparedValue) -> tuple[str, str]:
    return line.printed.table, line.dataset


def _table(lines: Sequence[ComparedValue]) -> Table:
    """Lay out the values of one of the paper's tables on one data set."""
    ran = [line for line in lines if line.method]
    metrics = list(dict.fromkeys(line.printed.metric for line in ran))
    of_method: dict[str, dict[str, ComparedValue]] = {}
    for line in ran:
        of_method.setdefault(line.method, {})[line.printed.metric] = line
    shown = {
        method: values
        for method, values in of_method.items()
        if not all(repeats(line, ran) for line in values.values())
    }
    titles = {line.printed.metric: title_of(line.printed) for line in ran}
    remarks = Remarks.on(ran)
    there = {line.printed.method for line in ran}
    absent = dict.fromkeys(m for line in lines if (m := line.printed.method) not in there)
    notes = [
        note_on_other_splits(ran, means_alone=True),
        *remarks.notes,
        SAME if len(shown) < len(of_method) else "",
        f"Printed, not run: {', '.join(absent)}." if absent else "",
    ]
    table, dataset = _table_of(ran[0])
    return Table(
        name=slug(f"{ran[0].printed.paper}-{table}-{dataset}"),
        title=f"{table}, {dataset}",
        corner=("Method",),
        columns=tuple(
            Column(side, group=titles[metric]) for metric in metrics for side in ("paper", "ours")
        ),
        rows=tuple(
            TableRow((method,), tuple(c for m in metrics for c in _cells(values.get(m), remarks)))
            for method, values in shown.items()
        ),
        bold_means="reproduced"
        if any(line.verdict is PrintVerdict.REPRODUCED for line in ran)
        else "",
        notes=tuple(note for note in notes if note),
    )


def _cells(line: ComparedValue | None, remarks: Remarks) -> tuple[TableCell, TableCell]:
    """Return the printed mean and ours."""
    if line is None:
        return TableCell(NOTHING), TableCell(NOTHING)
    printed = line.printed
    style = ScoreFormat(1.0, DECIMALS.get(printed.unit, printed.decimals))
    return TableCell(style.number(printed.mean), marks=remarks.marks(line)), TableCell(
        f"{line.mean:.3g}" if printed.is_time else style.number(line.mean),
        bold=line.verdict is PrintVerdict.REPRODUCED,
        source=Source(line.dataset, printed.ours, line.method),
    )
