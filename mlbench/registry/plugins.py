"""The methods, base learners and metrics that installed packages announce in entry points."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from mlbench import plugins
from mlbench.errors import MethodError
from mlbench.methods.catalogue import BASE_LEARNERS, METHODS

METHOD_GROUP = "mlbench.methods"
BASE_LEARNER_GROUP = "mlbench.base_learners"
METRIC_GROUP = "mlbench.metrics"


def method_plugins() -> dict[str, EntryPoint]:
    """Return the announced methods: short name -> entry point.

    Raises
    ------
    MethodError
        A package announces the name of a built-in method, or two packages the same name.
    """
    return _announced(METHOD_GROUP, "method", frozenset(METHODS))


def base_learner_plugins() -> dict[str, EntryPoint]:
    """Return the announced base learners, as `method_plugins` returns methods."""
    return _announced(BASE_LEARNER_GROUP, "base learner", frozenset(BASE_LEARNERS))


@cache
def announced_targets() -> frozenset[str]:
    """Return all that packages announce, as ``module:name``."""
    groups = (METHOD_GROUP, BASE_LEARNER_GROUP, METRIC_GROUP, plugins.SPLITTERS)
    return frozenset(point.value for group in groups for point in entry_points(group=group))


def origin_of_plugin(point: EntryPoint) -> str:
    """Return the name and version of the package behind an entry point."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


@cache
def _announced(group: str, kind: str, built_in: frozenset[str]) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        owner = "mlbench itself" if point.name in built_in else None
        if point.name in found and found[point.name].value != point.value:
            owner = origin_of_plugin(found[point.name])
        if owner:
            raise MethodError(
                f"the package {origin_of_plugin(point)} announces a {kind} {point.name!r}, but "
                f"{owner} has one of that name; rename it there, or use {point.value!r} itself"
            )
        found[point.name] = point
    return found
