"""A final model: fitted on the training part, cut at thresholds, judged on the test part."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sklearn.base import BaseEstimator

from mlbench.metrics import Evaluation, Metric, TrainingLabels, evaluate
from mlbench.metrics.joined import joined_labels
from mlbench.plan.cells import Cell
from mlbench.protocol.arrays import Part
from mlbench.protocol.cross_validation import CrossValidation
from mlbench.protocol.fits import Report, convergence_warnings, fit_report
from mlbench.protocol.splitters import DrawnSplit
from mlbench.protocol.thresholds import POLICIES, Thresholds, apply_thresholds, choose_thresholds
from mlbench.protocol.tuning import held_out_scores
from mlbench.solvers.arrays import Floats, Ints
from mlbench.steps import doing


@dataclass(frozen=True)
class FinalModel:
    """What a final model says of the test part, and of its own fit."""

    evaluation: Evaluation
    report: Report | None
    thresholds: Thresholds | None
    predictions: dict[str, Floats | Ints]
    """Arrays by name: scores and labels; probabilities and the labels that suit F1, if any."""


def final_model(
    cell: Cell,
    params: Mapping[str, object],
    split: DrawnSplit,
    train: Part,
    test: Part,
    metrics: Sequence[Metric],
    seconds: dict[str, float],
) -> FinalModel:
    """Fit, predict, threshold, score.

    Parameters
    ----------
    cell : Cell
    params : mapping
        The tuned parameters.
    split : DrawnSplit
    train, test : Part
        The parts of the split, prepared.
    metrics : sequence of Metric
        To compute in addition to those of every row.
    seconds : dict
        Receives the time of each step.
    """
    seed = cell.planned_method.seed(split.axes)
    fitter, model = split.fitter(seed), cell.planned_method.model(params, seed)
    with _clock(seconds, "fit"), convergence_warnings() as warned:
        model = fitter.fit(model, train.X, train.Y, train.tasks)
    report = fit_report(model, has_stopped=bool(warned))
    with _clock(seconds, "predict"):
        scores, labels = fitter.outputs(model, test.X, test.tasks, test.Y.shape[1])
    probabilities = fitter.probabilities(model, test.X, test.tasks, test.Y.shape[1])
    predictions: dict[str, Floats | Ints] = {"scores": scores, "labels": labels}
    if probabilities is not None:
        predictions["probabilities"] = probabilities

    def judged(predicted: Ints) -> Evaluation:
        training = TrainingLabels.of(train.Y, train.tasks)
        return evaluate(
            test.Y, scores, predicted, test.tasks, test.known, metrics, training, probabilities
        )

    if cell.threshold not in POLICIES:
        return FinalModel(judged(labels), report, None, predictions)
    with _clock(seconds, "threshold"):
        if POLICIES[cell.threshold].held_out:
            judges, known = _held_out(cell, split, params)
        else:
            judges = train
            known, _ = fitter.outputs(model, train.X, train.tasks, train.Y.shape[1])
        thresholds = choose_thresholds(cell.threshold, judges.Y, known, judges.tasks)
        cut = apply_thresholds(scores, thresholds.values, test.tasks)
    if cell.threshold_for_f1:
        evaluation = joined_labels(judged(labels), judged(cut))
        return FinalModel(evaluation, report, thresholds, {**predictions, "labels_f1": cut})
    return FinalModel(judged(cut), report, thresholds, {**predictions, "labels": cut})


def _held_out(cell: Cell, split: DrawnSplit, params: Mapping[str, object]) -> tuple[Part, Floats]:
    """Return the samples that folds of the training part hold out, and their scores."""
    assert cell.folds is not None
    seed = cell.planned_method.seed(split.axes)

    def model() -> BaseEstimator:
        return cell.planned_method.model(params, seed)

    within = CrossValidation.of(split, cell.folds, seed, cell.stratify_folds)
    return within.part.take(within.held), held_out_scores(model, within)[within.held]


@contextmanager
def _clock(seconds: dict[str, float], step: str) -> Iterator[None]:
    start = time.perf_counter()
    with doing(f"final {step}" if step == "fit" else step):
        yield
    seconds[step] = time.perf_counter() - start
