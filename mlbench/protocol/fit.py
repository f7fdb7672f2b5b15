"""One fit of a search, and where finished ones are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from mlbench.protocol.fit_reports import Report


class Checkpoint(Protocol):
    """Where finished folds are kept, so that a killed search resumes where it stopped."""

    def load(self, name: str) -> Any:
        """Return what was saved under the name, or None."""

    def save(self, name: str, value: Any) -> None:
        """Keep a plain value under the name."""


class Fit(NamedTuple):
    """One candidate on one fold: its place in the grid, its score, the report of its fit."""

    point: int
    score: float | None
    report: Report | None


def mean_score(scores: Sequence[float | None], sign: float) -> float:
    """Return the mean over folds, the greater the better; -inf where there is none."""
    known = [value for value in scores if value is not None]
    return sign * float(np.mean(known)) if known else -np.inf
