"""The search for parameters by cross-validation inside the training part."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mlbench.errors import MethodError
from mlbench.metrics import get_metric, score
from mlbench.protocol.fit_reports import Report, fit_report, not_converged
from mlbench.protocol.preprocess import prepare
from mlbench.protocol.splits import Split

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_SAVE_AFTER_SECONDS = 1.0


class Fitter(Protocol):
    """How a model is fitted and read; the cell hands this to the search."""

    def fit(self, model: Any, X: Any, Y: Ints, tasks: Ints | None = None) -> Any:
        """Fit in place and return the model."""

    def fit_path(
        self, model: Any, X: Any, Y: Ints, grid: Sequence[dict[str, Any]], tasks: Ints | None = None
    ) -> Iterator[tuple[int, Any]]:
        """Yield (index into the grid, model fitted there), each index once, in any order."""

    def outputs(
        self, model: Any, X: Any, tasks: Ints | None = None, n_labels: int | None = None
    ) -> tuple[Floats, Ints]:
        """Return scores and labels, each (m, k)."""


class Checkpoint(Protocol):
    """Where finished folds are kept, so that a killed search goes on where it was."""

    def load(self, name: str) -> Any:
        """Return what was saved under the name, or None."""

    def save(self, name: str, value: Any) -> None:
        """Keep a plain value under the name."""


@dataclass(frozen=True)
class Tuned:
    """The outcome of a search.

    Attributes
    ----------
    metric : str
    best : int
        The place of the chosen candidate in the grid.
    scores : list of list of float or None
        One entry per grid point and fold.
    not_converged : dict or None
        Fits that did not converge; see :func:`mlbench.protocol.fit_reports.not_converged`.
    """

    metric: str
    best: int
    scores: list[list[float | None]]
    not_converged: dict[str, Any] | None = None


def tune(
    model: Any,
    grid: Sequence[dict[str, Any]],
    X: Any,
    Y: Ints,
    folds: Sequence[Split],
    metric: str,
    steps: Sequence[str],
    fitter: Fitter,
    checkpoint: Checkpoint,
    tasks: Ints | None = None,
) -> Tuned:
    """Score every grid point on every fold and choose the best mean.

    Parameters
    ----------
    model : estimator
        With the fixed parameters set; it is not changed.
    grid : sequence of dict
        Parameters of each candidate.
    X : (n, d) array or CSR matrix
        The training part, not yet prepared: ``steps`` are fitted inside each fold.
    Y : (n, k) int array
    folds : sequence of Split
    metric : str
        What is averaged over folds. Candidates are judged by their own (native) labels;
        threshold policies apply after the parameters are chosen.
    steps : sequence of str
        Preprocessing, see :func:`mlbench.protocol.preprocess.prepare`.
    fitter : Fitter
    checkpoint : Checkpoint
        Finished folds are saved here, at most one a second.
    tasks : (n,) int array, optional

    Returns
    -------
    Tuned
        Among equal means the first grid point is chosen. A fold in which the metric is
        undefined is left out of the mean; a candidate that has none is never chosen, unless
        there is no other.
    """
    finished: dict[str, dict[str, Any]] = checkpoint.load("folds") or {}
    last_saved = time.monotonic()
    for number, fold in enumerate(folds):
        if str(number) in finished:
            continue
        finished[str(number)] = _score_fold(model, grid, X, Y, fold, metric, steps, fitter, tasks)
        if time.monotonic() - last_saved > _SAVE_AFTER_SECONDS:
            checkpoint.save("folds", finished)
            last_saved = time.monotonic()
    done = [finished[str(number)] for number in range(len(folds))]
    scores = [list(row) for row in zip(*(fold["scores"] for fold in done), strict=True)]
    reports = [report for fold in done for report in fold["reports"]]
    best = _best(scores, get_metric(metric).greater_is_better)
    return Tuned(metric, best, scores, not_converged(reports))


def _score_fold(
    model: Any,
    grid: Sequence[dict[str, Any]],
    X: Any,
    Y: Ints,
    fold: Split,
    metric: str,
    steps: Sequence[str],
    fitter: Fitter,
    tasks: Ints | None,
) -> dict[str, Any]:
    """Return the ``scores`` of all grid points on a fold, and the ``reports`` of their fits."""
    X_train, X_held = prepare(steps, X[fold.train], X[fold.test])
    t_train = None if tasks is None else tasks[fold.train]
    t_held = None if tasks is None else tasks[fold.test]
    column: list[float | None] = [None] * len(grid)
    reports: list[Report | None] = []
    seen: list[int] = []
    for index, candidate in fitter.fit_path(model, X_train, Y[fold.train], grid, t_train):
        scores, labels = fitter.outputs(candidate, X_held, t_held, Y.shape[1])
        value = score(metric, Y[fold.test], scores, labels, t_held)
        column[index] = None if np.isnan(value) else float(value)
        reports.append(fit_report(candidate))
        seen.append(index)
    if sorted(seen) != list(range(len(grid))):
        raise MethodError(
            f"{type(model).__name__}.fit_path must yield each of the {len(grid)} grid points "
            f"once; it yielded {len(seen)}, of which {len(set(seen))} differ"
        )
    return {"scores": column, "reports": reports}


def _best(scores: list[list[float | None]], greater_is_better: bool) -> int:
    sign = 1.0 if greater_is_better else -1.0
    means = [
        sign * float(np.mean(known)) if (known := [s for s in row if s is not None]) else -np.inf
        for row in scores
    ]
    if max(means) == -np.inf:
        warnings.warn(
            "tuning: the metric was undefined for every candidate; the first was taken",
            stacklevel=2,
        )
    return int(np.argmax(means))


def held_out_scores(
    make_model: Callable[[], Any],
    X: Any,
    Y: Ints,
    folds: Sequence[Split],
    steps: Sequence[str],
    fitter: Fitter,
    tasks: Ints | None = None,
) -> Floats:
    """Return (n, k) scores, each row's from the model that did not see it."""
    result = np.empty(Y.shape)
    for fold in folds:
        X_train, X_held = prepare(steps, X[fold.train], X[fold.test])
        t_train = None if tasks is None else tasks[fold.train]
        t_held = None if tasks is None else tasks[fold.test]
        model = fitter.fit(make_model(), X_train, Y[fold.train], t_train)
        result[fold.test], _ = fitter.outputs(model, X_held, t_held, Y.shape[1])
    return result
