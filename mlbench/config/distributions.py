"""Distributions of parameters, and the candidates that a random search draws from them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, TypeGuard, get_args

from pydantic import model_serializer

from mlbench.config.grids import combinations, tidy
from mlbench.config.strict_model import StrictModel
from mlbench.hashing import canonical_json, digest

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
