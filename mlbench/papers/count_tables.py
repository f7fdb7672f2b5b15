"""Counts of printed numbers as tables, JSON and CSV."""

from collections.abc import Mapping, Sequence
from typing import Any

from mlbench.number_text import NOTHING
from mlbench.papers.counts import MEASURED, NO_CAUSE, SUSPECTED, CountedValue, PaperCounts
from mlbench.papers.interpretations import JUDGED
from mlbench.report.reproduction.base_rate import base_rate, base_rate_notes
from mlbench.report.reproduction.records import FORM, base_rate_records, line_record
from mlbench.report.reproduction.verdict import PrintVerdict
from mlbench.report.tables.table import Column, Scalar, Table, TableCell, TableRow

ONCE = (
    "Each printed number counts once: in the first of the folders that can be compared, under the "
    "printed name of its method, or as the first variant where that did not run."
)
FEWER_SPLITS = (
    "{n} of the compared scores are over fewer splits than in the paper, so larger differences are "
    "allowed there."
)
CAUSES = (
    "Cause measured: how many of those that differ do so for a cause that was measured. Suspected "
    "causes do not count, and neither does another interpretation that reproduces the number."
)
OTHERS = (
    "By others: how often our number of another method on the same data set in the same metric "
    "would be called reproduced."
)
NO_NUMBERS = "{paper}: no numbers in print, only figures."


def count_tables(papers: Sequence[PaperCounts]) -> list[Table]:
    """Return the counts of verdicts, and the counts of causes if there are any."""
    causes = _cause_table(papers)
    return [_count_table(papers), *([causes] if causes.rows else [])]


def _count_table(papers: Sequence[PaperCounts]) -> Table:
    """Count the verdicts of each paper, or of each table of a single one."""
    several = len(papers) > 1
    groups = (
        {_authors(paper): paper.values for paper in papers}
        if several
        else {table: papers[0].of_table(table) for table in papers[0].tables}
    )
    everything = [each for paper in papers for each in paper.values]
    rows = [TableRow((name,), _counts(values)) for name, values in groups.items()]
    if len(rows) != 1:
        rows.append(TableRow(("all",), _counts(everything), is_total=True))
    fewer = sum(each.has_fewer_splits for each in everything)
    notes = [
        ONCE,
        FEWER_SPLITS.format(n=fewer) if fewer else "",
        *(
            f"{_authors(paper) + ': ' if several else ''}{note}"
            for paper in papers
            for note in base_rate_notes([each.line for each in paper.values])
        ),
        OTHERS if any(base_rate(each.line for each in paper.values) for paper in papers) else "",
        CAUSES if any(each.verdict is PrintVerdict.DIFFERS for each in everything) else "",
        *(NO_NUMBERS.format(paper=_authors(paper)) for paper in papers if not paper.values),
    ]
    verdicts = [verdict.value for verdict in JUDGED]
    judged = ["compared", *verdicts, "by others", "cause measured"]
    titles = ["printed", *judged, "not comparable", "not run"]
    return Table(
        name="counts",
        title="Printed numbers and ours" + ("" if several else f" ({papers[0].title})"),
        corner=("Paper" if several else "Table",),
        columns=tuple(map(Column, titles)),
        rows=tuple(rows),
        notes=tuple(note for note in notes if note),
    )


def _counts(values: Sequence[CountedValue]) -> tuple[TableCell, ...]:
    number = {verdict: sum(each.verdict is verdict for each in values) for verdict in PrintVerdict}
    judged = [number[verdict] for verdict in JUDGED]
    counts = (
        len(values),
        sum(judged),
        *judged,
        sum(each.is_measured for each in values),
        number[PrintVerdict.NOT_COMPARABLE],
        number[PrintVerdict.NOT_RUN],
    )
    cells = [TableCell(str(count)) for count in counts]
    rate = base_rate(each.line for each in values)
    others = TableCell(NOTHING if rate is None else f"{100 * rate.others:.0f} %")
    cells.insert(2 + len(judged), others)
    return tuple(cells)


def _cause_table(papers: Sequence[PaperCounts]) -> Table:
    """Count causes; those why numbers are not comparable only for a single paper."""
    several = len(papers) > 1
    shown = (
        [PrintVerdict.DIFFERS] if several else [PrintVerdict.DIFFERS, PrintVerdict.NOT_COMPARABLE]
    )
    rows = []
    for paper in papers:
        causes = sorted(paper.causes().items(), key=_rank)
        for (verdict, cause), count in causes:
            if verdict in shown:
                labels = (_authors(paper) if several else verdict.value, cause)
                rows.append(TableRow(labels, (TableCell(str(count)),)))
    return Table(
        name="counts-causes",
        title="Why numbers differ" + ("" if several else " or cannot be compared"),
        corner=("Paper" if several else "Verdict", "Cause"),
        columns=(Column("numbers"),),
        rows=tuple(rows),
    )


def _rank(counted: tuple[tuple[PrintVerdict, str], int]) -> tuple[bool, int, int]:
    """Sort what differs before what is not comparable, and what is known best first."""
    (verdict, cause), count = counted
    starts = (MEASURED, SUSPECTED, f"{NO_CAUSE};", NO_CAUSE)
    known = next((i for i, start in enumerate(starts) if cause.startswith(start)), len(starts))
    return verdict is not PrintVerdict.DIFFERS, known, -count


def _authors(paper: PaperCounts) -> str:
    return paper.title.partition(":")[0]


def count_records(papers: Sequence[PaperCounts]) -> Table:
    """Return a record for each printed number, as a table without rows."""
    return Table("counts", "", (), (), (), records=tuple(_figures(papers)))


def counts_as_plain(papers: Sequence[PaperCounts]) -> dict[str, Any]:
    """Return the counts as JSON values."""
    tables = [(paper, table) for paper in papers for table in paper.tables]
    return {
        "form": FORM,
        "tables": [
            {
                "paper": paper.paper,
                "table": table,
                **{
                    verdict.value: sum(each.verdict is verdict for each in paper.of_table(table))
                    for verdict in PrintVerdict
                },
                "cause measured": sum(each.is_measured for each in paper.of_table(table)),
            }
            for paper, table in tables
        ],
        "base_rates": [
            {"paper": paper.paper, **record}
            for paper in papers
            for record in base_rate_records([each.line for each in paper.values])
        ],
        "causes": [
            {"paper": paper.paper, "verdict": verdict.value, "cause": cause, "n": count}
            for paper in papers
            for (verdict, cause), count in paper.causes().items()
        ],
        "figures": _figures(papers),
    }


def _figures(papers: Sequence[PaperCounts]) -> list[Mapping[str, Scalar]]:
    return [
        {
            "paper": paper.paper,
            **line_record(each.line),
            "source": each.source,
            "cause": each.why,
            "reproduced_by": ", ".join(each.reproduced_by),
        }
        for paper in papers
        for each in paper.values
    ]
