"""The declaration of a metric: its name, direction, range and needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import Any, Literal

from mlbench.errors import MlbenchError
from mlbench.metrics.conventions import CONSTANT, SHARE, SKIP, Convention
from mlbench.metrics.outcome import Outcome

Compute = Callable[[Outcome, Convention], float]
Needs = Literal["scores", "labels", "probabilities", "both"]

FRACTION = (0.0, 1.0)


@dataclass(frozen=True)
class Metric:
    """A metric under one convention."""

    name: str
    """Key in results and configs: ``macro_f1``, or ``macro_f1@mulan`` under another convention."""
    title: str
    greater_is_better: bool
    needs: Needs
    """The arrays that the metric uses. A metric of probabilities is undefined if a score lies
    outside [0, 1].
    """
    description: str
    """The definition in a sentence."""
    compute: Compute = field(repr=False)
    conventions: tuple[str, ...] = ()
    """The other conventions under which this metric has a value (``@...``)."""
    convention: Convention = SKIP
    """The convention that is applied."""
    uses_training: bool = False
    """Whether the metric uses the labels of the training part."""
    depth: int | None = None
    """How many of each sample's best scores the metric needs, where it does not need all."""
    range: tuple[float, float] = FRACTION
    """The smallest and the largest possible value."""
    is_quality: bool = True
    """Whether the metric ranks methods; otherwise it only describes scores."""

    @property
    def is_fraction(self) -> bool:
        """Whether the value lies in [0, 1], and so may be printed in percent."""
        return self.range == FRACTION

    def __call__(self, outcome: Outcome) -> float:
        """Return the value for an outcome, or nan if it is undefined."""
        if self.needs == "probabilities" and not outcome.has_probabilities:
            return float("nan")
        labels = self.convention.labels
        if labels != "predicted":
            cut = outcome.at_training_share if labels == SHARE.labels else outcome.all_positive
            return float("nan") if cut is None else self.compute(cut, self.convention)
        return self.compute(outcome, self.convention)

    def needs_at_most(self, depth: int) -> bool:
        """Whether predicted labels and this many of each sample's best scores are enough."""
        return self.needs == "labels" or (self.depth is not None and self.depth <= depth)

    def under(self, convention: Convention) -> Metric:
        """Return this metric under another convention."""
        by_share = convention is SHARE
        return replace(
            self,
            name=f"{self.name}@{convention.name}",
            title=f"{self.title} ({convention.title})",
            needs="scores" if by_share else self.needs,
            uses_training=by_share or self.uses_training,
            is_quality=self.is_quality and convention is not CONSTANT,
            convention=convention,
        )

    def as_plain(self) -> dict[str, Any]:
        """Return all but the computation as plain values; None stands for an infinite end."""
        return {
            "name": self.name,
            "title": self.title,
            "greater_is_better": self.greater_is_better,
            "needs": self.needs,
            "description": self.description,
            "range": [end if isfinite(end) else None for end in self.range],
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Metric:
        """Return a metric that has a declaration but no computation."""
        name = str(plain["name"])
        low, high = plain["range"]

        def refuse(outcome: Outcome, convention: Convention) -> float:
            raise MlbenchError(f"the code of the metric {name!r} was not loaded")

        return cls(
            name=name,
            title=str(plain["title"]),
            greater_is_better=bool(plain["greater_is_better"]),
            needs=plain["needs"],
            description=str(plain["description"]),
            compute=refuse,
            range=(-inf if low is None else float(low), inf if high is None else float(high)),
        )
