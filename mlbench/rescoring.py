"""Metrics from predictions that were kept, without a refit.

What comes out is for tables alone and is written nowhere. A row is what its cell's run left
behind, and its hash vouches for that; a row that was rewritten, or a second file of scores
beside it that reports preferred, could disagree with its own predictions, and no reader could
tell which of the two a table shows. Scoring again takes milliseconds, so nothing is lost.

Rows need no revision of metrics either: a change of what an existing metric yields raises
`mlbench.plan.identity.PROTOCOL_REVISION`, because tuning chooses by metrics too, and then all
cells have other keys. A metric that is new is absent from older rows; tables count their splits
as missing, and never mix. Values that rows hold are compared with what comes out here, so that
code that changed without a new revision is noticed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from mlbench.errors import DataError, MlbenchError, StoreError
from mlbench.hashing import random_state
from mlbench.metrics import CONVENTIONS, Evaluation, Metric, TrainingLabels, evaluate, get_metric
from mlbench.metrics.conventions import SKIP
from mlbench.metrics.joined import joined_labels, joined_models
from mlbench.spelling import refuse_unknown
from mlbench.statistics.jackknife import N_BLOCKS
from mlbench.statistics.resolution import MAX_RATIO
from mlbench.store import LabelScores, Row, Store
from mlbench.store.row import values_by

if TYPE_CHECKING:
    from mlbench.data import Dataset

Cells = Iterable[tuple[str, str, int, str]]

WHOLE = ("columns", "top")
"""Arrays of predictions that have no entry for each row."""


@dataclass
class Rescored:
    """What predictions say, cell by cell."""

    rows: dict[str, Row] = field(default_factory=dict)
    """By key: rows with metrics and counts computed anew, and failed rows as they are. Cells
    without predictions have none.
    """
    without: dict[str, list[str]] = field(default_factory=dict)
    """By the reason, which names the way out: the cells that cannot be scored again."""
    without_blocks: dict[str, dict[str, list[float | None]]] = field(default_factory=dict)
    """By key and metric: scores without each block of test rows, for a jackknife."""
    differing: dict[str, float] = field(default_factory=dict)
    """By metric: the largest difference from what rows hold; inf where one is undefined."""
    needing_all: set[str] = field(default_factory=set)
    """Metrics that need all scores, where the best ones of each row were kept."""


def rescore(
    store: Store,
    cells: Cells,
    rows: Mapping[str, Row],
    load: Callable[[str], Dataset],
    user_metrics: Sequence[Metric] = (),
    jackknifed: Collection[str] = (),
) -> Rescored:
    """Score the cells of an experiment again.

    Parameters
    ----------
    store : Store
        Where predictions are kept.
    cells : iterable of (data set, method, split, key)
    rows : mapping
        Rows by key.
    load : callable
        Returns a data set by the name that it has in tables; called once for each.
    user_metrics : sequence of Metric
        Metrics of the user to compute as well. Those of the rows that are not among them keep
        their values.
    jackknifed : collection of str
        Metrics to compute without each block of test rows as well, where the test part is large
        enough for the test that needs it.

    Raises
    ------
    DataError
        If a data set is not the one that rows were computed on.
    """
    found = Rescored()
    datasets: dict[str, Dataset] = {}
    for name, method, split, key in cells:
        row = rows.get(key)
        if row is None or not row.is_ok:
            if row is not None:
                found.rows[key] = row
            continue
        try:
            arrays = store.read_predictions(row)
        except StoreError:
            reason = _way_out(row, store)
            found.without.setdefault(reason, []).append(f"{name}/{method}/{split}")
            continue
        if name not in datasets:
            datasets = {name: load(name)}  # cells come data set by data set: one in memory will do
        _refuse_other_data(datasets[name], row, name)
        evaluation = _joined(datasets[name], row, arrays, user_metrics)
        values = _supported(evaluation.plain_values, arrays, found.needing_all)
        metrics = {**row.metrics, **values}
        _note_differences(row.metrics, metrics, found.differing)
        counts = {**row.counts, **evaluation.counts}
        names = datasets[name].column_names
        by_label = row.by_label
        if "top" not in arrays:  # areas under curves need all scores
            by_label = LabelScores.of(evaluation.by_label, names, arrays.get("columns"))
            if row.by_label is not None:
                by_label = replace(by_label, train_positives=row.by_label.train_positives)
        found.rows[key] = replace(row, metrics=metrics, counts=counts, by_label=by_label)
        if jackknifed and _ratio(row) > MAX_RATIO:
            found.without_blocks[key] = _without_blocks(
                datasets[name], row, arrays, user_metrics, jackknifed
            )
    return found


def under(metrics: Sequence[str], convention: str) -> list[str]:
    """Return metrics by their names under a convention, where they know it.

    Controls, of other labels than the predicted ones, keep their names.

    Raises
    ------
    MlbenchError
        If there is no such convention, or none of the metrics knows it.
    """
    refuse_unknown("there is no convention", convention, CONVENTIONS)
    plain = [
        get_metric(
            each.name.partition("@")[0] if each.convention.labels == "predicted" else each.name
        )
        for each in map(get_metric, metrics)
    ]
    if convention == SKIP.name:
        return list(dict.fromkeys(metric.name for metric in plain))
    knowing = [
        metric for metric in plain if convention in metric.conventions and metric.convention is SKIP
    ]
    if not knowing:
        names = ", ".join(metric.name for metric in plain)
        raise MlbenchError(f"none of {names} can be read under the convention {convention!r}")
    found = [f"{each.name}@{convention}" if each in knowing else each.name for each in plain]
    return list(dict.fromkeys(found))


def _joined(
    dataset: Dataset, row: Row, arrays: Mapping[str, np.ndarray], user_metrics: Sequence[Metric]
) -> Evaluation:
    """Compare the predictions of a row's models with the truth; each judges its metrics."""

    def judged(predictions: Mapping[str, np.ndarray]) -> Evaluation:
        evaluation = _evaluation(dataset, row, predictions, user_metrics)
        if "labels_f1" not in predictions:
            return evaluation
        best_for_f1 = {**predictions, "labels": predictions["labels_f1"]}
        return joined_labels(evaluation, _evaluation(dataset, row, best_for_f1, user_metrics))

    first = judged(arrays)
    models = {
        metric: judged(values_by(metric, arrays)) if f"scores@{metric}" in arrays else first
        for metric in row.tuned_by
    }
    return joined_models(models) if models else first


def _evaluation(
    dataset: Dataset, row: Row, arrays: Mapping[str, np.ndarray], user_metrics: Sequence[Metric]
) -> Evaluation:
    """Compare predictions with the truth of the rows that they were made for."""
    truth, tasks, known = truth_of(dataset, row, arrays)
    return evaluate(
        truth,
        arrays["scores"],
        arrays["labels"],
        tasks,
        known,
        user_metrics,
        None if tasks is not None else _training(row),
        arrays.get("probabilities"),
    )


def truth_of(
    dataset: Dataset, row: Row, arrays: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Return the true labels that predictions are for, the tasks, and which samples are known.

    Raises
    ------
    DataError
        If the data set is not the one that the predictions were made on.
    """
    _refuse_other_data(dataset, row, row.dataset)
    rows = arrays["rows"]
    if "imbalance" in row.identity:
        drawn = arrays["tasks"]
        columns = drawn if dataset.tasks is None else np.zeros_like(drawn)
        return dataset.Y[rows, columns][:, None], drawn, None
    if "columns" in arrays and "tasks" in arrays:
        places = rows, arrays["columns"][arrays["tasks"]]
        known = None if dataset.known is None else dataset.known[places]
        return dataset.Y[places][:, None], arrays["tasks"], known
    tasks = None if dataset.tasks is None else dataset.tasks[rows]
    truth = dataset.Y[rows]
    if "columns" in arrays:
        truth = truth[:, arrays["columns"]]
    return truth, tasks, None


def _ratio(row: Row) -> float:
    return row.counts.get("test_samples", 0) / row.counts.get("train_samples", math.inf)


def _without_blocks(
    dataset: Dataset,
    row: Row,
    arrays: Mapping[str, np.ndarray],
    user_metrics: Sequence[Metric],
    metrics: Collection[str],
) -> dict[str, list[float | None]]:
    """Return metrics of a cell without each block of test rows.

    The blocks are drawn once for a data set: all its cells leave out the same rows.
    """
    order = random_state("blocks", dataset.fingerprint).permutation(dataset.n_samples)
    block = (order % N_BLOCKS)[arrays["rows"]]
    found: dict[str, list[float | None]] = {metric: [] for metric in metrics}
    for left_out in range(N_BLOCKS):
        kept = block != left_out
        part = {name: each if name in WHOLE else each[kept] for name, each in arrays.items()}
        values = _joined(dataset, row, part, user_metrics).plain_values if kept.any() else {}
        values = _supported(values, arrays)
        for metric, scores in found.items():
            scores.append(values.get(metric))
    return found


def _supported(
    values: Mapping[str, float | None],
    arrays: Mapping[str, np.ndarray],
    needing_all: set[str] | None = None,
) -> dict[str, float | None]:
    """Return the metrics that can be computed from what was kept, and note the others."""
    if "top" not in arrays:
        return {**values}
    depth = int(arrays["top"])
    supported = {name for name in values if get_metric(name).needs_at_most(depth)}
    if needing_all is not None:
        needing_all |= {*values} - supported
    return {name: value for name, value in values.items() if name in supported}


def _training(row: Row) -> TrainingLabels | None:
    """Return the counts of the training part, which rows of older versions do not have."""
    if row.by_label is None or row.by_label.train_positives is None:
        return None
    return TrainingLabels(np.array(row.by_label.train_positives), row.counts["train_samples"])


def _refuse_other_data(dataset: Dataset, row: Row, name: str) -> None:
    expected = row.fingerprint
    if dataset.fingerprint != expected:
        raise DataError(
            f"{name}: not the data that the predictions were made on: its fingerprint is "
            f"{dataset.fingerprint[:12]}, and the rows have {expected[:12]}; give the folder of "
            "the old data with --data, or run the experiment again"
        )


def _way_out(row: Row, store: Store) -> str:
    if row.predictions is None:
        return "no predictions were kept; set `keep_predictions: true` and run it again"
    path = store.predictions_path(row.key)
    if not path.exists():
        return "its predictions are gone; run the experiment again, which makes them anew"
    return f"its predictions are damaged; remove {path} and run the experiment again"


def _note_differences(
    old: Mapping[str, float | None],
    new: Mapping[str, float | None],
    differing: dict[str, float],
) -> None:
    for name, value in new.items():
        if name in old and (before := old[name]) != value:
            size = float("inf") if before is None or value is None else abs(value - before)
            differing[name] = max(size, differing.get(name, 0.0))
