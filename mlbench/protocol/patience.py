"""When a search along ordered candidates has gone on for long enough without gain."""

from __future__ import annotations

import math


class Patience:
    """Counts candidates that were not above the best mean before them.

    Candidates at the beginning that have no mean, or all the same one, do not count: a path that
    starts from a model which predicts nothing has not shown yet where it goes.

    Parameters
    ----------
    most : int
        How many in a row may be in vain.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._first: float | None = None
        self._best = -math.inf
        self._has_begun = False
        self._in_vain = 0

    def is_over_after(self, mean: float) -> bool:
        """Take in the next candidate's mean, and tell whether to stop after it.

        Parameters
        ----------
        mean : float
            The greater, the better; -inf where it is undefined.
        """
        if not self._has_begun:
            if mean == -math.inf:
                return False
            if self._first in (None, mean):
                self._first = self._best = mean
                return False
            self._has_begun = True
        self._in_vain = 0 if mean > self._best else self._in_vain + 1
        self._best = max(self._best, mean)
        return self._in_vain >= self._most
