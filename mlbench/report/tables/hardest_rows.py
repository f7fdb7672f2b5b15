"""The rows of a data set that most methods get wrong."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.number_text import counted
from mlbench.report.tables.table import Column, Scalar, Table, TableCell, TableRow, slug
from mlbench.results.kept import UNKNOWN, Judged, judged_predictions, whose_models
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


@dataclass(frozen=True)
class HardRow:
    """A row that methods get wrong."""

    number: int
    """In the files of the data set, from 0."""
    labels: Sequence[str]
    """Those that it has."""
    wrong: Mapping[str, str]
    """Labels that more than half of the predictions get wrong, with + or −."""
    n_wrong_methods: int
    n_methods: int
    wrong_labels: float
    n_predictions: int

    @property
    def signed(self) -> list[str]:
        """The wrong labels with their signs."""
        return [f"{sign}{name}" for name, sign in self.wrong.items()]

    def as_table_row(self) -> TableRow:
        """Return what a table shows."""
        cells = (
            TableCell(f"{self.n_wrong_methods} of {self.n_methods}", value=self.n_wrong_methods),
            TableCell(f"{self.wrong_labels:.2f}", value=self.wrong_labels),
            TableCell(str(self.n_predictions), value=self.n_predictions),
        )
        return TableRow((str(self.number), _named(self.labels), _named(self.signed)), cells)

    def record(self) -> dict[str, Scalar]:
        """Return a line of CSV."""
        return {
            "row": self.number,
            "n_methods_wrong": self.n_wrong_methods,
            "n_methods": self.n_methods,
            "wrong_labels": self.wrong_labels,
            "n_predictions": self.n_predictions,
            "labels": "; ".join(self.labels),
            "mostly_wrong": "; ".join(self.signed),
        }


@dataclass(frozen=True)
class HardestRows:
    """The rows of a data set that most methods get wrong, these first."""

    dataset: str
    rows: Sequence[HardRow]
    n_wrong: int
    """Rows that some methods get wrong."""
    n_tested: int
    n_methods: int
    whose: str
    """Which models made the predictions, in words."""

    def table(self) -> Table:
        """Return them as a table."""
        one = self.n_methods == 1
        of = "" if one else f" for at least one of {self.n_methods} methods"
        who_gets = "the method gets" if one else "most methods get"
        return Table(
            name=slug(f"hardest-{self.dataset}"),
            title=f"Rows of {self.dataset} that {who_gets} wrong",
            corner=("Row", "Its labels", "Mostly wrong"),
            columns=(Column("Methods"), Column("Labels"), Column("Predictions")),
            rows=tuple(row.as_table_row() for row in self.rows),
            notes=(
                "Row: its number in the files of the data set, from 0: line 2 of a CSV file is row "
                "0. Mostly wrong: labels that more than half of the predictions get wrong, + "
                "predicted, − missed.",
                "Methods: how many get the row wrong, which is a wrong label in more than half of "
                "their predictions, one for each test part with the row. Labels: how many are "
                "wrong, mean over predictions. They are the predictions for F1."
                f" {self.whose}".rstrip(),
                f"{self.n_wrong} of {counted(self.n_tested, 'row')} in test parts are wrong{of}.",
            ),
            records=tuple({"dataset": self.dataset, **row.record()} for row in self.rows),
        )


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
    return [hardest_rows(results, number, dataset, methods).table() for dataset in datasets]


def hardest_rows(
    results: Results, number: int, dataset: str, methods: Sequence[str]
) -> HardestRows:
    """Return the rows of a data set that most methods get wrong.

    Raises
    ------
    MlbenchError
        If no predictions were kept.
    """
    judged = judged_predictions(results, dataset, methods)
    errors = _errors(judged)
    known = np.flatnonzero(errors.n_predictions)
    share = errors.n_wrong_methods[known] / errors.n_methods[known]
    order = known[np.lexsort((known, -errors.wrong_labels[known], -share))]
    wrong = [row for row in order.tolist() if errors.n_wrong_methods[row]]
    return HardestRows(
        dataset=dataset,
        rows=[_hard_row(row, errors, judged) for row in wrong[:number]],
        n_wrong=len(wrong),
        n_tested=len(known),
        n_methods=len({each.method for each in judged}),
        whose=whose_models(judged),
    )


def _errors(judged: Sequence[Judged]) -> _Errors:
    n = 1 + max(int(each.kept.rows.max(initial=0)) for each in judged)
    methods = list(dict.fromkeys(each.method for each in judged))
    seen, missed = (np.zeros((len(methods), n), dtype=np.int64) for _ in range(2))
    n_labels = np.zeros(n)
    for each in judged:
        known = each.truth != UNKNOWN
        rows = each.kept.rows[known]
        wrong = np.bincount(rows, each.kept.for_f1[known] != each.truth[known], n)
        i = methods.index(each.method)
        seen[i] += np.bincount(rows, minlength=n) > 0
        missed[i] += wrong > 0
        n_labels += wrong
    n_predictions = seen.sum(axis=0)
    with np.errstate(invalid="ignore"):
        means = n_labels / n_predictions
    return _Errors((2 * missed > seen).sum(axis=0), (seen > 0).sum(axis=0), means, n_predictions)


def _hard_row(row: int, errors: _Errors, judged: Sequence[Judged]) -> HardRow:
    signs: dict[str, list[int]] = {}
    labels: dict[str, None] = {}
    data_row = row
    for each in judged:
        for place in np.flatnonzero(each.kept.rows == row):
            truth, predicted = int(each.truth[place]), int(each.kept.for_f1[place])
            name = each.kept.name(int(each.kept.labels[place]))
            data_row = int(each.kept.data_rows[place])
            if truth != UNKNOWN:
                signs.setdefault(name, []).append(predicted - truth)
            if truth == 1:
                labels[name] = None
    return HardRow(
        number=data_row,
        labels=[*labels],
        wrong={
            name: "+" if sum(each) > 0 else "−"
            for name, each in signs.items()
            if 2 * sum(map(abs, each)) > len(each)
        },
        n_wrong_methods=int(errors.n_wrong_methods[row]),
        n_methods=int(errors.n_methods[row]),
        wrong_labels=float(errors.wrong_labels[row]),
        n_predictions=int(errors.n_predictions[row]),
    )


def _named(names: Iterable[str]) -> str:
    every = list(names)
    if len(every) <= MAX_NAMES + 1:  # one more takes no more room than to say so
        return ", ".join(every) or "—"
    return f"{', '.join(every[:MAX_NAMES])} and {len(every) - MAX_NAMES} more"
