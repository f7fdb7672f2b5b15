"""Facts about methods and metrics that only their code can tell, as plain values."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from mlbench.config.grids import Distribution
from mlbench.config.schema import Method
from mlbench.dataset_facts import DatasetFacts
from mlbench.errors import MethodError
from mlbench.methods.base import MultiLabelMethod
from mlbench.methods.large_arrays import LargeArray
from mlbench.metrics import get_metric
from mlbench.metrics.user_metrics import is_user_metric, load_metric, load_metric_function
from mlbench.options import FRAME
from mlbench.plan.identity import code_behind, method_identity, metric_identity, plain
from mlbench.plan.undefined_scoring import RowKind, why_undefined
from mlbench.protocol.arrays import Point
from mlbench.protocol.splitters import Splitter
from mlbench.registry import METHODS, make_method, method_parameters, resolve
from mlbench.registry.code_hash import provenance

PlannedData = Mapping[str, tuple[Splitter, DatasetFacts]]
"""For each data set, by its name in tables: its splitter and its facts."""


@dataclass(frozen=True)
class MethodFacts:
    """What the plan needs to know of a method with its parameters."""

    identity: dict[str, Any]
    """See :func:`mlbench.plan.identity.method_identity`."""
    code: dict[str, str]
    """The provenance of every class in the method."""
    candidates: list[Any] | None
    """The identities of the candidates of a search, if the grid may contain estimators."""
    unsuited: list[str]
    """The data sets that the method cannot learn from, and why."""
    large_arrays: tuple[tuple[LargeArray, ...], ...]
    """For each value of the search that changes them, the arrays that a fit holds in memory in
    addition to the data.
    """


@dataclass(frozen=True)
class MetricFacts:
    """What the plan needs to know of a metric that not every row has."""

    identity: dict[str, Any]
    """See :func:`mlbench.plan.identity.metric_identity`."""
    code: str = ""
    """The provenance of the user's code."""
    stated: dict[str, Any] | None = None
    """The declaration of a user's metric; see :meth:`mlbench.metrics.Metric.as_plain`."""


def method_facts(
    methods: Mapping[str, Method], folder: Path, data: PlannedData
) -> dict[str, MethodFacts]:
    """Import methods, and return the facts about each.

    Parameters
    ----------
    methods : mapping
    folder : Path
        The folder that relative paths start from.
    data : mapping of str to (Splitter, DatasetFacts)
        The data sets of the experiment.
    """
    return {name: _method_facts(method, folder, data) for name, method in methods.items()}


def _method_facts(method: Method, folder: Path, data: PlannedData) -> MethodFacts:
    model = make_method(method.use, folder, **method.parameters)
    data = {name: each for name, each in data.items() if name not in method.not_on}

    def translated(point: Mapping[str, object]) -> dict[str, Any]:
        return method_parameters(method.use, point, folder, model)

    candidates = None
    points = method.candidates
    if any(isinstance(value, dict | list | str) for point in points for value in point.values()):
        candidates = [plain(translated(point)) for point in points]
    return MethodFacts(
        identity=method_identity(model, translated(method.parameters)),
        code=code_behind(model),
        candidates=candidates,
        unsuited=[
            *_unsuited(model, method.preprocess or (), data),
            *(_unsearchable(method, model, translated, data) if method.tune else ()),
        ],
        large_arrays=_large_arrays(method, model, translated),
    )


def _large_arrays(
    method: Method, model: Any, translated: Callable[[Point], dict[str, Any]]
) -> tuple[tuple[LargeArray, ...], ...]:
    """Return the different arrays of fits with each value of a grid and the first of the others."""
    if not hasattr(model, "large_arrays"):
        return ()
    values = {
        name: [*grid.ends] if isinstance(grid, Distribution) else grid
        for name, grid in method.tune.items()
    }
    first = {name: of_grid[0] for name, of_grid in values.items()}
    points = [{**first, name: each} for name, of_grid in values.items() for each in of_grid]
    models = [clone(model).set_params(**translated(point)) for point in points or [{}]]
    return tuple(dict.fromkeys(each.large_arrays for each in models))


def _unsuited(model: Any, steps: Sequence[str], data: PlannedData) -> Iterator[str]:
    for name, (splitter, facts) in data.items():
        partly_labeled = facts.fewest_known is not None
        try:
            splitter.check_method(model, facts.n_tasks or int(partly_labeled))
        except MethodError as error:
            if partly_labeled and not splitter.makes_tasks:
                yield (
                    f"{name}: some labels are unknown, and {type(model).__name__} needs all; "
                    f"the methods that learn from known labels alone are "
                    f"{', '.join(task_methods())} (br fits any classifier: {{use: br, base: ...}})"
                )
            else:
                yield f"{name}: {error}"
        if FRAME in steps:
            if isinstance(model, MultiLabelMethod):
                yield (
                    f"{name}: a method of mlbench takes no data frame; `input: frame` is for "
                    "estimators of your own, such as a scikit-learn Pipeline with a "
                    "ColumnTransformer"
                )
            elif splitter.prepares_features:
                yield (
                    f"{name}: splits of this kind prepare features themselves, so no method gets a "
                    "data frame"
                )
        elif facts.has_missing and not _takes_missing(model, steps):
            yield (
                f"{name}: features have missing values, and this method does not accept them; "
                "write `preprocess: [impute]` in the protocol or on the method, with `impute` "
                "before other steps"
            )


def _unsearchable(
    method: Method, model: Any, translated: Callable[[Point], dict[str, Any]], data: PlannedData
) -> Iterator[str]:
    """Yield the data sets on which no candidate can have a score to be chosen by, and why."""
    metrics = [get_metric(name) for name in method.searched_by if not is_user_metric(name)]
    models = [model]
    if any(metric.needs == "probabilities" for metric in metrics):
        models = [clone(model).set_params(**translated(point)) for point in method.candidates]
    for name, (splitter, facts) in data.items():
        rows = _rows_of(splitter, facts)
        found = {each.name: why_undefined(each, models, rows, facts.n_labels) for each in metrics}
        reasons = {scoring: reason for scoring, reason in found.items() if reason}
        others = [each for each in method.searched_by if each not in reasons]
        hint = f"; tune by the others: `scoring: [{', '.join(others)}]`" if others else ""
        for reason in reasons.values():
            yield f"{name}: {reason}{hint}"


def _rows_of(splitter: Splitter, facts: DatasetFacts) -> RowKind:
    """Return what a row has labels for."""
    if splitter.makes_tasks or facts.n_tasks > 0:
        return "one task"
    return "all labels" if facts.fewest_known is None else "known labels"


def task_methods() -> list[str]:
    """Return the names of the built-in methods that take tasks."""
    kinds: dict[str, Any] = {name: resolve(name) for name in METHODS}
    return [name for name, kind in kinds.items() if "tasks" in signature(kind.fit).parameters]


def _takes_missing(model: BaseEstimator, steps: Sequence[str]) -> bool:
    """Tell whether no step and no method meets a missing value that it cannot take."""
    if "unit-norm" in steps:
        return "impute" in steps[: steps.index("unit-norm")]
    takes = not hasattr(model, "__sklearn_tags__") or get_tags(model).input_tags.allow_nan
    return "impute" in steps or takes


def metric_facts(name: str, folder: Path) -> MetricFacts:
    """Import a metric, and return the facts about it."""
    function = load_metric_function(name, folder)
    return MetricFacts(
        identity=metric_identity(name, function),
        code=provenance(function),
        stated=load_metric(name, folder).as_plain(),
    )
