"""One fit of a search, and what its method reports: whether it converged, and how precisely."""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol, TypedDict

from sklearn.exceptions import ConvergenceWarning

from mlbench.errors import MethodError
from mlbench.metrics import get_metric

Report = dict[str, object]
"""Plain values by name, as JSON holds them."""


class Convergence(TypedDict):
    """The number of fits that ended before they converged."""

    fits: int
    of: int
    largest_gap: float | None


@contextmanager
def convergence_warnings() -> Iterator[list[warnings.WarningMessage]]:
    """Collect the warnings of a fit that stopped at a limit; all warnings go on as they would."""
    found: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            yield found
    finally:
        for each in caught:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
        found += [each for each in caught if issubclass(each.category, ConvergenceWarning)]


def fit_report(model: object, has_stopped: bool = False) -> Report | None:
    """Return the report of a fitted model, or None if it offers none.

    Parameters
    ----------
    model : estimator
        Its ``fit_report_``, where it has one, is a dict of plain JSON values. Two entries have a
        meaning: ``converged`` (bool) and ``gap`` (a bound on the relative distance from the
        optimum, None where it is unknown). ``history``, with the lists ``iteration``,
        ``objective`` and ``bound``, can be drawn.
    has_stopped : bool
        Whether its fit warned that it stopped at a limit, as those of scikit-learn do. It counts
        where the report does not say whether the fit converged.

    Raises
    ------
    MethodError
        The report is no dict, or holds what JSON cannot.
    """
    report = getattr(model, "fit_report_", None)
    if report is None:
        return {"converged": False} if has_stopped else None
    name = f"{type(model).__name__}.fit_report_"
    if not isinstance(report, dict):
        raise MethodError(f"{name} must be a dict, such as {{'gap': 1e-3}}; got {_kind(report)}")
    _check_plain(report, name)
    gap, converged = report.get("gap"), report.get("converged", True)
    if gap is not None and (isinstance(gap, bool) or not isinstance(gap, int | float)):
        raise MethodError(f"{name}['gap'] must be a number, or None; got {gap!r}")
    if not isinstance(converged, bool):
        raise MethodError(f"{name}['converged'] must be True or False; got {converged!r}")
    return {"converged": False, **report} if has_stopped else dict(report)


def count_unconverged(reports: Sequence[Report | None]) -> Convergence | None:
    """Count the fits that ended before they converged.

    Returns
    -------
    dict or None
        ``fits`` that did not converge, ``of`` those that have a report, and their
        ``largest_gap`` (None where it is unknown); None if no fit has a report.
    """
    known = [report for report in reports if report is not None]
    if not known:
        return None
    unfinished = [report for report in known if not report.get("converged", True)]
    gaps = [gap for report in unfinished if isinstance(gap := report.get("gap"), int | float)]
    return {
        "fits": len(unfinished),
        "of": len(known),
        "largest_gap": float(max(gaps)) if gaps else None,
    }


def _check_plain(value: object, where: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise MethodError(f"{where}: a key must be a str; got {key!r}, {_kind(key)}")
            _check_plain(item, f"{where}[{key!r}]")
    elif isinstance(value, list):
        for place, item in enumerate(value):
            _check_plain(item, f"{where}[{place}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise MethodError(f"{where} must be finite; got {value!r}: write None for what is unknown")
    elif value is not None and not isinstance(value, bool | int | float | str):
        raise MethodError(
            f"{where} must be a plain value (None, bool, int, float, str, or a list or dict of "
            f"such); got {_kind(value)}"
        )


def _kind(value: object) -> str:
    return f"a value of the type {type(value).__module__}.{type(value).__name__}"


class Checkpoint(Protocol):
    """Saves finished folds, so that a killed search resumes where it stopped."""

    def load(self, name: str) -> Any:
        """Return the value saved under a name, or None."""

    def save(self, name: str, value: Any) -> None:
        """Save a plain value under a name."""


class Fit(NamedTuple):
    """One candidate on one fold."""

    point: int
    """Its index in the grid."""
    score: float | None
    """The value of the metric that decides, None if it is undefined."""
    report: Report | None
    """The report of its fit."""
    also: Mapping[str, float | None] = {}
    """The values of other metrics."""

    def score_by(self, metric: str) -> float | None:
        """Return the value of a metric: one of the others or, by any other name, the first."""
        return self.also.get(metric, self.score)


ROUNDING = 1e-12
"""Means that differ by less, relative to the larger or absolutely, count as equal."""


def sign_of(metric: str) -> float:
    """Return 1 if greater scores are better, else -1."""
    return 1.0 if get_metric(metric).greater_is_better else -1.0


def mean_score(scores: Sequence[float | None], sign: float) -> float:
    """Return the mean over folds; greater is better, and -inf means that no fold has a score."""
    known = [value for value in scores if value is not None]
    return sign * math.fsum(known) / len(known) if known else -math.inf


def is_above(mean: float, other: float) -> bool:
    """Return whether a mean is above another by more than rounding can make of equal ones."""
    return mean > other and not math.isclose(mean, other, rel_tol=ROUNDING, abs_tol=ROUNDING)
