"""What installed packages add to mlbench, by entry points; docs/extending.md lists the groups."""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from mlbench.errors import MlbenchError

SPLITTERS = "mlbench.splitters"
"""Kinds of splits: subclasses of :class:`mlbench.protocol.splitters.Splitter`."""
RESAMPLERS = "mlbench.resamplers"
"""Splitters that draw the parts of another one anew, as a key of a data set asks for."""
LAYOUTS = "mlbench.layouts"
"""Layouts of comparisons: functions that return tables."""
CHECKS = "mlbench.checks"
"""Checks of comparisons: objects :class:`mlbench.audit.checks.Check`."""
PAPERS = "mlbench.papers"
"""Papers: functions that return the numbers that the paper of this name prints."""


@cache
def _announced(group: str) -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        first = found.setdefault(point.name, point)
        if first.value != point.value:
            raise MlbenchError(
                f"two packages announce {point.name!r} in {group}: {first.value} and {point.value}"
            )
    return found


def names(group: str) -> list[str]:
    """Return the names that packages announce in a group."""
    return list(_announced(group))


def target(group: str, name: str) -> str:
    """Return what stands behind an announced name, as ``module:name``."""
    return _announced(group)[name].value


def load(group: str, name: str) -> Any:
    """Import what stands behind an announced name.

    Raises
    ------
    MlbenchError
        If it cannot be imported.
    """
    point = _announced(group)[name]
    try:
        return point.load()
    except Exception as error:
        raise MlbenchError(
            f"{name}: the plug-in {point.value} cannot be loaded: {type(error).__name__}: {error}"
        ) from error
