"""Interpretations of a protocol as tables, JSON and CSV; docs/reproduce.md explains the keys."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mlbench.number_text import NOTHING, ScoreFormat, counted
from mlbench.papers.interpretations import (
    JUDGED,
    ComparedInterpretations,
    Explained,
    HeldOut,
    Interpretation,
    ranked,
)
from mlbench.published import PrintedValue
from mlbench.report.reproduction.records import FORM, line_record
from mlbench.report.reproduction.verdict import PrintVerdict
from mlbench.report.tables.table import Column, Scalar, Table, TableCell, TableRow

MAX_COLUMNS = 6
"""Interpretations that the tables of methods and data sets show."""

TENTHS = ScoreFormat(1.0, 1)
WHOLE_PERCENT = ScoreFormat(100.0, 0)
PERCENT = ScoreFormat(100.0, 1)

EVIDENCE = (
    "Evidence: log10 of the ratio of two likelihoods of the printed numbers, under the "
    "interpretation (given the standard deviations of both sides) and under chance (any value of "
    "the metric is equally likely); less {correction:.2f} for the choice among {n} interpretations."
)
SHARE = (
    "Explains: the share of the numbers that the interpretation explains, estimated with the "
    "evidence. Off by: the median difference from print, in points of percent."
)
TO_BEST = (
    "To the best: evidence less that of the first interpretation, on the numbers that both ran "
    "(common). "
    "An interpretation that ran fewer than half of the {n} numbers is not the best."
)
DEPENDENT = (
    "Metrics of one method come from the same predictions, so evidence is overstated; data sets "
    "held out are a check that needs no independence."
)
NO_SPREAD = "No evidence from {n}: no spread is known, or the metric has no range."
HELD_OUT = (
    "Each data set is judged by the interpretation that is best on the others. Evidence: what the "
    "data set adds to it; below 0, chance explains the data set better. No correction is needed, "
    "as the data set had no part in the choice. Best here: the interpretation that would have been "
    "chosen with hindsight."
)
NOT_HELD_OUT = "No data set can be held out: no interpretation ran half of two data sets."


def interpretation_tables(compared: ComparedInterpretations) -> list[Table]:
    """Return tables of the interpretations jointly, by method and data set, and held out."""
    tables = [joint_table(compared)]
    for name, key in (("Method", _method), ("Data set", _dataset)):
        tables.append(group_table(compared, name, key))
    held_out = compared.held_out()
    return [*tables, held_out_table(compared, held_out)]


def joint_table(compared: ComparedInterpretations) -> Table:
    """Lay out the interpretations, the best first."""
    numbers = compared.numbers
    n_interpretations = len(compared.interpretations)
    notes = [
        EVIDENCE.format(correction=math.log10(n_interpretations), n=n_interpretations),
        SHARE,
        TO_BEST.format(n=len(numbers)),
        DEPENDENT,
    ]
    unknown = sum(
        each not in interpretation.log_ratios
        for interpretation in compared.interpretations
        for each in interpretation.lines
    )
    if unknown:
        notes.append(NO_SPREAD.format(n=counted(unknown, "number")))
    rows = []
    for interpretation in compared.interpretations:
        explained = interpretation.explained(numbers)
        is_best = interpretation is compared.best
        common = len(compared.common(interpretation))
        cells = (
            *_verdict_cells(explained),
            TableCell(_percent(explained.evidence.share)),
            TableCell(PERCENT.number(explained.off_by)),
            TableCell(TENTHS.number(compared.corrected(interpretation))),
            TableCell(NOTHING if is_best else TENTHS.signed(compared.to_best(interpretation))),
            TableCell(NOTHING if is_best else str(common)),
        )
        rows.append(TableRow((interpretation.name,), cells))
    titles = (*_VERDICTS, "explains", "off by", "evidence", "to the best", "common")
    return Table(
        name=f"{compared.paper}-interpretations",
        title=f"Interpretations of the protocol ({compared.title})",
        corner=("Interpretation",),
        columns=tuple(map(Column, titles)),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def group_table(
    compared: ComparedInterpretations, name: str, key: Callable[[PrintedValue], str]
) -> Table:
    """Lay out how many printed numbers of each method or data set the interpretations reproduce."""
    shown = compared.interpretations[:MAX_COLUMNS]
    rows = []
    for group, numbers in compared.by(key).items():
        best = ranked(compared.interpretations, numbers)[0]
        cells = []
        for interpretation in shown:
            explained = interpretation.explained(numbers)
            text = f"{explained.counts[PrintVerdict.REPRODUCED]} / {explained.n}"
            cells.append(
                TableCell(
                    text if explained.n else NOTHING,
                    bold=interpretation is best and explained.evidence.log10 > 0,
                )
            )
        rows.append(TableRow((group,), tuple(cells)))
    notes = []
    if len(compared.interpretations) > len(shown):
        notes.append(f"The {len(shown)} best interpretations. The JSON output has all of them.")
    return Table(
        name=f"{compared.paper}-interpretations-{name.lower().replace(' ', '-')}",
        title=f"Printed numbers reproduced, of those that ran, by {name.lower()}",
        corner=(name,),
        columns=tuple(Column(interpretation.name) for interpretation in shown),
        rows=tuple(rows),
        bold_means="most evidence, if there is any",
        notes=tuple(notes),
    )


def held_out_table(compared: ComparedInterpretations, held_out: Sequence[HeldOut]) -> Table:
    """Lay out how the interpretation that is best on all other data sets does on each."""
    titles = ("chosen on the others", *_VERDICTS, "evidence", "best here", "reproduced")
    rows = [
        TableRow(
            (each.dataset,),
            (
                TableCell(each.chosen),
                *_verdict_cells(each.here),
                TableCell(TENTHS.number(each.log10)),
                TableCell(each.best),
                TableCell(f"{each.best_here.counts[PrintVerdict.REPRODUCED]} / {each.best_here.n}"),
            ),
        )
        for each in held_out
    ]
    if len(rows) > 1:
        rows.append(TableRow(("all",), tuple(_totals(held_out)), is_total=True))
    return Table(
        name=f"{compared.paper}-interpretations-held-out",
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
    reproduced = sum(each.best_here.counts[PrintVerdict.REPRODUCED] for each in held_out)
    yield TableCell(f"{reproduced} / {sum(each.best_here.n for each in held_out)}")


def _percent(share: float) -> str:
    return NOTHING if math.isnan(share) else f"{WHOLE_PERCENT.number(share)} %"


def _method(value: PrintedValue) -> str:
    return value.method


def _dataset(value: PrintedValue) -> str:
    return value.dataset


def interpretations_as_plain(compared: ComparedInterpretations) -> dict[str, Any]:
    """Return the comparison of interpretations as JSON values."""
    return {
        "form": FORM,
        "paper": compared.paper,
        "interpretations": [
            {
                "interpretation": interpretation.name,
                **_explained_record(interpretation.explained(compared.numbers)),
                "corrected": compared.corrected(interpretation),
                "to_best": _finite(compared.to_best(interpretation)),
                "common": len(compared.common(interpretation)),
            }
            for interpretation in compared.interpretations
        ],
        "methods": _groups(compared, "method"),
        "datasets": _groups(compared, "dataset"),
        "held_out": [_held_out_record(each) for each in compared.held_out()],
        "figures": _figures(compared),
    }


def interpretation_records(compared: ComparedInterpretations) -> Table:
    """Return a record for each interpretation and printed number, as a table without rows."""
    return Table(
        f"{compared.paper}-interpretations", "", (), (), (), records=tuple(_figures(compared))
    )


def _figures(compared: ComparedInterpretations) -> list[Mapping[str, Scalar]]:
    return [
        {
            **line_record(interpretation.lines[each]),
            "interpretation": interpretation.name,
            "log10_ratio": _log10_ratio(interpretation, each),
        }
        for interpretation in compared.interpretations
        for each in compared.numbers
        if each in interpretation.lines
    ]


def _groups(compared: ComparedInterpretations, key: str) -> list[dict[str, Any]]:
    return [
        {
            key: group,
            "interpretation": interpretation.name,
            **_explained_record(interpretation.explained(numbers)),
        }
        for group, numbers in compared.by(lambda each: str(getattr(each, key))).items()
        for interpretation in compared.interpretations
        if interpretation.n_of(numbers)
    ]


def _explained_record(explained: Explained) -> dict[str, Any]:
    return {
        "n": explained.n,
        **{verdict.value: explained.counts[verdict] for verdict in JUDGED},
        "share": _finite(explained.evidence.share),
        "off_by": _finite(explained.off_by),
        "log10": explained.evidence.log10,
    }


def _held_out_record(held_out: HeldOut) -> dict[str, Any]:
    return {
        "dataset": held_out.dataset,
        "chosen": held_out.chosen,
        **_explained_record(held_out.here),
        "added": held_out.log10,
        "best": held_out.best,
        "best_here": _explained_record(held_out.best_here),
    }


def _log10_ratio(interpretation: Interpretation, number: Any) -> float | None:
    ratio = interpretation.log_ratios.get(number, math.nan)
    return _finite(ratio / math.log(10))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
