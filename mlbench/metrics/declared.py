"""Functions ``(Y, scores, labels)`` that are declared as metrics."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Any, TypeVar, get_args

import numpy as np

from mlbench.errors import MlbenchError
from mlbench.metrics.conventions import Convention, mean_of_defined
from mlbench.metrics.metric import Metric, Needs
from mlbench.metrics.outcome import Outcome
from mlbench.solvers.arrays import Floats

Function = TypeVar("Function", bound=Callable[..., Any])

_STATED = ("greater_is_better", "range", "needs", "title")


def metric(
    *,
    greater_is_better: bool,
    range: tuple[float, float] = (-inf, inf),
    needs: Needs = "both",
    title: str | None = None,
) -> Callable[[Function], Function]:
    """Declare a function ``(Y, scores, labels)`` as a metric.

    The function returns a number, or one number for each label (or task). The metric is the mean
    of these numbers without nan.

    Parameters
    ----------
    greater_is_better : bool
    range : tuple of float
        The smallest and the largest possible value. Any other value fails the cell. Values of a
        metric with the range (0, 1) are printed in percent.
    needs : {"scores", "labels", "probabilities", "both"}
        The arguments that the function uses; the others are None. A metric of probabilities
        gets them as scores. It is undefined if a method has none and a score lies outside [0, 1].
    title : str, optional
        The heading of its column. By default the name of the function.

    Examples
    --------
    >>> @metric(greater_is_better=False, range=(0, 1), needs="labels")
    ... def error(Y, scores, labels):
    ...     return (Y != labels).mean(axis=0)
    """

    def state(function: Function) -> Function:
        stated = (greater_is_better, range, needs, title)
        for name, value in zip(_STATED, stated, strict=True):
            setattr(function, name, value)
        return function

    return state


def as_metric(given: Metric | Callable[..., Any]) -> Metric:
    """Return a metric as it is, and a function that `metric` declares as the metric of its name.

    Raises
    ------
    mlbench.errors.MlbenchError
        If it is no function, or its declaration is incomplete.
    """
    if isinstance(given, Metric):
        return given
    if not callable(given):
        raise MlbenchError(
            f"{given!r} is no metric; expected a function declared by @mlbench.metric"
        )
    return declared_metric(getattr(given, "__name__", type(given).__name__), given)


def declared_metric(name: str, function: Callable[..., Any]) -> Metric:
    """Return the metric that a function is declared as, with a name.

    Raises
    ------
    mlbench.errors.MlbenchError
        If its declaration is incomplete.
    """
    how = "@mlbench.metric(greater_is_better=True, range=(0, 1), needs='scores')"
    try:
        inspect.signature(function).bind(None, None, None)
    except (TypeError, ValueError):
        raise MlbenchError(f"metric {name!r} must be callable as (Y, scores, labels)") from None
    better = getattr(function, "greater_is_better", None)
    if not isinstance(better, bool):
        raise MlbenchError(
            f"metric {name!r} does not declare whether a greater value is better; write {how} "
            "above the function"
        )
    needs: Needs = getattr(function, "needs", "both")
    if needs not in get_args(Needs):
        raise MlbenchError(
            f"metric {name!r} needs {needs!r}; it must be one of {', '.join(get_args(Needs))}"
        )
    bare = name.rpartition(":" if ":" in name else ".")[2]
    title = getattr(function, "title", None) or bare.replace("_", " ").capitalize()
    span = _range(name, getattr(function, "range", (-inf, inf)))
    return Metric(
        name=name,
        title=str(title),
        greater_is_better=better,
        needs=needs,
        description=(inspect.getdoc(function) or "").partition("\n\n")[0],
        compute=_Computed(name, function, needs, span),
        range=span,
    )


def _range(name: str, stated: Any) -> tuple[float, float]:
    try:
        low, high = map(float, stated)
    except (TypeError, ValueError):
        low = high = 0.0
    if not low < high:
        raise MlbenchError(
            f"metric {name!r} has the range {stated!r}; expected two numbers, such as (0, 1)"
        )
    return low, high


@dataclass(frozen=True)
class _Computed:
    """Calls a user's function and checks what it returns."""

    name: str
    function: Callable[..., Any]
    needs: Needs
    range: tuple[float, float]

    def __call__(self, outcome: Outcome, convention: Convention) -> float:
        values = np.concatenate([self._values(outcome, rows) for rows in _parts(outcome)])
        return mean_of_defined(values, ~np.isnan(values))

    def _values(self, outcome: Outcome, rows: slice | np.ndarray) -> Floats:
        Y = outcome.truth[rows].astype(np.int64)
        scores = labels = None
        if self.needs != "labels":
            of_probabilities = self.needs == "probabilities"
            given = outcome.probabilities if of_probabilities else outcome.scores
            scores = np.array(given[rows])
        if self.needs in ("labels", "both"):
            labels = outcome.labels[rows].astype(np.int64)
        try:
            returned = self.function(Y, scores, labels)
        except Exception as error:
            raise MlbenchError(
                f"metric {self.name!r} failed: {type(error).__name__}: {error}"
            ) from error
        return self._checked(returned, Y.shape[1])

    def _checked(self, returned: Any, k: int) -> Floats:
        try:
            values = np.atleast_1d(np.asarray(returned))
            numeric = values.dtype.kind in "biuf"
        except Exception:
            numeric = False
        if not numeric or values.shape not in ((1,), (k,)):
            shown = repr(returned)
            raise MlbenchError(
                f"metric {self.name!r} returned {shown[:80]}; expected a number, or one for each "
                f"of the {k} labels"
            )
        values = values.astype(np.float64)
        low, high = self.range
        wrong = (values < low) | (values > high) | np.isinf(values)
        if wrong.any():
            raise MlbenchError(
                f"metric {self.name!r} returned {values[wrong][0]:g}, which is outside its range, "
                f"{low:g} to {high:g}"
            )
        return values


def _parts(outcome: Outcome) -> Iterator[slice | np.ndarray]:
    """Yield all rows or, if there are tasks, the rows of each task."""
    if outcome.tasks is None:
        yield slice(None)
    else:
        for task in np.unique(outcome.tasks):
            yield outcome.tasks == task
