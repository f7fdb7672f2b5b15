"""Checks that a method in an experiment exists and accepts its parameters."""

import inspect
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from mlbench.config.fields import as_grid
from mlbench.config.grids import Distribution, combinations
from mlbench.config.schema import METHOD_WORDS
from mlbench.errors import MethodError
from mlbench.estimator_adapter import check_scores
from mlbench.methods.parameters import check_parameters
from mlbench.registry import make_method, resolve
from mlbench.registry.names import FILE_MODULE
from mlbench.spelling import did_you_mean
from mlbench.yaml_loader import Location, Problem

_MAX_TRIED = 500
"""The number of values checked of one grid, from both ends, and of points of several grids."""


def check_methods(methods: Mapping[str, object], folder: Path) -> list[Problem]:
    """Return what is wrong with methods, their parameters and their grids.

    Each value is checked together with the fixed values and the first value of each other grid,
    so that the error names the value. An error at other points of the grids names the point.

    Parameters
    ----------
    methods
        Part of the section ``methods`` of an experiment file.
    folder
        Where relative paths start.
    """
    return [
        problem
        for name, method in methods.items()
        for problem in _check_method(("methods", name), method, folder)
    ]


def _check_method(at: Location, method: object, folder: Path) -> Iterator[Problem]:
    if isinstance(method, str):
        method, at_use = {"use": method}, at
    elif isinstance(method, dict) and isinstance(method.get("use"), str):
        at_use = (*at, "use")
    else:
        return
    use = method["use"]
    try:
        kind = resolve(use, folder)
        check_scores(kind)
    except MethodError as error:
        yield at_use, str(error)
        return
    params, grids = method.get("params"), method.get("tune")
    nested = params if isinstance(params, dict) else {}
    fixed = {name: value for name, value in method.items() if name not in METHOD_WORDS}
    tuned = _values_of_each(grids)
    for name in tuned:
        if name in fixed or name in nested:
            yield (*at, "tune", name), "is both fixed and tuned; keep one"
    for name in fixed.keys() & nested.keys():
        yield (*at, name), "stands beside `params` and in it; keep one"
    given = [
        *(((*at, name), name, value) for name, value in fixed.items()),
        *(((*at, "params", name), name, value) for name, value in nested.items()),
        *(
            (_place((*at, "tune"), grids, name, i), name, value)
            for name, values in tuned.items()
            for i, value in _both_ends(list(enumerate(values)))
        ),
    ]
    together = {**{name: values[0] for name, values in tuned.items()}, **fixed, **nested}
    needed = {name: together[name] for name in _needed(kind) if name in together}
    whole = _why_not(use, folder, together)
    others = together if whole is None else needed
    reported = {(None, _why_not(use, folder, others))}
    found: set[Location] = set()
    for location, name, value in given:
        if location in found:
            continue
        problem = _why_not(use, folder, {**others, name: value})
        of_another = name not in needed and (None, problem) in reported
        if problem is None or of_another or (name, problem) in reported:
            continue
        reported.add((name, problem))
        found.add(location)
        unknown = location == (*at, name) and not _can_be_made(use, folder, {**others, name: value})
        yield location, (_of_the_entry(name, kind) if unknown else "") or problem
    if whole is not None and not found:
        yield at_use, whole
    elif not found and len(tuned) > 1 and math.prod(map(len, tuned.values())) <= _MAX_TRIED:
        for point in combinations(dict(tuned)):
            problem = _why_not(use, folder, {**together, **point})
            if problem is not None:
                yield (*at, "tune"), f"{problem} (at the point {_written(point)})"
                return


def _of_the_entry(key: str, kind: type) -> str:
    """Return a hint if a key of methods is nearer than any parameter, or an empty text."""
    hint = did_you_mean(key, METHOD_WORDS)
    nearest = did_you_mean(key, [*METHOD_WORDS, *inspect.signature(kind).parameters])
    return f"unknown key{hint}" if hint and hint == nearest else ""


def _values_of_each(grids: object) -> dict[str, list[object]]:
    """Return the values of each valid grid."""
    found: dict[str, list[object]] = {}
    for name, grid in grids.items() if isinstance(grids, dict) else ():
        with suppress(ValueError):  # the schema reports it
            values = as_grid(grid)
            found[name] = [*values.ends] if isinstance(values, Distribution) else values
    return found


def _both_ends(values: Sequence[tuple[int, object]]) -> Sequence[tuple[int, object]]:
    """Return the values to check: if a range is wrong, it is wrong at an end."""
    half = _MAX_TRIED // 2
    return values if len(values) <= _MAX_TRIED else [*values[:half], *values[-half:]]


def _place(at: Location, grids: object, name: str, index: int) -> Location:
    """Return the location of a value of a grid; ranges and named grids have a single one."""
    listed = isinstance(grids, dict) and isinstance(grids[name], list)
    return (*at, name, index) if index and listed else (*at, name)


def _needed(kind: type) -> list[str]:
    """Return the parameters that every check needs: `base` and the required ones."""
    parameters = inspect.signature(kind).parameters.values()
    return ["base", *(p.name for p in parameters if p.default is p.empty)]


def _why_not(use: str, folder: Path, parameters: dict[str, object]) -> str | None:
    """Return why a method rejects these parameters, or None."""
    try:
        check_parameters(make_method(use, folder, **parameters))
    except MethodError as error:
        return str(error)
    except Exception as error:  # the constructor may be a user's own
        words = re.sub(rf"{FILE_MODULE}\w+\.", "", str(error))
        return f"{use}: {type(error).__name__}: {words}"
    return None


def _can_be_made(use: str, folder: Path, parameters: dict[str, object]) -> bool:
    """Return whether a method has these parameters, valid or not."""
    try:
        make_method(use, folder, **parameters)
    except Exception:  # the constructor may be a user's own
        return False
    return True


def _written(point: dict[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in point.items())
