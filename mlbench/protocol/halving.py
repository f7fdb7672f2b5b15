"""Successive halving: all candidates on few rows, the better ones on more, the best on all."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from mlbench.errors import MethodError
from mlbench.hashing import random_state
from mlbench.protocol.fits import Checkpoint, Fit, mean_score, sign_of
from mlbench.protocol.splitters import TrainTest
from mlbench.solvers.arrays import Ints
from mlbench.steps import steps

Fits = Callable[[TrainTest, Sequence[int]], Iterable[Fit]]
"""Fits candidates, given by their indices in the grid, on a fold."""


LEAST_ROWS = 20
"""Rows that a round trains on at least, of every task; fewer where there are fewer."""


def halved(
    fits: Fits,
    n_candidates: int,
    folds: Sequence[TrainTest],
    factor: int,
    metric: str,
    checkpoint: Checkpoint,
    tasks: Ints | None = None,
    saved_as: str = "halving",
) -> list[list[Fit]]:
    """Return, for each fold, the fits on all rows of the best candidates, at most `factor`.

    Each round keeps the best 1/`factor` of the candidates by mean score over the folds. The next
    round has `factor` times as many rows, and they include those of the round before. A round has
    `LEAST_ROWS` rows or more; a candidate that fails on them is out, and the first of equal ones
    is in.
    Source: Jamieson and Talwalkar, AISTATS 2016; with rows, as scikit-learn's HalvingGridSearchCV.

    Parameters
    ----------
    fits : callable
    n_candidates : int
    folds : sequence of TrainTest
    factor : int
        At least 2.
    metric : str
        By whose values candidates are kept.
    checkpoint : Checkpoint
        Receives the remaining candidates after each round.
    tasks : array of shape (n,), optional
        The task of each row of the training part.
    saved_as : str
        What the checkpoint calls the remaining candidates.
    """
    rounds, sign = n_rounds(n_candidates, factor), sign_of(metric)
    done, left = checkpoint.load(saved_as) or (0, list(range(n_candidates)))
    for number in steps("round", range(done, rounds), rounds + 1, done + 1):
        share = float(factor) ** (number - rounds)
        scores: dict[int, list[float | None]] = {point: [] for point in left}
        for place, fold in enumerate(steps("fold", folds)):
            for fit in _fits_that_work(fits, part_of(fold, place, share, tasks), left):
                scores[fit.point].append(fit.score_by(metric))
        means = {
            point: mean_score(found, sign) if len(found) == len(folds) else -math.inf
            for point, found in scores.items()
        }
        best_first = sorted(left, key=lambda point: -means[point])
        left = sorted(best_first[: math.ceil(len(left) / factor)])
        checkpoint.save(saved_as, (number + 1, left))
    return [list(fits(fold, left)) for fold in steps("fold", folds)]


def _fits_that_work(fits: Fits, part: TrainTest, points: Sequence[int]) -> list[Fit]:
    """Return the fits of a round, without candidates that cannot be fitted to so few rows."""
    try:
        return list(fits(part, points))
    except (MethodError, MemoryError):
        raise
    except Exception:  # a method may fail in any way; alone, it fails again, and is out
        if len(points) == 1:
            return []
    return [fit for point in points for fit in _fits_that_work(fits, part, [point])]


def n_rounds(n_candidates: int, factor: int) -> int:
    """Return the number of rounds before the one with all rows."""
    rounds = 0
    while n_candidates > factor:
        n_candidates = math.ceil(n_candidates / factor)
        rounds += 1
    return rounds


def part_of(fold: TrainTest, place: int, share: float, tasks: Ints | None = None) -> TrainTest:
    """Return a fold with a share of its training rows; a larger share includes a smaller one.

    With tasks, the share is taken from every task.
    """
    rows = random_state("halving", place, len(fold.train)).permutation(fold.train)
    groups = [rows] if tasks is None else [rows[tasks[rows] == t] for t in np.unique(tasks[rows])]
    kept = [group[: max(LEAST_ROWS, math.ceil(share * len(group)))] for group in groups]
    return TrainTest(np.sort(np.concatenate(kept)), fold.test)
