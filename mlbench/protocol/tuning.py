"""The search for parameters by cross-validation inside the training part."""

import time
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import BaseEstimator

from mlbench.errors import MethodError, MlbenchError
from mlbench.metrics import TrainingLabels, get_metric
from mlbench.metrics.outcome import Outcome
from mlbench.protocol.arrays import Point
from mlbench.protocol.cross_validation import CrossValidation
from mlbench.protocol.fits import (
    Checkpoint,
    Convergence,
    Fit,
    count_unconverged,
    fit_report,
    is_above,
    mean_score,
    sign_of,
)
from mlbench.protocol.halving import halved
from mlbench.protocol.patience import side_by_side
from mlbench.protocol.splitters import TrainTest
from mlbench.solvers.arrays import Floats
from mlbench.steps import steps

_SAVE_AFTER_SECONDS = 1.0


@dataclass(frozen=True)
class Tuned:
    """The outcome of a search."""

    metric: str
    best: int
    """The index of the chosen candidate in the grid."""
    scores: list[list[float | None]]
    """One entry per grid point and fold."""
    best_by: dict[str, int] = field(default_factory=dict)
    """Where several metrics decide: the index that each has chosen, the first one's included."""
    not_converged: Convergence | None = None
    """Fits that did not converge; see :func:`mlbench.protocol.fits.count_unconverged`."""
    stopped: dict[str, int] | None = None
    """Where the search ended early: ``after`` how many candidates ``of`` how many, and the
    ``patience`` that had run out.
    """
    undefined: dict[str, int] | None = None
    """How many ``scores`` of candidates in folds were undefined, and ``of`` how many. Of several
    metrics that decide, it is the one without any score, or else their sum.
    """
    also: dict[str, list[list[float | None]]] = field(default_factory=dict)
    """By metric: the scores by other metrics, like `scores`. Those of a metric that decides are of
    the fits by which it decided.
    """


def tune(
    model: BaseEstimator,
    grid: Sequence[Point],
    within: CrossValidation,
    metrics: str | Sequence[str],
    checkpoint: Checkpoint,
    patience: int | None = None,
    halving: int | None = None,
    also: Sequence[str] = (),
) -> Tuned:
    """Score every grid point on every fold and choose the best mean.

    Parameters
    ----------
    model : estimator
        With the fixed parameters set; it is not changed.
    grid : sequence of dict
        Parameters of each candidate.
    within : CrossValidation
    metrics : str or sequence of str
        What is averaged over folds. Candidates are judged by their own labels; threshold
        policies apply after the parameters are chosen. Each of several metrics chooses what it
        would choose alone, and what is fitted for one is not fitted again for another.
    checkpoint : Checkpoint
        Finished folds are saved here, at most one a second; nothing is with ``patience``.
    patience : int, optional
        The folds then go along the candidates side by side, in the order in which the method
        yields them, and stop as soon as this many in a row were not above the best mean so far.
        Candidates at the beginning count only once one has a mean that differs from the first.
        Those that are not reached have no scores.
    halving : int, optional
        The factor of successive halving; see :func:`mlbench.protocol.halving.halved`. Candidates
        that do not reach the last round have no scores.
    also : sequence of str
        Other metrics to score the same fits by. They decide nothing. One that fails on a fold
        is undefined there, with a warning. Six digits of their scores are kept.

    Returns
    -------
    Tuned
        Among means that are equal but for rounding the first grid point is chosen. A fold in
        which the metric is undefined is left out of the mean; a candidate that has none is
        never chosen, unless there is no other.

    Raises
    ------
    MethodError
        A path does not yield each grid point once or, with ``patience``, differs in its order
        from fold to fold.
    """
    metrics = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    first = metrics[0]

    def fits(fold: TrainTest) -> Generator[Fit]:
        return _fits(model, grid, within, fold, metrics, also)

    def fits_of(fold: TrainTest, points: Sequence[int]) -> Iterator[Fit]:
        for fit in _fits(model, [grid[point] for point in points], within, fold, metrics, also):
            yield fit._replace(point=points[fit.point])

    folds = within.folds
    stopped = None
    if halving is not None:
        tables = _halved(fits_of, len(grid), within, halving, metrics, checkpoint)
    elif patience is None:
        tables = dict.fromkeys(metrics, _fold_by_fold(fits, folds, checkpoint))
    else:
        tables = side_by_side(fits, folds, patience, metrics, type(model).__name__)
        if (reached := max(len(table[0]) for table in tables.values())) < len(grid):
            stopped = {"after": reached, "of": len(grid), "patience": patience}
    scores = {name: _by_point(tables[name], name, len(grid)) for name in metrics}
    best = {name: _best(scores[name], sign_of(name)) for name in metrics}
    fitted = {id(fit): fit for table in tables.values() for column in table for fit in column}
    others = {
        name: _by_point(tables[first], name, len(grid))
        for name in also
        if name not in metrics
        and all(name in fit.also for fit in fitted.values())  # folds saved before it was asked for
    }
    return Tuned(
        metric=first,
        best=best[first],
        scores=scores.pop(first),
        best_by=best if len(metrics) > 1 else {},
        not_converged=count_unconverged([fit.report for fit in fitted.values()]),
        stopped=stopped,
        undefined=_undefined(tables),
        also=scores | others,
    )


def _undefined(tables: Mapping[str, Sequence[Sequence[Fit]]]) -> dict[str, int] | None:
    lacking = []
    for metric, table in tables.items():
        scores = [fit.score_by(metric) for column in table for fit in column]
        lacking.append((scores.count(None), len(scores)))
    if (without := next((each for each in lacking if each[0] == each[1]), None)) is not None:
        lacking = [without]
    number, total = map(sum, zip(*lacking, strict=True))
    return {"scores": number, "of": total} if number else None


def _halved(
    fits: Callable[[TrainTest, Sequence[int]], Iterator[Fit]],
    n_candidates: int,
    within: CrossValidation,
    factor: int,
    metrics: Sequence[str],
    checkpoint: Checkpoint,
) -> dict[str, list[list[Fit]]]:
    """Return, by metric, each fold's fits of the candidates that it left over.

    Candidates that several metrics leave over are fitted once if all others that are fitted
    with them are the same, because fits of a path depend on each other.
    """
    known: dict[tuple[bytes, bytes, tuple[int, ...]], list[Fit]] = {}

    def once(fold: TrainTest, points: Sequence[int]) -> list[Fit]:
        what = (fold.train.tobytes(), fold.test.tobytes(), tuple(points))
        if what not in known:
            known[what] = list(fits(fold, points))
        return known[what]

    return {
        metric: halved(
            once,
            n_candidates,
            within.folds,
            factor,
            metric,
            checkpoint,
            within.part.tasks,
            saved_as=f"halving-{number}" if number else "halving",
        )
        for number, metric in enumerate(metrics)
    }


def _by_point(
    folds: Sequence[Sequence[Fit]], metric: str, n_points: int
) -> list[list[float | None]]:
    """Return the score of each grid point in each fold, None where there was no fit."""
    scores: list[list[float | None]] = [[None] * len(folds) for _ in range(n_points)]
    for number, fold in enumerate(folds):
        for fit in fold:
            scores[fit.point][number] = fit.score_by(metric)
    return scores


def _fold_by_fold(
    fits: Callable[[TrainTest], Generator[Fit]], folds: Sequence[TrainTest], checkpoint: Checkpoint
) -> list[list[Fit]]:
    """Return each fold's fits; those of finished folds are kept."""
    finished: dict[str, list[Fit]] = checkpoint.load("fits") or {}
    last_saved = time.monotonic()
    for number, fold in enumerate(steps("fold", folds)):
        if str(number) in finished:
            continue
        finished[str(number)] = list(fits(fold))
        if time.monotonic() - last_saved > _SAVE_AFTER_SECONDS:
            checkpoint.save("fits", finished)
            last_saved = time.monotonic()
    return [[Fit(*fit) for fit in finished[str(number)]] for number in range(len(folds))]


def _fits(
    model: BaseEstimator,
    grid: Sequence[Point],
    within: CrossValidation,
    fold: TrainTest,
    metrics: Sequence[str],
    also: Sequence[str],
) -> Generator[Fit]:
    """Fit all candidates on a fold, in the order of the method's path."""
    asked = [get_metric(name) for name in (*metrics, *also)]
    needs_probabilities = any(metric.needs == "probabilities" for metric in asked)
    decide_nothing = [name for name in also if name not in metrics]
    learned, held = within.parts(fold)
    fitter, n_labels = within.fitter, held.Y.shape[1]
    training = None
    if any(metric.uses_training for metric in asked):
        training = TrainingLabels.of(learned.Y, learned.tasks)
    left = set(range(len(grid)))
    outcome: Outcome | None = None
    with closing(fitter.fit_path(model, learned.X, learned.Y, grid, learned.tasks)) as path:
        for index, candidate in steps("candidate", path, len(grid)):
            if index not in left:
                raise MethodError(f"{_each_once(model, grid)}; it yielded {index!r} too many")
            left.remove(index)
            probabilities = None
            if needs_probabilities:  # before the scores, which leave the same random state
                probabilities = fitter.probabilities(candidate, held.X, held.tasks, n_labels)
            scores, labels = fitter.outputs(candidate, held.X, held.tasks, n_labels)
            if outcome is None:
                outcome = Outcome(held.Y, scores, labels, held.tasks, training, probabilities)
            else:
                outcome = outcome.with_outputs(scores, labels, probabilities)
            first, *others = (_score(name, outcome) for name in metrics)
            by_metric = dict(zip(metrics[1:], others, strict=True))
            by_metric |= {name: _other_score(name, outcome) for name in decide_nothing}
            yield Fit(int(index), first, fit_report(candidate), by_metric)
    if left:
        missing = ", ".join(map(str, sorted(left)[:5]))
        raise MethodError(f"{_each_once(model, grid)}; it did not yield {missing}")


def _score(metric: str, outcome: Outcome) -> float | None:
    value = get_metric(metric)(outcome)
    return None if np.isnan(value) else float(value)


def _other_score(metric: str, outcome: Outcome) -> float | None:
    """Return a score that decides nothing: six digits do, and a failure is not the cell's."""
    try:
        value = _score(metric, outcome)
        return None if value is None else float(f"{value:.6g}")
    except MlbenchError as error:
        warnings.warn(f"tuning: {error}", stacklevel=2)
        return None


def _each_once(model: BaseEstimator, grid: Sequence[Point]) -> str:
    return f"{type(model).__name__}.fit_path must yield each of the {len(grid)} grid points once"


def _best(scores: list[list[float | None]], sign: float) -> int:
    means = [mean_score(row, sign) for row in scores]
    highest = max(means)
    return next(i for i, mean in enumerate(means) if not is_above(highest, mean))


def held_out_scores(make_model: Callable[[], BaseEstimator], within: CrossValidation) -> Floats:
    """Return (n, k) scores, each row's from the model that did not see it; NaN without one."""
    result = np.full(within.part.Y.shape, np.nan)
    fitter = within.fitter
    for fold in steps("fold", within.folds):
        learned, held = within.parts(fold)
        model = fitter.fit(make_model(), learned.X, learned.Y, learned.tasks)
        result[fold.test], _ = fitter.outputs(model, held.X, held.tasks, held.Y.shape[1])
    return result
