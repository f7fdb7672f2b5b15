"""User metrics: functions ``(Y, scores, labels)`` from a file, a package or a plug-in."""

import os
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import FunctionType

from mlbench.metrics.catalogue import ALIASES, METRICS, declare, get_metric
from mlbench.metrics.declared import declared_metric
from mlbench.metrics.metric import Metric
from mlbench.registry.loading import is_file_target, load_function
from mlbench.registry.plugins import METRIC_GROUP


def is_user_metric(name: str) -> bool:
    """Tell whether a name means a metric that is not part of mlbench."""
    base = name.partition("@")[0]
    return ALIASES.get(base, base) not in METRICS and (
        name in _announced() or ":" in name or "." in name
    )


def canonical_name(name: str, folder: Path) -> str:
    """Return the name that results use for a metric, however an experiment writes it.

    Parameters
    ----------
    name : str
    folder : Path
        The folder that a relative path starts from. The name of a file is its path from there,
        with links resolved.
    """
    if not is_user_metric(name):
        return name
    if not is_file_target(name):
        return name.replace(":", ".")
    file, _, function = name.rpartition(":")
    try:
        path = os.path.relpath((folder / file).resolve(), folder.resolve())
    except (OSError, RuntimeError, ValueError):  # not a path: loading the metric reports it
        return name
    return f"{Path(path).as_posix()}:{function}"


def load_metric(name: str, folder: Path | None = None) -> Metric:
    """Return a metric. A user's metric is imported, and `get_metric` finds it from then on.

    Parameters
    ----------
    name : str
        The name of a metric of mlbench; ``package.module.function``;
        ``path/to/file.py:function``; or a name in the entry point group ``mlbench.metrics``.
    folder : Path, optional
        The folder that a relative path starts from.

    Raises
    ------
    mlbench.errors.MlbenchError
        If there is no such metric, if it may not be imported, or if its declaration is
        incomplete.
    """
    if not is_user_metric(name):
        return get_metric(name)
    found = declared_metric(name, load_metric_function(name, folder))
    declare(found)
    return found


def load_metric_function(name: str, folder: Path | None = None) -> FunctionType:
    """Import the function of a user's metric."""
    return load_function(_announced().get(name, name), folder)


@cache
def _announced() -> Mapping[str, str]:
    return {point.name: point.value for point in entry_points(group=METRIC_GROUP)}
