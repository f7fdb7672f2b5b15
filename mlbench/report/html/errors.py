"""What methods get wrong: the hardest rows of each data set, and the counts of each label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from mlbench.errors import MlbenchError
from mlbench.number_text import NOTHING
from mlbench.report.html.templates import PageCell
from mlbench.report.tables.hardest_rows import HardestRows, hardest_rows
from mlbench.report.tables.label_counts import label_count_tables
from mlbench.report.tables.table import Column, Table, TableRow
from mlbench.results.results import Results

N_ROWS = 20
MAX_LABELS = 200
"""More labels have no counts here: their table would be most of the page."""
MAX_ENTRIES = 5_000_000
"""Predictions of more rows and labels than this take too long to read for a page."""


def error_tables(folder: Results) -> list[Table]:
    """Return tables of the hardest rows, and of counts with links to these rows.

    There are none of rows where no predictions were kept, and none of what is too large. A note
    says which predictions cannot be read.
    """
    if folder.source != "run":
        return []
    tables = []
    for number, dataset in enumerate(folder.datasets, start=1):
        hardest = None
        try:
            hardest = _hardest(folder, dataset)
        except MlbenchError as error:
            title = f"Rows of {dataset} that most methods get wrong"
            notes = (f"They cannot be shown: {error}",)
            tables.append(Table(f"errors-{number}", title, (), (), (), notes=notes))
        if hardest is not None and hardest.rows:
            tables.append(_with_anchors(hardest, number))
        tables += [_with_links(table, hardest, number) for table in _counts(folder, dataset)]
    return tables


def _hardest(folder: Results, dataset: str) -> HardestRows | None:
    keys = [key for name, _, _, key in folder.cells if name == dataset]
    rows = [row for key in keys if (row := folder.rows.get(key)) is not None and row.is_ok]
    kept = [row.counts["test_samples"] for row in rows if row.predictions is not None]
    if not kept or sum(kept) * folder.plan.datasets[dataset].n_labels > MAX_ENTRIES:
        return None
    return hardest_rows(folder, N_ROWS, dataset, folder.methods)


def _counts(folder: Results, dataset: str) -> Iterator[Table]:
    facts = folder.plan.datasets[dataset]
    if facts.n_columns > MAX_LABELS:
        return
    cells = folder.shown_cells([dataset], folder.methods)
    with suppress(MlbenchError):  # no cell has scores of labels
        yield from label_count_tables(cells, folder.whole_rows, {dataset: facts})


def _anchor(dataset: int, row: int) -> str:
    return f"hardest-{dataset}-{row}"


def _with_anchors(hardest: HardestRows, dataset: int) -> Table:
    table = hardest.table()
    rows = [
        replace(line, cells=(_anchored(line, _anchor(dataset, row.number)), *line.cells[1:]))
        for line, row in zip(table.rows, hardest.rows, strict=True)
    ]
    return replace(table, name=f"errors-{dataset}", rows=tuple(rows))


def _anchored(line: TableRow, anchor: str) -> PageCell:
    first = line.cells[0]
    return PageCell(first.printed, value=first.value, anchor=anchor)


def _with_links(table: Table, hardest: HardestRows | None, dataset: int) -> Table:
    """Return counts with a column of the hardest rows that the label is mostly wrong in."""
    table = replace(table, name=f"counts-{dataset}", records=())
    if hardest is None or not hardest.rows:
        return table
    links: Mapping[str, list[tuple[str, str]]] = {row.labels[0]: [] for row in table.rows}
    for row in hardest.rows:
        for name in row.wrong:
            if name in links:
                links[name].append((str(row.number), f"#{_anchor(dataset, row.number)}"))
    found = [links[row.labels[0]] for row in table.rows]
    rows = [
        replace(
            row,
            cells=(
                *row.cells,
                PageCell(NOTHING, is_text=True, css_class="long", links=tuple(each)),
            ),
        )
        for row, each in zip(table.rows, found, strict=True)
    ]
    note = "Hardest rows: those in the table above that most predictions get wrong in the label."
    return replace(
        table,
        columns=(*table.columns, Column("Hardest rows")),
        rows=tuple(rows),
        notes=(*table.notes, note),
    )
