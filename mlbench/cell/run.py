"""From data to scores."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from sklearn.base import BaseEstimator

from mlbench.cell.result import Result, count, plain_thresholds, summary_of
from mlbench.cell.tuning import draw, search
from mlbench.data import Dataset
from mlbench.metrics import TrainingLabels, evaluate
from mlbench.plan.cells import Cell, ChosenPoint
from mlbench.protocol.cross_validation import CrossValidation
from mlbench.protocol.fits import Checkpoint, fit_report
from mlbench.protocol.preprocess import prepare_parts
from mlbench.protocol.splitters import DrawnSplit
from mlbench.protocol.thresholds import POLICIES, apply_thresholds, choose_thresholds
from mlbench.protocol.tuning import held_out_scores
from mlbench.solvers.arrays import Floats
from mlbench.store import LabelScores, TuningRecord

if TYPE_CHECKING:
    from mlbench.store.plain_values import Plain


def run_cell(
    cell: Cell, dataset: Dataset, checkpoint: Checkpoint, searches: Checkpoint | None = None
) -> Result:
    """Split, tune, prepare, fit, predict, threshold, score.

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
        own = [metric.load() for metric in cell.metrics]
        split = draw(cell, dataset, cell.split)
        with _clock(seconds, "tune"):
            tuning = search(cell, dataset, split, checkpoint, searches)
        params = _parameters(cell, tuning)

        train, test = prepare_parts(split.steps, split.train, split.test)
        seed = cell.planned_method.seed(split.axes)
        fitter, model = split.fitter(seed), cell.planned_method.model(params, seed)
        with _clock(seconds, "fit"):
            model = fitter.fit(model, train.X, train.Y, train.tasks)
        report = fit_report(model)
        with _clock(seconds, "predict"):
            scores, labels = fitter.outputs(model, test.X, test.tasks, test.Y.shape[1])
        probabilities = fitter.probabilities(model, test.X, test.tasks, test.Y.shape[1])

        thresholds = None
        if cell.threshold in POLICIES:
            with _clock(seconds, "threshold"):
                if POLICIES[cell.threshold].held_out:
                    known = _held_out_scores(cell, split, params)
                else:
                    known, _ = fitter.outputs(model, train.X, train.tasks, train.Y.shape[1])
                thresholds = choose_thresholds(cell.threshold, train.Y, known, train.tasks)
                labels = apply_thresholds(scores, thresholds.values, test.tasks)
        training = TrainingLabels.of(train.Y, train.tasks)
        evaluation = evaluate(
            test.Y, scores, labels, test.tasks, test.known, own, training, probabilities
        )
    counts = count(split, evaluation)
    if thresholds is not None and POLICIES[cell.threshold].least_f1:
        counts["labels_with_common_threshold"] = thresholds.n_common
    return Result(
        metrics=evaluation.plain_values,
        counts=counts,
        by_label=LabelScores.of(evaluation.by_label, dataset.column_names, split.columns),
        params=params,
        tuning=tuning,
        thresholds=None if thresholds is None else plain_thresholds(thresholds.values),
        fit=cast("dict[str, Plain] | None", report),
        seconds=seconds,
        warnings=summary_of(caught),
        predictions={
            **split.kept,
            "scores": scores,
            "labels": labels,
            **({} if probabilities is None else {"probabilities": probabilities}),
        },
    )


def _parameters(cell: Cell, tuning: TuningRecord | None) -> dict[str, Plain]:
    """Return the tuned parameters: found by a search, or chosen by an earlier run."""
    if isinstance(cell.chosen, ChosenPoint):
        return cast("dict[str, Plain]", cell.chosen.point)
    return {} if tuning is None else tuning.grid[tuning.best]


def _held_out_scores(cell: Cell, split: DrawnSplit, params: Mapping[str, object]) -> Floats:
    assert cell.folds is not None
    seed = cell.planned_method.seed(split.axes)

    def model() -> BaseEstimator:
        return cell.planned_method.model(params, seed)

    within = CrossValidation.of(split, cell.folds, seed, cell.stratify_folds)
    return held_out_scores(model, within)


@contextmanager
def _clock(seconds: dict[str, float], step: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[step] = time.perf_counter() - start
