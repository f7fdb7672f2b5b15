"""Tables of scores: their layout, their notes, and the numbers behind them."""

from collections.abc import Sequence
from dataclasses import replace

from mlbench.comparisons.settings import MetricColumn
from mlbench.number_text import counted, listed
from mlbench.report.tables import score_notes, scores
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.scores import MARKS, ScoreCell, ScoreColumn
from mlbench.report.tables.table import Column, Scalar, Table, TableRow, slug, transposed
from mlbench.results.scores import MISSING

MANY_DATASETS = 5
WIDE_TABLE = 6
MAX_NAMED = 6
"""Data sets that a caption names."""


def score_tables(data: ReportData) -> list[Table]:
    """Return the tables of scores.

    A few data sets and metrics share one table, grouped by data set. Otherwise there is one table
    per metric. A single metric on many data sets has its data sets in rows. All this is exchanged
    if the settings transpose.
    """
    return [replace(table, notes=(*table.notes, *data.notes)) for table in _laid_out(data)]


def _laid_out(data: ReportData) -> list[Table]:
    datasets, metrics = data.datasets, data.settings.metrics
    if len(datasets) == 1:
        columns = _columns(data, datasets, metrics)
        headings = [_heading(metric.heading, metric) for metric in metrics]
        title = f"Scores on {datasets[0]}"
        table = _score_table(data, columns, headings, "scores", title)
        return [transposed(table, "Metric") if data.settings.transpose else table]
    if len(metrics) > 1 and len(datasets) * len(metrics) <= WIDE_TABLE:
        columns = _columns(data, datasets, metrics)
        headings = [_heading(each.metric.heading, each.metric, each.dataset) for each in columns]
        table = _score_table(data, columns, headings, "scores", "Scores")
        return [transposed(table, "Data set", "Metric") if data.settings.transpose else table]
    tables = []
    for metric in metrics:
        columns = _columns(data, datasets, [metric])
        headings = [_heading(dataset, metric) for dataset in datasets]
        table = _score_table(data, columns, headings, slug(f"scores-{metric.name}"), metric.heading)
        tall = len(datasets) > max(MANY_DATASETS, len(data.methods))
        is_turned = tall != data.settings.transpose
        tables.append(transposed(table, "Data set") if is_turned else table)
    return tables


def _columns(
    data: ReportData, datasets: Sequence[str], metrics: Sequence[MetricColumn]
) -> list[ScoreColumn]:
    return [
        ScoreColumn(dataset, metric, data.formats[metric.name])
        for dataset in datasets
        for metric in metrics
    ]


def _heading(title: str, metric: MetricColumn, group: str = "") -> Column:
    return Column(title, group, metric.greater_is_better)


def _score_table(
    data: ReportData,
    columns: Sequence[ScoreColumn],
    headings: Sequence[Column],
    name: str,
    title: str,
) -> Table:
    """Lay out scores, with a row per method."""
    results, methods = data.results, data.methods
    by_column = [scores.score_cells(results, methods, column) for column in columns]
    notes = [score_notes.note_on_splits(results, columns, by_column)]
    judged = [column for column in columns if column.metric.is_quality]
    metrics = {column.metric.name for column in judged}
    for symbols, (comparison, findings) in zip(MARKS, data.findings, strict=False):
        used = scores.mark_significant(by_column, methods, columns, findings, symbols)
        tested = [each for each in findings if each.is_tested and each.metric in metrics]
        if tested:
            notes.append(
                score_notes.note_on_marks(
                    comparison,
                    tested,
                    symbols,
                    used,
                    not data.hides_methods,
                    {*data.methods} <= {comparison.method, *comparison.others},
                )
            )
    for comparison, findings in data.findings if judged else ():
        notes.append(score_notes.note_on_few_pairs(results, comparison, judged))
        notes += score_notes.notes_on_uncorrected(
            results,
            comparison,
            findings,
            judged,
            data.settings.uncorrected,
            data.settings.test_train_ratio,
        )
    if len(data.findings) > len(MARKS):
        notes.append(f"Marks are shown for the first {len(MARKS)} comparisons.")
    all_cells = [
        (method, column, cell)
        for column, cells in zip(columns, by_column, strict=True)
        for method, cell in zip(methods, cells, strict=True)
    ]
    begun = _begun(all_cells) or {*methods}
    shown = [each for each in all_cells if each[0] in begun]
    notes += score_notes.notes_on_failures(shown)
    notes += score_notes.notes_on_unfinished(results, shown)
    if absent := [name for name in methods if name not in begun]:
        notes.append(f"Not shown, since no cell has run: {listed(absent)}.")
    return Table(
        name=name,
        title=title,
        corner=("Method",),
        columns=tuple(headings),
        rows=tuple(
            TableRow((method,), tuple(cells[i] for cells in by_column))
            for i, method in enumerate(methods)
            if method in begun
        ),
        bold_means="best by printed digits" if any(cell.bold for *_, cell in all_cells) else "",
        caption=_caption([name for name in methods if name in begun], columns),
        notes=tuple(note for note in notes if note),
        records=tuple(_record(*cell) for cell in all_cells),
    )


def _begun(cells: Sequence[tuple[str, ScoreColumn, ScoreCell]]) -> set[str]:
    """Return the methods of which a cell has run."""
    return {
        method
        for method, _, cell in cells
        if cell.n or any(kind != MISSING for kind, _ in cell.failures)
    }


def _caption(methods: Sequence[str], columns: Sequence[ScoreColumn]) -> str:
    datasets = list(dict.fromkeys(column.dataset for column in columns))
    headings = list(dict.fromkeys(column.metric.heading for column in columns))
    where = listed(datasets) if len(datasets) <= MAX_NAMED else f"{len(datasets)} data sets"
    return f"{listed(headings)} of {counted(len(methods), 'method')} on {where}"


def _record(method: str, column: ScoreColumn, cell: ScoreCell) -> dict[str, Scalar]:
    return {
        "dataset": column.dataset,
        "method": method,
        "metric": column.metric.name,
        "mean": cell.mean,
        "std": cell.std,
        "n": cell.n,
        "n_splits": cell.n_splits,
        "n_failed": cell.n_failed,
        "failures": ", ".join(f"{n} {kind}" for kind, n in cell.failures),
        "best": cell.bold,
        "marks": " ".join(cell.marks),
    }
