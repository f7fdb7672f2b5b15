"""Two series of scores, paired over the splits that they have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PairedScores:
    """The scores of two series on the splits where both are defined."""

    splits: tuple[int, ...]
    """In the order of the first series."""
    a: tuple[float, ...]
    b: tuple[float, ...]
    unpaired: tuple[int, ...] = ()
    """Splits of both series on which one score is defined and the other is not."""

    @classmethod
    def of(cls, a: Mapping[int, float | None], b: Mapping[int, float | None]) -> PairedScores:
        """Pair two series.

        Parameters
        ----------
        a, b : mapping of int to float or None
            Scores by split. A score that is None or not finite is undefined.
        """
        first, second = _defined(a), _defined(b)
        common = tuple(split for split in first if split in second)
        return cls(
            common,
            tuple(first[split] for split in common),
            tuple(second[split] for split in common),
            tuple(s for s in a if s in b and (s in first) != (s in second)),
        )

    @property
    def n(self) -> int:
        """The number of pairs."""
        return len(self.splits)


def _defined(scores: Mapping[int, float | None]) -> dict[int, float]:
    return {
        split: score
        for split, score in scores.items()
        if score is not None and math.isfinite(score)
    }
