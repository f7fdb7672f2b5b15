"""Predictions that were kept, entry by entry, with the truth that they were scored against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.metrics.joined import model_of
from mlbench.number_text import listed
from mlbench.rescoring import truth_of
from mlbench.solvers.arrays import Flags, Floats, Ints
from mlbench.store import Row
from mlbench.store.row import values_by

if TYPE_CHECKING:
    from mlbench.data import Dataset
    from mlbench.results.results import Results

UNKNOWN = -1
"""In place of an unknown label."""


@dataclass(frozen=True, eq=False)
class KeptPredictions:
    """The predictions of a cell on its test part: arrays with an entry per row and label."""

    rows: Ints
    """Of the data set as the experiment uses it, from 0."""
    data_rows: Ints
    """Of its files, from 0; others where the experiment leaves rows out."""
    labels: Ints
    """Numbers of the labels or tasks of the data set."""
    names: Mapping[int, str]
    """Of these labels; those of older versions have none."""
    scores: Floats
    predicted: Ints
    probabilities: Floats | None
    """Where they are not the scores."""
    predicted_f1: Ints | None
    """Where F1 and its kind have thresholds of their own."""
    top: int | None
    """How many of each row's best scores were kept, if not all; the others are -inf."""
    truth: Ints | None
    """`UNKNOWN` for unknown labels; None where no truth was kept and no data are given."""

    @property
    def likely(self) -> Floats | None:
        """The probabilities, or the scores where they lie between 0 and 1 and could be some."""
        if self.probabilities is not None:
            return self.probabilities
        could_be = self.scores.size and self.scores.min() >= 0 and self.scores.max() <= 1
        return self.scores if could_be else None

    @property
    def for_f1(self) -> Ints:
        """The predictions that F1 is computed from."""
        return self.predicted if self.predicted_f1 is None else self.predicted_f1

    def name(self, label: int) -> str:
        """Return the name of a label, or its number where it has none."""
        return self.names.get(label, str(label))


def kept_predictions(
    arrays: Mapping[str, np.ndarray], row: Row, metric: str = "", data: Dataset | None = None
) -> KeptPredictions:
    """Return the predictions of a cell.

    Parameters
    ----------
    arrays : mapping
        What was kept.
    row : Row
    metric : str, optional
        Where several metrics tuned models: the one whose model is wanted.
    data : Dataset, optional
        Where an older version kept no truth. It is refused if it is not the data of the row.

    Raises
    ------
    DataError
        If the data set is not the one that the predictions were made on.
    """
    arrays = values_by(metric, arrays)
    scores = arrays["scores"]
    k = scores.shape[1]
    rows, columns = arrays["rows"], arrays.get("columns", np.arange(k))
    truth, tasks = arrays.get("truth"), arrays.get("own_tasks")
    data_rows = arrays.get("data_rows", rows)
    if data is not None:
        true, own, known = truth_of(data, row, arrays)
        truth = true if known is None else np.where(known[:, None], true, UNKNOWN)
        tasks = tasks if "tasks" in arrays else own
        data_rows = rows if data.row_numbers is None else data.row_numbers[rows]
    if "tasks" in arrays:
        labels = arrays["tasks"] if "columns" not in arrays else columns[arrays["tasks"]]
    else:
        labels = np.tile(columns, len(rows)) if tasks is None else tasks
    names = [] if row.by_label is None else row.by_label.names
    numbers: list[int] = _in_order(labels, truth).tolist()
    return KeptPredictions(
        rows=np.repeat(rows, k),
        data_rows=np.repeat(data_rows, k),
        labels=labels,
        names=dict(zip(numbers, names, strict=True)) if len(names) == len(numbers) else {},
        scores=scores.ravel(),
        predicted=arrays["labels"].ravel().astype(np.int64),
        probabilities=_ravelled(arrays.get("probabilities")),
        predicted_f1=_ravelled_labels(arrays.get("labels_f1")),
        top=int(arrays["top"]) if "top" in arrays else None,
        truth=_ravelled_labels(truth),
    )


def _in_order(labels: Ints, truth: Ints | None) -> Ints:
    """Return the labels that were scored, in the order in which rows name them."""
    known: Flags | slice = slice(None) if truth is None else truth.ravel() != UNKNOWN
    return np.unique(labels[known])


def _ravelled_labels(array: np.ndarray | None) -> Ints | None:
    return None if array is None else array.ravel().astype(np.int64)


def _ravelled(array: np.ndarray | None) -> np.ndarray | None:
    return None if array is None else array.ravel()


class Judged(NamedTuple):
    """Kept predictions with their truth, and whose they are."""

    method: str
    row: Row
    kept: KeptPredictions
    truth: Ints


def whose_models(judged: Sequence[Judged], metric: str = "macro_f1") -> str:
    """Say whose predictions those of methods with several models are; else nothing."""
    chosen = {
        model_of(metric, each.row.tuned_by): None for each in judged if len(each.row.tuned_by) > 1
    }
    if not chosen:
        return ""
    return f"Where several metrics tuned models, they are of those tuned by {listed([*chosen])}."


def judged_predictions(
    results: Results,
    dataset: str,
    methods: Sequence[str],
    metric: str = "macro_f1",
    needs_all_scores: bool = False,
) -> list[Judged]:
    """Return the kept predictions of some methods on a data set, split by split.

    Where several metrics tuned models, they are those of the model that tables show ``metric`` of.
    Cells that have not run or failed are left out.

    Raises
    ------
    MlbenchError
        If no predictions were kept, or too few, or not their truth and the data are not there.
    """
    results.require_run("predictions")
    found = []
    data: Dataset | None = None
    for _, method, split, key in results.shown_cells([dataset], methods):
        row = results.whole_rows.get(key)
        if row is None or not row.is_ok or row.predictions is None:
            continue
        tuned_by = model_of(metric, row.tuned_by) if row.tuned_by else ""
        kept = results.kept_predictions(dataset, method, split, tuned_by, data)
        if needs_all_scores and kept.top is not None:
            raise MlbenchError(
                f"{dataset}/{method}/{split}: the {kept.top} best scores of each row were kept, "
                "and all are needed; run it again in another folder with `keep_predictions: true`"
            )
        if kept.truth is None:
            if results.load_data is None:
                raise MlbenchError(
                    f"{dataset}/{method}/{split}: an older version kept predictions without true "
                    "labels; run the experiment again in another folder"
                )
            data = results.load_data(dataset)
            kept = results.kept_predictions(dataset, method, split, tuned_by, data)
        assert kept.truth is not None
        found.append(Judged(method, row, kept, kept.truth))
    if not found:
        raise MlbenchError(
            f"{dataset}: no predictions were kept; set `keep_predictions: true` in the experiment "
            "and run it again"
        )
    return found
