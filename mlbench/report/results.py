"""The rows of an experiment, arranged for tables: scores by split, failures by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pandas as pd

from mlbench.errors import MlbenchError

VALUE_COLUMNS = ("dataset", "method", "split", "metric", "value")
STATUS_COLUMNS = ("dataset", "method", "split", "status")
OK = "ok"
UNDEFINED = "undefined"
MISSING = "missing"

Scores = dict[int, float]


class Results:
    """Scores and failures of an experiment.

    Parameters
    ----------
    values : DataFrame
        Columns dataset, method, split, metric, value; one line per score, nan where undefined.
    statuses : DataFrame
        Columns dataset, method, split, status; one line per cell that was run. Status is "ok"
        or the kind of failure; scores of a cell that is not ok are not looked at.
    n_splits : int or mapping of data set to int
        Splits that the experiment has.

    Raises
    ------
    mlbench.errors.MlbenchError
        When a column is lacking, a line occurs twice, or there are more splits than stated.
    """

    def __init__(
        self, values: pd.DataFrame, statuses: pd.DataFrame, n_splits: int | Mapping[str, int]
    ) -> None:
        _check(values, VALUE_COLUMNS, "values")
        _check(statuses, STATUS_COLUMNS, "statuses")
        self._n_splits = n_splits
        self.datasets = _in_order(values["dataset"], statuses["dataset"])
        self.methods = _in_order(values["method"], statuses["method"])
        self.metrics = _in_order(values["metric"])
        bad_cells: set[tuple[str, str, int]] = set()
        self._failed: dict[tuple[str, str], Counter[str]] = {}
        for dataset, method, split, status in zip(
            *(statuses[column].tolist() for column in STATUS_COLUMNS), strict=True
        ):
            if status != OK:
                bad_cells.add((dataset, method, split))
                self._failed.setdefault((dataset, method), Counter())[str(status)] += 1
        self._scores: dict[tuple[str, str, str], Scores] = {}
        for dataset, method, split, metric, value in zip(
            *(values[column].tolist() for column in VALUE_COLUMNS), strict=True
        ):
            if (dataset, method, split) not in bad_cells:
                self._scores.setdefault((dataset, method, metric), {})[split] = float(value)

    def n_splits(self, dataset: str) -> int:
        """Return how many splits the experiment has on a data set."""
        if isinstance(self._n_splits, int):
            return self._n_splits
        if dataset not in self._n_splits:
            raise MlbenchError(f"the number of splits of data set {dataset!r} is not stated")
        return self._n_splits[dataset]

    def scores(self, dataset: str, method: str, metric: str) -> Scores:
        """Return the score of every split that has one."""
        found = self._scores.get((dataset, method, metric), {})
        return {split: value for split, value in sorted(found.items()) if value == value}

    def failures(self, dataset: str, method: str, metric: str) -> tuple[tuple[str, int], ...]:
        """Return the kinds of what keeps splits without a score, with their numbers."""
        found = self._scores.get((dataset, method, metric), {})
        kinds = Counter(self._failed.get((dataset, method), Counter()))
        kinds[UNDEFINED] += sum(value != value for value in found.values())
        accounted = sum(kinds.values()) + sum(value == value for value in found.values())
        expected = self.n_splits(dataset)
        if accounted > expected:
            raise MlbenchError(
                f"{method!r} on {dataset!r} has {accounted} splits, but the experiment has "
                f"{expected}"
            )
        kinds[MISSING] += expected - accounted
        return tuple((kind, number) for kind, number in kinds.items() if number)


def _check(frame: pd.DataFrame, columns: Sequence[str], name: str) -> None:
    lacking = [column for column in columns if column not in frame.columns]
    if lacking:
        raise MlbenchError(f"{name} lacks the column {lacking[0]!r}; it needs {', '.join(columns)}")
    twice = frame[frame.duplicated(list(columns[:-1]))]
    if len(twice):
        line = ", ".join(f"{column} {twice.iloc[0][column]}" for column in columns[:-1])
        raise MlbenchError(f"{name} holds a line twice: {line}")


def _in_order(*columns: pd.Series) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(name) for column in columns for name in column.unique()))
