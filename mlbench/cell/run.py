"""From data to scores."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from mlbench.cell.final_model import FinalModel, final_model
from mlbench.cell.result import Result, count, plain_thresholds, summary_of_result
from mlbench.cell.tuning import draw, search
from mlbench.data import Dataset
from mlbench.hashing import canonical_json
from mlbench.metrics.joined import joined_models
from mlbench.plan.cells import Cell, ChosenPoint
from mlbench.protocol.fits import Checkpoint
from mlbench.protocol.thresholds import POLICIES
from mlbench.store import LabelScores, TuningRecord

if TYPE_CHECKING:
    from mlbench.protocol.arrays import Part
    from mlbench.protocol.splitters.base import DrawnSplit
    from mlbench.solvers.arrays import Ints
    from mlbench.store.plain_values import Plain

    Points = tuple[dict[str, Plain], dict[str, dict[str, Plain]]]

Value = TypeVar("Value")


def run_cell(
    cell: Cell, dataset: Dataset, checkpoint: Checkpoint, searches: Checkpoint | None = None
) -> Result:
    """Split, tune, prepare, and fit, threshold and score the final model.

    Where several metrics decide, there is a final model for each. Metrics that chose the same
    parameters share one. The first is what the result describes; from the others come the
    metrics that they were tuned by.

    Parameters
    ----------
    cell : Cell
    dataset : Dataset
    checkpoint : Checkpoint
        Where this cell's search keeps its finished folds.
    searches : Checkpoint, optional
        Where cells share finished searches, if other cells need this one's.
    """
    seconds: dict[str, float] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        user_metrics = [metric.load() for metric in cell.metrics]
        split = draw(cell, dataset, cell.split)
        start = time.perf_counter()
        tuning = search(cell, dataset, split, checkpoint, searches)
        seconds["tune"] = time.perf_counter() - start
        params, by_metric = _parameters(cell, tuning)

        train, test = split.preparation.parts(split.train, split.test)
        first = final_model(cell, params, split, train, test, user_metrics, seconds)
        models = {canonical_json(params): first}
        for point in by_metric.values():
            if (name := canonical_json(point)) not in models:
                models[name] = final_model(cell, point, split, train, test, user_metrics, {})
    tuned = {metric: models[canonical_json(point)] for metric, point in by_metric.items()}
    evaluation = first.evaluation
    if len(models) > 1:
        evaluation = joined_models({metric: each.evaluation for metric, each in tuned.items()})
    counts = count(split, evaluation)
    if first.thresholds is not None and POLICIES[cell.threshold].least_f1:
        counts["labels_with_common_threshold"] = first.thresholds.n_common
    others = {metric: each for metric, each in tuned.items() if each is not first}
    return Result(
        metrics=evaluation.plain_values,
        counts=counts,
        by_label=LabelScores.of(evaluation.by_label, dataset.column_names, split.columns),
        params=params | _named({metric: by_metric[metric] for metric in others}),
        tuning=tuning,
        thresholds=None if first.thresholds is None else plain_thresholds(first.thresholds.values),
        fit=_reports(first, others),
        seconds=seconds,
        warnings=summary_of_result(caught),
        predictions={
            **split.kept,
            **_truth(dataset, split, test),
            **first.predictions,
            **_named({metric: each.predictions for metric, each in others.items()}),
        },
    )


def _truth(dataset: Dataset, split: DrawnSplit, test: Part) -> dict[str, Ints]:
    """Return the true labels of the test part, -1 where unknown, and what names its samples."""
    truth = test.Y if test.known is None else np.where(test.known, test.Y, -1)
    arrays: dict[str, Ints] = {"truth": truth.astype(np.int8)}
    if test.tasks is not None and "tasks" not in split.kept:
        arrays["own_tasks"] = test.tasks
    if dataset.row_numbers is not None:
        arrays["data_rows"] = dataset.row_numbers[test.rows]
    return arrays


def _parameters(cell: Cell, tuning: TuningRecord | None) -> Points:
    """Return the tuned parameters, and by metric where several metrics decided.

    A search has found them, or an earlier run has chosen them.
    """
    if isinstance(cell.chosen, ChosenPoint):
        by_metric = {metric: each.point for metric, each in cell.chosen_by.items()}
        return cast("Points", (cell.chosen.point, by_metric))
    if tuning is None:
        return {}, {}
    assert cell.tuning is not None
    several = cell.tuning.metrics if cell.tuning.others else ()
    points = {metric: tuning.grid[tuning.best_by[metric]] for metric in several}
    return tuning.grid[tuning.best], points


def _named(values: Mapping[str, Mapping[str, Value]]) -> dict[str, Value]:
    """Return the values that belong to metrics, such as ``C@macro_auc``."""
    return {
        f"{name}@{metric}": value for metric, of in values.items() for name, value in of.items()
    }


def _reports(first: FinalModel, others: Mapping[str, FinalModel]) -> dict[str, Plain] | None:
    """Return what the models say of their fits; of those after the first, the plain numbers."""
    of_others = {
        metric: {k: v for k, v in (each.report or {}).items() if not isinstance(v, list | dict)}
        for metric, each in others.items()
    }
    told = (first.report or {}) | _named(of_others)
    return cast("dict[str, Plain]", told) if told else None
