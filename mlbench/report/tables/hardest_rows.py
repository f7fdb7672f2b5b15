"""The rows of a data set that most methods get wrong."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.number_text import counted
from mlbench.report.tables.table import Column, Scalar, Table, TableCell, TableRow, slug
from mlbench.results.kept import UNKNOWN, Judged, judged_predictions
from mlbench.results.results import Results
from mlbench.solvers.arrays import Floats, Ints

MAX_NAMES = 3
"""Labels that a row names."""


@dataclass(frozen=True)
class _Errors:
    """The errors of some methods, by row of the data set as the experiment uses it."""

    n_wrong_methods: Ints
    n_methods: Ints
    """With predictions for the row."""
    wrong_labels: Floats
    """The mean number of labels that a prediction gets wrong; NaN without predictions."""
    n_predictions: Ints


def hardest_tables(
    results: Results, number: int, datasets: Sequence[str], methods: Sequence[str]
) -> list[Table]:
    """Return the rows of each data set that most methods get wrong.

    Parameters
    ----------
    results : Results
    number : int
        How many of each data set.
    datasets, methods : sequence of str

    Raises
    ------
    MlbenchError
        If no predictions were kept, or the number is not positive.
    """
    if number < 1:
        raise MlbenchError(f"--hardest {number}: give how many rows to show, 1 or more")
    return [
        _table(dataset, judged_predictions(results, dataset, methods), number)
        for dataset in datasets
    ]


def _table(dataset: str, judged: Sequence[Judged], number: int) -> Table:
    errors = _errors(judged)
    known = np.flatnonzero(errors.n_predictions)
    share = errors.n_wrong_methods[known] / errors.n_methods[known]
    order = known[np.lexsort((known, -errors.wrong_labels[known], -share))]
    wrong = [row for row in order.tolist() if errors.n_wrong_methods[row]]
    lines = [_line(row, errors, judged) for row in wrong[:number]]
    n_methods = len({each.method for each in judged})
    return Table(
        name=slug(f"hardest-{dataset}"),
        title=f"Rows of {dataset} that most methods get wrong",
        corner=("Row", "Its labels", "Mostly wrong"),
        columns=(Column("Methods"), Column("Labels"), Column("Predictions")),
        rows=tuple(line for line, _ in lines),
        notes=(
            "Row: its number in the files of the data set, from 0. Mostly wrong: labels that more "
            "than half of the predictions get wrong, + predicted, − missed.",
            "Methods: how many get the row wrong, which is a wrong label in more than half of "
            "their predictions, one for each test part with the row. Labels: how many are wrong, "
            "mean over predictions.",
            f"{counted(n_methods, 'method')}; some of them get {len(wrong)} of {len(known)} rows "
            "in test parts wrong.",
        ),
        records=tuple({"dataset": dataset, **record} for _, record in lines),
    )


def _errors(judged: Sequence[Judged]) -> _Errors:
    n = 1 + max(int(each.kept.rows.max(initial=0)) for each in judged)
    methods = list(dict.fromkeys(each.method for each in judged))
    seen, missed = (np.zeros((len(methods), n), dtype=np.int64) for _ in range(2))
    n_labels = np.zeros(n)
    for each in judged:
        known = each.truth != UNKNOWN
        rows = each.kept.rows[known]
        wrong = np.bincount(rows, each.kept.predicted[known] != each.truth[known], n)
        i = methods.index(each.method)
        seen[i] += np.bincount(rows, minlength=n) > 0
        missed[i] += wrong > 0
        n_labels += wrong
    n_predictions = seen.sum(axis=0)
    with np.errstate(invalid="ignore"):
        means = n_labels / n_predictions
    return _Errors((2 * missed > seen).sum(axis=0), (seen > 0).sum(axis=0), means, n_predictions)


def _line(
    row: int, errors: _Errors, judged: Sequence[Judged]
) -> tuple[TableRow, dict[str, Scalar]]:
    signs: dict[str, list[int]] = {}
    labels: dict[str, None] = {}
    data_row = row
    for each in judged:
        for place in np.flatnonzero(each.kept.rows == row):
            truth, predicted = int(each.truth[place]), int(each.kept.predicted[place])
            name = each.kept.name(int(each.kept.labels[place]))
            data_row = int(each.kept.data_rows[place])
            if truth != UNKNOWN:
                signs.setdefault(name, []).append(predicted - truth)
            if truth == 1:
                labels[name] = None
    wrong = [
        f"{'+' if sum(each) > 0 else '−'}{name}"
        for name, each in signs.items()
        if 2 * sum(map(abs, each)) > len(each)
    ]
    n_wrong, n_methods = int(errors.n_wrong_methods[row]), int(errors.n_methods[row])
    mean, n_predictions = float(errors.wrong_labels[row]), int(errors.n_predictions[row])
    cells = (
        TableCell(f"{n_wrong} of {n_methods}", value=n_wrong),
        TableCell(f"{mean:.2f}", value=mean),
        TableCell(str(n_predictions), value=n_predictions),
    )
    record: dict[str, Scalar] = {
        "row": data_row,
        "n_methods_wrong": n_wrong,
        "n_methods": n_methods,
        "wrong_labels": mean,
        "n_predictions": n_predictions,
        "labels": " ".join(labels),
        "mostly_wrong": " ".join(wrong),
    }
    return TableRow((str(data_row), _named(labels), _named(wrong)), cells), record


def _named(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - MAX_NAMES} more" if len(every) > MAX_NAMES else ""
    return ", ".join(every[:MAX_NAMES]) + more or "—"
