"""The search of a cell: recalled where another cell has done it, done where none has."""

from __future__ import annotations

import warnings
from dataclasses import replace

from mlbench.data import Dataset
from mlbench.data.frame_columns import FrameColumns
from mlbench.methods.parameters import set_seed
from mlbench.options import FRAME
from mlbench.plan.cells import Cell, PlannedMethod, PlannedSearch
from mlbench.protocol.arrays import Point
from mlbench.protocol.cross_validation import CrossValidation
from mlbench.protocol.fits import Checkpoint
from mlbench.protocol.splitters import DrawnSplit
from mlbench.protocol.tuning import tune
from mlbench.store import TuningRecord, to_plain, tuning_from_plain


def draw(cell: Cell, dataset: Dataset, index: int) -> DrawnSplit:
    """Draw a split of the cell's data set; all methods get the same."""
    named = dataset.described(cell.data.canonical, dataset.notes)
    if cell.steps == (FRAME,):
        columns = FrameColumns(dataset.feature_columns, dataset.texts)
        return replace(cell.splitter.draw(named, index), columns_as_frame=columns)
    return replace(cell.splitter.draw(named, index, cell.steps), texts=dataset.texts)


def search(
    cell: Cell,
    dataset: Dataset,
    split: DrawnSplit,
    checkpoint: Checkpoint,
    searches: Checkpoint | None,
) -> TuningRecord | None:
    """Search on this split's training part or, if so wanted, on the first split's for all.

    A search that another cell has done is recalled.
    """
    tuning, name = cell.tuning, cell.search
    if tuning is None or name is None or cell.folds is None:
        return None
    known = None if searches is None else searches.load(name)
    if known is None:
        found = _done(cell, tuning, dataset, split, checkpoint)
        if searches is not None:
            searches.save(name, to_plain(found))
    else:
        found = tuning_from_plain(known)
    if found.undefined is not None and found.undefined.is_all:
        for metric in tuning.metrics:
            if not _has_scores(found, metric):
                warnings.warn(
                    f"tuning: {metric} was undefined for every candidate; the first was taken",
                    stacklevel=2,
                )
    return found


def _has_scores(found: TuningRecord, metric: str) -> bool:
    scores = found.scores if metric == found.metric else found.also[metric]
    return any(score is not None for folds in scores for score in folds)


def _done(
    cell: Cell, tuning: PlannedSearch, dataset: Dataset, split: DrawnSplit, checkpoint: Checkpoint
) -> TuningRecord:
    assert cell.folds is not None
    index = tuning.split(cell.split)
    if index != cell.split:
        split = draw(cell, dataset, index)
    seed = cell.planned_method.seed(split.axes)
    tuned = tune(
        cell.planned_method.model({}, seed),
        _seeded(cell.planned_method, tuning.grid, seed),
        CrossValidation.of(split, cell.folds, seed, cell.stratify_folds),
        tuning.metrics,
        checkpoint,
        tuning.patience,
        tuning.halving,
        [name for name in cell.judged_by if name not in tuning.metrics],
    )
    return tuning_from_plain(
        {
            "metric": tuned.metric,
            "split": index,
            "grid": tuning.grid,
            "best": tuned.best,
            "best_by": tuned.best_by,
            "scores": tuned.scores,
            "not_converged": tuned.not_converged,
            "stopped": tuned.stopped,
            "undefined": tuned.undefined,
            "also": tuned.also,
        }
    )


def _seeded(method: PlannedMethod, grid: list[Point], seed: int) -> list[Point]:
    """Return the grid for ``set_params``; estimators in it are seeded like the model."""
    model = method.make()
    return [
        {
            name: set_seed(value, seed) if hasattr(value, "get_params") else value
            for name, value in method.translate(point, model).items()
        }
        for point in grid
    ]
