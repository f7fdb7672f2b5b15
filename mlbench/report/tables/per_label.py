"""Scores of each label: a table for each data set and metric, with a row per label."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.errors import MlbenchError
from mlbench.number_text import NOTHING, ScoreFormat, score_format
from mlbench.report.tables.table import Column, Table, TableCell, TableRow, slug
from mlbench.results.scores import CellKey
from mlbench.store import Row
from mlbench.store.label_scores import LABEL_METRICS, LabelScores

PARTS = {"train_positives": "Training", "test_positives": "Test"}


def label_tables(
    cells: Sequence[CellKey],
    rows: Mapping[str, Row],
    settings: ReportSettings,
    datasets: Sequence[str],
) -> list[Table]:
    """Return the tables of each label for the metrics that average over labels.

    Raises
    ------
    MlbenchError
        If there are no such metrics, or no row has scores of labels.
    """
    metrics = [metric for metric in settings.metrics if metric.name in LABEL_METRICS]
    if not metrics:
        raise MlbenchError(
            f"labels have scores in {', '.join(LABEL_METRICS)}; choose some with --metric"
        )
    ok, on_older = scored_rows(cells, rows)
    unit = " in percent," if settings.percent else ""
    notes = (
        f"Mean ± standard deviation (ddof = 1),{unit} over the splits in which the label has the "
        "score.",
        *on_older,
    )
    tables = []
    for dataset in datasets:
        here = [
            (method, row.by_label) for name, method, row in ok if name == dataset and row.by_label
        ]
        for metric in metrics if here else []:
            style = score_format(metric.is_fraction, settings.percent, settings.decimals)
            tables.append(_table(dataset, metric, style, here, notes))
    return tables


def scored_rows(
    cells: Sequence[CellKey], rows: Mapping[str, Row]
) -> tuple[list[tuple[str, str, Row]], list[str]]:
    """Return the rows with results, by data set and method, and a note on those without labels.

    Raises
    ------
    MlbenchError
        If no row has scores of labels.
    """
    ok = [
        (dataset, method, rows[key])
        for dataset, method, _, key in cells
        if key in rows and rows[key].is_ok
    ]
    older = sum(row.by_label is None for *_, row in ok)
    if ok and older == len(ok):
        raise MlbenchError(
            "an older version computed the rows, without scores of labels; `mlbench rescore "
            "--per-label` computes them where predictions were kept"
        )
    return ok, [_on_older_rows(older)] if older else []


def _table(
    dataset: str,
    metric: MetricColumn,
    style: ScoreFormat,
    scored: Sequence[tuple[str, LabelScores]],
    notes: tuple[str, ...],
) -> Table:
    positives = {part: _by_label((each for _, each in scored), part) for part in PARTS}
    methods = dict.fromkeys(method for method, _ in scored)
    scores = {
        method: _by_label((each for name, each in scored if name == method), metric.name)
        for method in methods
    }
    rows, records = [], []
    for label in positives["test_positives"]:
        found = {method: scores[method].get(label, []) for method in methods}
        means = {part: _mean(positives[part][label]) for part in PARTS}
        rows.append(
            TableRow(
                (label,),
                (
                    *(_count(mean) for mean in means.values()),
                    *(_cell(values, style) for values in found.values()),
                ),
            )
        )
        records += [
            {
                "dataset": dataset,
                "label": label,
                **means,
                "metric": LABEL_METRICS[metric.name],
                "method": method,
                "mean": _mean(values),
                "std": stdev(values) if len(values) > 1 else None,
                "n": len(values),
            }
            for method, values in found.items()
        ]
    title = metric.title.removeprefix("Macro ")
    return Table(
        name=slug(f"labels-{dataset}-{metric.name}"),
        title=f"{title[0].upper()}{title[1:]} of each label of {dataset}",
        corner=("Label",),
        columns=(
            *(Column(title, group="Positives") for title in PARTS.values()),
            *(Column(method) for method in methods),
        ),
        rows=tuple(rows),
        notes=notes,
        records=tuple(records),
    )


def _on_older_rows(number: int) -> str:
    rows = "1 row has" if number == 1 else f"{number} rows have"
    return f"{rows} no scores of labels, because an older version computed them."


def _by_label(scored: Iterable[LabelScores], metric: str) -> dict[str, list[float]]:
    """Return the values of each label in the splits where it has one."""
    found: dict[str, list[float]] = {}
    for each in scored:
        values = each.column(LABEL_METRICS.get(metric, metric))
        for label, value in zip(each.names, values, strict=True):
            of_label = found.setdefault(label, [])
            if value is not None:
                of_label.append(value)
    return found


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _count(mean: float | None) -> TableCell:
    return TableCell(NOTHING if mean is None else f"{mean:.1f}", value=mean)


def _cell(values: Sequence[float], style: ScoreFormat) -> TableCell:
    if not values:
        return TableCell(NOTHING)
    mean = fmean(values)
    std = stdev(values) if len(values) > 1 else float("nan")
    return TableCell(style.score(mean, std), value=mean)
