"""The leaderboard of a report: methods by their standings in each of its metrics."""

from collections.abc import Sequence
from dataclasses import replace

from mlbench.comparisons.settings import MetricColumn
from mlbench.comparisons.standings import Standings, split_scores, standings_of
from mlbench.number_text import NOTHING, counted, listed
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.scores import goodness_of
from mlbench.report.tables.standings import not_run_in_words
from mlbench.report.tables.table import Column, Table, TableCell, TableRow


def leaderboard(data: ReportData) -> Table | None:
    """Return the methods, best first in the first metric; None if nothing ranks two of them."""
    metrics = data.settings.judged_metrics
    if not metrics:
        return None
    found = {metric.name: _standings(data, metric) for metric in metrics}
    first = found[metrics[0].name]
    if len(first.rows) < 2 or not first.datasets:
        return None
    order = [row.method for row in first.rows]
    columns = [column for metric in metrics for column in _columns(data, found[metric.name], order)]
    heading = "Mean" if _is_single(data) else "Mean rank"
    return Table(
        name="leaderboard",
        title="Leaderboard",
        corner=("Rank", "Method"),
        columns=tuple(
            Column(
                title,
                metric.heading,
                title == "Best on" or (title == "Mean" and metric.greater_is_better),
            )
            for metric in metrics
            for title in ([heading] if heading == "Mean" else [heading, "Best on"])
        ),
        rows=tuple(
            TableRow((str(row.place), row.method), tuple(column[i] for column in columns))
            for i, row in enumerate(first.rows)
        ),
        notes=(_note(first, _is_single(data)), *_note_on_failures(first)),
    )


def _standings(data: ReportData, metric: MetricColumn) -> Standings:
    splits = split_scores(data.results, metric, data.datasets, data.methods)
    return standings_of(splits, {}, data.datasets, data.methods)


def _is_single(data: ReportData) -> bool:
    return len(data.datasets) == 1


def _columns(data: ReportData, found: Standings, order: Sequence[str]) -> list[list[TableCell]]:
    """Return the columns of a metric."""
    by_name = {row.method: row for row in found.rows}
    rows = [by_name[name] for name in order]
    if _is_single(data):
        number = data.formats[found.metric.name].number
        means = [row.mean for row in rows]
        return [_column(means, [NOTHING if m is None else number(m) for m in means], found.metric)]
    ranks = [row.mean_rank for row in rows]
    lower = replace(found.metric, greater_is_better=False)
    return [
        _column(ranks, [f"{rank:.2f}" for rank in ranks], lower),
        [TableCell(str(row.n_best)) for row in rows],
    ]


def _column(
    values: Sequence[float | None], printed: Sequence[str], metric: MetricColumn
) -> list[TableCell]:
    goodness = goodness_of(values, metric.greater_is_better)
    return [
        TableCell(text, value=value, goodness=good)
        for text, value, good in zip(printed, values, goodness, strict=True)
    ]


def _note(found: Standings, is_single: bool) -> str:
    if is_single:
        return f"By {found.metric.title}: means over splits."
    sets = counted(len(found.datasets), "data set")
    return (
        f"By the mean rank in {found.metric.title} over {sets}; 1 is best. Ranks do not say "
        "how much better a method is, nor how certain that is; the verdict does."
    )


def _note_on_failures(found: Standings) -> list[str]:
    notes = [not_run_in_words(found)] if found.not_run else []
    failed = [row.method for row in found.rows if row.n_failed]
    if failed:
        names = listed(failed)
        notes.append(
            f"Not finished on some data set, where they share the last ranks: {names}. The verdict "
            "ranks by means over the splits that all share."
        )
    return notes
