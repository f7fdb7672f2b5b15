"""The values of R that data files hold: vectors of numbers, vectors of texts, lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from mlbench.solvers.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Numbers:
    """A vector of numbers, truth values, or codes of a factor."""

    kind: Literal["double", "integer", "logical"]
    """R's name of the type."""
    length: int
    places: Ints
    """(m,) int64: the positions of the nonzero values, in ascending order."""
    values: Floats
    """(m,) float64: a missing value is NaN."""
    attributes: Mapping[str, RObject] = field(default_factory=dict)
    """``levels`` of a factor, ``names``, ``class``, ..."""

    @classmethod
    def from_dense(cls, kind: Literal["double", "integer", "logical"], full: Floats) -> Numbers:
        """Return a vector with these values."""
        places = np.flatnonzero(full)
        return cls(kind, full.size, places, full[places])

    def dense(self) -> Floats:
        """Return all values."""
        full = np.zeros(self.length)
        full[self.places] = self.values
        return full


@dataclass(frozen=True, eq=False)
class Texts:
    """A vector of texts; None is missing."""

    values: list[str | None]
    attributes: Mapping[str, RObject] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RList:
    """A list; a data frame is a list of columns."""

    items: list[RObject]
    attributes: Mapping[str, RObject] = field(default_factory=dict)

    def named(self) -> dict[str, RObject]:
        """Return the elements by their names."""
        return dict(zip(texts_of(self.attributes.get("names")), self.items, strict=False))

    @property
    def classes(self) -> list[str]:
        """The classes of the object."""
        return texts_of(self.attributes.get("class"))


RObject: TypeAlias = Numbers | Texts | RList | None


def texts_of(value: RObject) -> list[str]:
    """Return the texts of a vector, or none if it is no vector of texts."""
    return [text or "" for text in value.values] if isinstance(value, Texts) else []
