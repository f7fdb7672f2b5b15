"""The search for parameters by cross-validation inside the training part."""

import math
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import BaseEstimator

from mlbench.errors import MethodError, MlbenchError
from mlbench.metrics import TrainingLabels, get_metric
from mlbench.metrics.evaluation import outcome_of
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
)
from mlbench.protocol.halving import halved
from mlbench.protocol.splitters import TrainTest
from mlbench.solvers.arrays import Floats

_SAVE_AFTER_SECONDS = 1.0


@dataclass(frozen=True)
class Tuned:
    """The outcome of a search."""

    metric: str
    best: int
    """The index of the chosen candidate in the grid."""
    scores: list[list[float | None]]
    """One entry per grid point and fold."""
    not_converged: Convergence | None = None
    """Fits that did not converge; see :func:`mlbench.protocol.fits.count_unconverged`."""
    stopped: dict[str, int] | None = None
    """Where the search ended early: ``after`` how many candidates ``of`` how many, and the
    ``patience`` that had run out.
    """
    undefined: dict[str, int] | None = None
    """How many ``scores`` of candidates in folds were undefined, and ``of`` how many."""
    also: dict[str, list[list[float | None]]] = field(default_factory=dict)
    """By metric: the scores by other metrics than the one that decided, like `scores`."""


def tune(
    model: BaseEstimator,
    grid: Sequence[Point],
    within: CrossValidation,
    metric: str,
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
    metric : str
        What is averaged over folds. Candidates are judged by their own labels; threshold
        policies apply after the parameters are chosen.
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
        is undefined there, with a warning.

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

    def fits(fold: TrainTest) -> Generator[Fit]:
        return _fits(model, grid, within, fold, metric, also)

    def fits_of(fold: TrainTest, points: Sequence[int]) -> Iterator[Fit]:
        for fit in _fits(model, [grid[point] for point in points], within, fold, metric, also):
            yield fit._replace(point=points[fit.point])

    folds = within.folds
    sign = 1.0 if get_metric(metric).greater_is_better else -1.0
    stopped = None
    if halving is not None:
        table = halved(fits_of, len(grid), folds, halving, sign, checkpoint, within.part.tasks)
    elif patience is None:
        table = _fold_by_fold(fits, folds, checkpoint)
    else:
        table = _side_by_side(fits, folds, patience, sign, type(model).__name__)
        if (reached := len(table[0])) < len(grid):
            stopped = {"after": reached, "of": len(grid), "patience": patience}
    scores = _by_point([[(fit.point, fit.score) for fit in column] for column in table], len(grid))
    fitted = [fit for column in table for fit in column]
    lacking = sum(fit.score is None for fit in fitted)
    return Tuned(
        metric=metric,
        best=_best(scores, sign),
        scores=scores,
        not_converged=count_unconverged([fit.report for fit in fitted]),
        stopped=stopped,
        undefined={"scores": lacking, "of": len(fitted)} if lacking else None,
        also={
            name: _by_point(
                [[(fit.point, fit.also[name]) for fit in column] for column in table], len(grid)
            )
            for name in also
            if all(name in fit.also for fit in fitted)  # folds saved before it was asked for
        },
    )


def _by_point(
    folds: Sequence[Sequence[tuple[int, float | None]]], n_points: int
) -> list[list[float | None]]:
    """Return the score of each grid point in each fold, None where there was no fit."""
    scores: list[list[float | None]] = [[None] * len(folds) for _ in range(n_points)]
    for number, fold in enumerate(folds):
        for point, score in fold:
            scores[point][number] = score
    return scores


def _fold_by_fold(
    fits: Callable[[TrainTest], Generator[Fit]], folds: Sequence[TrainTest], checkpoint: Checkpoint
) -> list[list[Fit]]:
    """Return each fold's fits; those of finished folds are kept."""
    finished: dict[str, list[Fit]] = checkpoint.load("fits") or {}
    last_saved = time.monotonic()
    for number, fold in enumerate(folds):
        if str(number) in finished:
            continue
        finished[str(number)] = list(fits(fold))
        if time.monotonic() - last_saved > _SAVE_AFTER_SECONDS:
            checkpoint.save("fits", finished)
            last_saved = time.monotonic()
    return [[Fit(*fit) for fit in finished[str(number)]] for number in range(len(folds))]


def _side_by_side(
    fits: Callable[[TrainTest], Generator[Fit]],
    folds: Sequence[TrainTest],
    patience: int,
    sign: float,
    method: str,
) -> list[list[Fit]]:
    """Return each fold's fits up to where patience ran out; one path per fold is open."""
    steps: list[tuple[Fit, ...]] = []
    watch = Patience(patience)
    with ExitStack() as paths:
        columns = [paths.enter_context(closing(fits(fold))) for fold in folds]
        for step in zip(*columns, strict=True):
            if len({fit.point for fit in step}) > 1:
                raise MethodError(
                    f"{method}.fit_path must yield the grid points in the same order on every "
                    f"fold for a search with patience; as number {len(steps) + 1} it yielded "
                    f"{', '.join(str(fit.point) for fit in step)}"
                )
            steps.append(step)
            if watch.is_over_after(mean_score([fit.score for fit in step], sign)):
                break
    return [list(column) for column in zip(*steps, strict=True)]


def _fits(
    model: BaseEstimator,
    grid: Sequence[Point],
    within: CrossValidation,
    fold: TrainTest,
    metric: str,
    also: Sequence[str],
) -> Generator[Fit]:
    """Fit all candidates on a fold, in the order of the method's path."""
    needs = {get_metric(name).needs for name in (metric, *also)}
    learned, held = within.parts(fold)
    fitter, n_labels = within.fitter, held.Y.shape[1]
    training = TrainingLabels.of(learned.Y, learned.tasks)
    left = set(range(len(grid)))
    with closing(fitter.fit_path(model, learned.X, learned.Y, grid, learned.tasks)) as path:
        for index, candidate in path:
            if index not in left:
                raise MethodError(f"{_each_once(model, grid)}; it yielded {index!r} too many")
            left.remove(index)
            probabilities = None
            if "probabilities" in needs:  # before the scores, which leave the same random state
                probabilities = fitter.probabilities(candidate, held.X, held.tasks, n_labels)
            scores, labels = fitter.outputs(candidate, held.X, held.tasks, n_labels)
            outcome = outcome_of(held.Y, scores, labels, held.tasks, training, probabilities)
            others = {name: _other_score(name, outcome) for name in also}
            yield Fit(int(index), _score(metric, outcome), fit_report(candidate), others)
    if left:
        missing = ", ".join(map(str, sorted(left)[:5]))
        raise MethodError(f"{_each_once(model, grid)}; it did not yield {missing}")


def _score(metric: str, outcome: Outcome) -> float | None:
    value = get_metric(metric)(outcome)
    return None if np.isnan(value) else float(value)


def _other_score(metric: str, outcome: Outcome) -> float | None:
    """Return a score that decides nothing, so a failure is not that of the cell."""
    try:
        return _score(metric, outcome)
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
    """Return (n, k) scores, each row's from the model that did not see it."""
    result = np.empty(within.part.Y.shape)
    fitter = within.fitter
    for fold in within.folds:
        learned, held = within.parts(fold)
        model = fitter.fit(make_model(), learned.X, learned.Y, learned.tasks)
        result[fold.test], _ = fitter.outputs(model, held.X, held.tasks, held.Y.shape[1])
    return result


class Patience:
    """Counts candidates that were not above the best mean before them.

    Until the first gain, two kinds of candidates do not count: those that score like the one
    before, and those without a mean. A path starts from models that predict next to nothing, so
    its first scores do not show yet where it leads.

    Parameters
    ----------
    most : int
        The number of candidates in a row without gain after which the search ends.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._best = self._last = -math.inf
        self._has_gained = False
        self._in_vain = 0

    def is_over_after(self, mean: float) -> bool:
        """Add the mean of the next candidate, and return whether to stop after it.

        Parameters
        ----------
        mean : float
            Greater is better; -inf if it is undefined.
        """
        if is_above(mean, self._best):
            self._has_gained = self._best > -math.inf
            self._best = mean
            self._in_vain = 0
        elif self._has_gained or mean not in (self._last, -math.inf):
            self._in_vain += 1
        if mean > -math.inf:
            self._last = mean
        return self._in_vain >= self._most
