"""Searches that end after some candidates in a row without gain."""

import math
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing

from mlbench.errors import MethodError
from mlbench.protocol.fits import Fit, is_above, mean_score, sign_of
from mlbench.protocol.splitters import TrainTest


def side_by_side(
    fits: Callable[[TrainTest], Generator[Fit]],
    folds: Sequence[TrainTest],
    patience: int,
    metrics: Sequence[str],
    method: str,
) -> dict[str, list[list[Fit]]]:
    """Return, by metric, each fold's fits up to where patience ran out.

    One path per fold is open. They end where the last metric runs out of patience.

    Parameters
    ----------
    fits : callable
        Yields the fits of a fold along its path.
    folds : sequence of TrainTest
    patience : int
    metrics : sequence of str
    method : str
        Its name in errors.

    Raises
    ------
    MethodError
        If paths differ in their order from fold to fold.
    """
    steps: list[tuple[Fit, ...]] = []
    watches = {metric: Patience(patience) for metric in metrics}
    reached: dict[str, int] = {}
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
            for metric in [name for name in metrics if name not in reached]:
                mean = mean_score([fit.score_by(metric) for fit in step], sign_of(metric))
                if watches[metric].is_over_after(mean):
                    reached[metric] = len(steps)
            if len(reached) == len(metrics):
                break
    return {
        metric: [list(column) for column in zip(*steps[: reached.get(metric)], strict=True)]
        for metric in metrics
    }


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
