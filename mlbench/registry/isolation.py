"""Which methods share foreign code, so that each such code can be imported in its own process."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import ParamSpec, Protocol, TypeVar

from mlbench.registry.import_policy import is_trusted
from mlbench.registry.plugins import base_learner_plugins, method_plugins

P = ParamSpec("P")
R = TypeVar("R")


class Call(Protocol):
    """Calls functions, here or in another process."""

    def __call__(self, function: Callable[P, R], /, *arguments: P.args, **named: P.kwargs) -> R:
        """Return what a function returns."""
        ...


def call_here(function: Callable[P, R], /, *arguments: P.args, **named: P.kwargs) -> R:
    """Call a function in this process."""
    return function(*arguments, **named)


def foreign_names(value: object) -> Iterator[str]:
    """Yield what may name code of others than mlbench and scikit-learn in a value of an experiment.

    Any text with a dot or a colon may.
    """
    if isinstance(value, str):
        point = method_plugins().get(value) or base_learner_plugins().get(value)
        target = point.value if point else value
        if (":" in target or "." in target) and not is_trusted(target):
            yield value
    elif isinstance(value, Mapping | list | tuple):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from foreign_names(item)


def by_foreign_code(values: Mapping[str, object]) -> dict[frozenset[str], list[str]]:
    """Return the keys of values, grouped by the foreign code that the values name."""
    groups: defaultdict[frozenset[str], list[str]] = defaultdict(list)
    for key, value in values.items():
        groups[frozenset(foreign_names(value))].append(key)
    return groups
