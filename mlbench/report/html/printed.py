"""The results beside the values that a paper prints, with each verdict in words and color."""

from __future__ import annotations

import math

from mlbench.report.html.evidence import Evidence
from mlbench.report.html.html_table import Entry, Line, Sheet
from mlbench.report.numbers import NOTHING
from mlbench.report.published import ComparedValue, PaperComparison, Verdict, compare_with_paper
from mlbench.report.tables.table import Column, Source

LOOKS = {
    Verdict.REPRODUCED: "words good",
    Verdict.CLOSE: "words good",
    Verdict.DIFFERS: "words bad",
    Verdict.NOT_COMPARABLE: "words note",
    Verdict.NOT_RUN: "words note",
}
SCORES = ("Difference", "Allowed by chance")
TIMES = ("Printed / ours", "Of the table's median")


def printed_sheets(evidence: Evidence) -> list[Sheet]:
    """Return a sheet for each table of the paper that the experiment names, if it names one."""
    if not evidence.folder.plan.experiment.published:
        return []
    comparison = compare_with_paper(evidence.folder)
    return [
        _sheet(comparison, table, number, evidence)
        for number, table in enumerate(comparison.tables, 1)
    ]


def _sheet(comparison: PaperComparison, table: str, number: int, evidence: Evidence) -> Sheet:
    lines = [line for line in comparison.lines if line.printed.table == table]
    kinds = {line.printed.is_time for line in lines}
    columns = (*(SCORES if False in kinds else ()), *(TIMES if True in kinds else ()))
    return Sheet(
        anchor=f"printed-{number}",
        title=table,
        corner=("Data set", "Metric", "Method"),
        columns=tuple(map(Column, ("Printed", "Ours", *columns, "Verdict", "Remark"))),
        lines=tuple(_line(line, columns, evidence) for line in lines),
        notes=(*_counts(comparison, table), *_orders(comparison, table)),
    )


def _line(line: ComparedValue, columns: tuple[str, ...], evidence: Evidence) -> Line:
    target = line.printed
    link = evidence.link(Source(line.dataset, target.ours, line.method)) if line.method else ""
    digits = target.decimals
    numbers = (line.difference, line.allowed, line.ratio, line.relative)
    values = dict(zip((*SCORES, *TIMES), numbers, strict=True))
    remark = "; ".join(filter(None, (line.reason, target.note)))
    return Line(
        (line.dataset, target.metric, line.method or target.method),
        (
            Entry(target.text, value=target.mean),
            Entry(_ours(line.mean, line.std, digits), link, _known(line.mean)),
            *(_entry(name, values[name], digits, link) for name in columns),
            Entry(line.verdict.value, link, look=LOOKS[line.verdict]),
            Entry(remark, look="words long remark"),
        ),
    )


def _ours(mean: float, std: float, digits: int) -> str:
    if math.isnan(mean):
        return NOTHING
    return f"{mean:.{digits}f}" + ("" if math.isnan(std) else f" ± {std:.{digits}f}")


def _entry(name: str, value: float, digits: int, link: str) -> Entry:
    if math.isnan(value):
        return Entry(NOTHING)
    form = {"Difference": f"+.{digits}f", "Allowed by chance": f".{digits}f"}.get(name, ".2f")
    return Entry(f"{value:{form}}", link, value)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _counts(comparison: PaperComparison, table: str) -> list[str]:
    """Say how many values have which verdict, reading by reading."""
    notes = []
    for reading in comparison.readings(table):
        counts = comparison.counts(table, reading)
        words = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict)
        notes.append(f"{reading or 'Under the printed names'}: {words}.")
    return notes


def _orders(comparison: PaperComparison, table: str) -> list[str]:
    found = [
        f"{order.dataset}, {order.metric}{f', {order.reading}' if order.reading else ''} "
        f"{order.kendall:.2f} ({order.n} methods)"
        for order in comparison.orders
        if order.table == table and not math.isnan(order.kendall)
    ]
    return [f"Order of the methods, ours beside the paper's, Kendall's τ: {'; '.join(found)}."] * (
        len(found) > 0
    )
