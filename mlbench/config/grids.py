"""Candidates of a search: grids, ranges, named grids from papers, and random draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, Literal, TypeGuard, get_args

from pydantic import model_serializer

from mlbench.config.strict_model import StrictModel
from mlbench.hashing import canonical_json, digest
from mlbench.spelling import did_you_mean


def _linear(low: float, high: float, count: int) -> list[float]:
    step = (high - low) / (count - 1) if count > 1 else 0.0
    values = [low + i * step for i in range(count)]
    return [tidy(value) if abs(value) > 1e-12 * abs(step) else 0.0 for value in values]


def _log10(low: float, high: float, count: int) -> list[float]:
    return [tidy(10.0**exponent) for exponent in _linear(low, high, count)]


def _log2(low: float, high: float, count: int) -> list[float]:
    return [tidy(2.0**exponent) for exponent in _linear(low, high, count)]


def tidy(value: float) -> float:
    """Round to 12 significant digits, so that a grid is the same on every machine."""
    return float(f"{value:.12g}")


_MAX_VALUES = 10_000

RANGES: dict[str, Callable[[float, float, int], list[float]]] = {
    "linear": _linear,
    "log10": _log10,
    "log2": _log2,
}

NAMED_GRIDS: dict[str, tuple[float, ...]] = {
    # Ke et al., section 6.1: 60 values as listed, 58 of them distinct, from 0.001 to 800.
    "ke-grid": tuple(
        sorted(
            {i / 1000 for i in range(1, 11)}
            | {i / 100 for i in range(1, 11)}
            | {i / 10 for i in range(1, 11)}
            | {2.0 * i for i in range(1, 11)}
            | {40.0 * i for i in range(1, 21)}
        )
    ),
}


def expand(spec: object) -> list[Any]:
    """Return the values of one parameter's grid.

    Parameters
    ----------
    spec : list, mapping or str
        A list of values; ``{linear: [low, high, count]}``; ``{log10: [low, high, count]}``
        or ``{log2: ...}`` with exponents; or the name of a known grid.

    Raises
    ------
    ValueError
        With words for the reader of the configuration.
    """
    if isinstance(spec, str):
        if spec not in NAMED_GRIDS:
            raise ValueError(
                f"no grid is called {spec!r}{did_you_mean(spec, NAMED_GRIDS)}; "
                f"known: {', '.join(NAMED_GRIDS)}"
            )
        return list(NAMED_GRIDS[spec])
    if isinstance(spec, dict):
        return _expand_range(spec)
    if not isinstance(spec, list):
        raise ValueError(f"a grid is a list, a range or a name, not {spec!r}; write [{spec!r}]")
    if not spec:
        raise ValueError("a grid needs at least one value")
    if len(spec) > _MAX_VALUES:
        raise ValueError(f"a grid has at most {_MAX_VALUES} values, not {len(spec)}")
    _refuse_repeated(spec)
    return spec


def _refuse_repeated(values: list[Any]) -> None:
    known: set[str] = set()
    for value in values:
        try:
            written = canonical_json(float(value) if type(value) is int else value)
        except (ValueError, OverflowError):
            raise ValueError(f"the values of a grid are finite; {value!r} is not") from None
        if written in known:
            raise ValueError(f"the value {value!r} occurs twice")
        known.add(written)


def _expand_range(spec: dict[str, Any]) -> list[float]:
    form = "a range is written {linear: [low, high, count]}, or with log10 or log2 and exponents"
    if len(spec) != 1:
        raise ValueError(form)
    ((kind, bounds),) = spec.items()
    if kind not in RANGES:
        raise ValueError(f"no range is called {kind!r}{did_you_mean(kind, RANGES)}; {form}")
    if (
        not isinstance(bounds, list)
        or len(bounds) != 3
        or not all(isinstance(b, int | float) and not isinstance(b, bool) for b in bounds)
        or not isinstance(bounds[2], int)
    ):
        raise ValueError(f"{form}; here it holds {bounds!r}")
    low, high, count = bounds
    if not 1 <= count <= _MAX_VALUES:
        raise ValueError(f"the count of a range is between 1 and {_MAX_VALUES}, not {count}")
    furthest = 1e6 if kind == "linear" else 300
    if not all(abs(bound) <= furthest for bound in (low, high)):
        raise ValueError(f"the bounds of {kind} are out of reach: {low}, {high}")
    values = RANGES[kind](float(low), float(high), count)
    _refuse_repeated(values)
    return values


def combinations(grids: dict[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return every combination of the grids' values; the last parameter varies fastest."""
    return [dict(zip(grids, values, strict=True)) for values in product(*grids.values())]


Kind = Literal["uniform", "log_uniform", "integer"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FORM = "a distribution is written {uniform: [low, high]}, {log_uniform: ...} or {integer: ...}"
_ATTEMPTS = 20
"""Draws for each candidate before a search ends with fewer, because lists repeat themselves."""


class Distribution(StrictModel):
    """A range of numbers to draw from."""

    kind: Kind
    low: float
    high: float

    @classmethod
    def of(cls, spec: Mapping[str, object]) -> Distribution:
        """Return the distribution that an experiment states.

        Raises
        ------
        ValueError
            With words for the reader of the configuration.
        """
        kind = next((each for each in KINDS if each in spec), None)
        bounds = spec.get(kind or "")
        if len(spec) != 1 or kind is None or not _are_two_numbers(bounds):
            raise ValueError(f"{FORM}, not {dict(spec)!r}")
        low, high = bounds
        if not math.isfinite(low) or not math.isfinite(high) or low >= high:
            raise ValueError(f"the bounds of {kind} must be finite, the lower first: {low}, {high}")
        if kind == "log_uniform" and low <= 0:
            raise ValueError(f"the bounds of log_uniform must be positive, not {low}")
        if kind == "integer" and not all(isinstance(bound, int) for bound in bounds):
            raise ValueError(f"the bounds of integer must be whole numbers: {low}, {high}")
        return cls(kind=kind, low=low, high=high)

    @model_serializer
    def as_plain(self) -> dict[str, list[int | float]]:
        """Return the distribution as an experiment states it."""
        return {self.kind: self.ends}

    @property
    def ends(self) -> list[int | float]:
        """The smallest and the largest value."""
        if self.kind == "integer":
            return [int(self.low), int(self.high)]
        return [self.low, self.high]

    def at(self, quantile: float) -> int | float:
        """Return the value below which a share of the draws lies."""
        if self.kind == "integer":
            return int(self.low + math.floor(quantile * (self.high - self.low + 1)))
        if self.kind == "uniform":
            return tidy(self.low + quantile * (self.high - self.low))
        return tidy(self.low * (self.high / self.low) ** quantile)


def _are_two_numbers(value: object) -> TypeGuard[list[int | float]]:
    if not isinstance(value, list) or len(value) != 2:
        return False
    return all(type(bound) in (int, float) for bound in value)


Grids = Mapping[str, Sequence[object] | Distribution]


def drawn(grids: Grids, number: int, seed: int) -> list[dict[str, object]]:
    """Return so many different candidates, or all there are if these are lists with fewer.

    More draws begin with the same candidates, and a parameter's values do not depend on the others.

    Parameters
    ----------
    grids : mapping
        By parameter: a distribution, or a list of which each value is equally likely.
    number : int
    seed : int
    """
    lists = {name: grid for name, grid in grids.items() if not isinstance(grid, Distribution)}
    if len(lists) == len(grids) and math.prod(map(len, lists.values())) <= number:
        return combinations(lists)
    found: dict[str, dict[str, object]] = {}
    for turn in range(_ATTEMPTS * number):
        point = {name: _draw(grid, _quantile(seed, name, turn)) for name, grid in grids.items()}
        found.setdefault(canonical_json(point), point)
        if len(found) == number:
            break
    return list(found.values())


def _draw(grid: Sequence[object] | Distribution, quantile: float) -> object:
    return grid.at(quantile) if isinstance(grid, Distribution) else grid[int(quantile * len(grid))]


def _quantile(seed: int, name: str, turn: int) -> float:
    return int(digest(["draw", seed, name, turn])[:13], 16) / 16**13
