"""When a search along ordered candidates has gone on for long enough without gain."""

from __future__ import annotations

import math


class Patience:
    """Counts candidates that were not above the best mean before them.

    Until the first gain, those that score like the one before them do not count, nor those that
    have no mean: a path starts from models that predict next to nothing, and has not shown yet
    where it goes.

    Parameters
    ----------
    most : int
        How many in a row may be in vain.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._best = self._last = -math.inf
        self._has_gained = False
        self._in_vain = 0

    def is_over_after(self, mean: float) -> bool:
        """Take in the next candidate's mean, and tell whether to stop after it.

        Parameters
        ----------
        mean : float
            The greater, the better; -inf where it is undefined.
        """
        if mean > self._best:
            self._has_gained = self._best > -math.inf
            self._best = mean
            self._in_vain = 0
        elif self._has_gained or mean not in (self._last, -math.inf):
            self._in_vain += 1
        if mean > -math.inf:
            self._last = mean
        return self._in_vain >= self._most
