"""True and false positives and negatives of each label: a table for each data set."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from mlbench.dataset_facts import DatasetFacts
from mlbench.number_text import NOTHING
from mlbench.report.tables.per_label import scored_rows
from mlbench.report.tables.table import Column, Table, TableCell, TableRow, slug
from mlbench.results.plan import PlannedCell
from mlbench.store import Row

COUNTS = ("tp", "fp", "fn", "tn")
Counts = dict[str, float | None]


def label_count_tables(
    cells: Sequence[PlannedCell], rows: Mapping[str, Row], datasets: Mapping[str, DatasetFacts]
) -> list[Table]:
    """Return the counts of each label on each data set, as means over splits.

    Raises
    ------
    MlbenchError
        If no row has scores of labels.
    """
    ok, notes = scored_rows(cells, rows)
    tables = []
    for dataset, facts in datasets.items():
        here = [(method, row) for name, method, row in ok if name == dataset]
        if here:
            tables.append(_table(dataset, facts, here, notes))
    return tables


def _table(
    dataset: str, facts: DatasetFacts, scored: Sequence[tuple[str, Row]], notes: Sequence[str]
) -> Table:
    methods = list(dict.fromkeys(method for method, _ in scored))
    found: dict[tuple[str, str], list[Counts]] = {}
    for method, row in scored:
        for label, counts in _counts(row, facts):
            found.setdefault((label, method), []).append(counts)
    means_of: dict[str, list[float | None]] = {}
    records = []
    for label in dict.fromkeys(label for label, _ in found):
        cells: list[float | None] = []
        for method in methods:
            of_splits = found.get((label, method), [])
            means = {name: _mean([each[name] for each in of_splits]) for name in COUNTS}
            cells += means.values()
            names = {"dataset": dataset, "label": label, "method": method}
            records.append({**names, **means, "n": len(of_splits)})
        means_of[label] = cells
    are_whole = all(
        mean is None or mean.is_integer() for each in means_of.values() for mean in each
    )
    decimals = 0 if are_whole else 1
    unknown = ["TN is not known where each label has test rows of its own."]
    return Table(
        name=slug(f"counts-{dataset}"),
        title=f"True and false positives and negatives of each label of {dataset}",
        corner=("Label",),
        columns=tuple(Column(name.upper(), group=method) for method in methods for name in COUNTS),
        rows=tuple(
            TableRow((label,), tuple(_cell(mean, decimals) for mean in each))
            for label, each in means_of.items()
        ),
        notes=(
            "Means over splits, of the predictions for F1.",
            *(unknown if any(each["tn"] is None for each in records) else []),
            *notes,
        ),
        records=tuple(records),
    )


def _counts(row: Row, facts: DatasetFacts) -> list[tuple[str, Counts]]:
    scores = row.by_label
    if scores is None:
        return []
    own_rows = facts.n_tasks or facts.fewest_known is not None or "imbalance" in row.identity
    n = None if own_rows else row.counts["test_samples"]
    return [
        (
            name,
            {"tp": tp, "fp": fp, "fn": fn, "tn": None if n is None else n - tp - fp - fn},
        )
        for name, tp, fp, fn in zip(scores.names, scores.tp, scores.fp, scores.fn, strict=True)
    ]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _cell(mean: float | None, decimals: int) -> TableCell:
    return TableCell(NOTHING if mean is None else f"{mean:.{decimals}f}", value=mean)
