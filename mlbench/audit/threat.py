"""What a check says: of one comparison, an alarm; of all that it says the same of, a threat."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

Severity = Literal["invalidates", "weakens", "note"]

SEVERITIES: tuple[Severity, ...] = ("invalidates", "weakens", "note")
"""From the worst. ``invalidates``: the comparison does not show what it seems to show;
``weakens``: the lead may be due to it; ``note``: a paper should say it.
"""

Place = tuple[str, str, frozenset[str]]
"""The data set, the metric and the two methods of a comparison."""


@dataclass(frozen=True, kw_only=True)
class Alarm:
    """What a check says of one comparison, or of a whole experiment."""

    severity: Severity
    claim: str
    """A sentence without its full stop. ``{ahead}`` and ``{behind}`` stand for the methods in the
    order of their scores, ``{both}`` for the two, ``{handicapped}`` for the one that has the fault,
    ``{other}`` for its rival.
    """
    advice: str
    """What to do about it, in sentences; the names of methods may stand in it, too."""
    subject: Hashable = None
    """Alarms of one check with one subject become one threat; by default those of one claim."""
    metric: str | None = None
    """The metric that the claim is about; None if it holds in any."""
    dataset: str = ""
    ahead: str = ""
    behind: str = ""
    handicapped: str = ""
    """The method that the claim is about, be it ahead or behind."""
    other: str = ""
    """The one that it is compared with."""
    is_decided: bool = False
    """Whether a test decides the comparison."""
    size: float = 0.0
    """Of the alarms of one threat, the one of the largest size gives its claim."""
    parameter: str = ""
    """The one whose grid the claim is about."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    place: Place | None = None
    """The comparison; None if the alarm is about the experiment."""


@dataclass(frozen=True, kw_only=True)
class Threat:
    """What could be wrong with one or more comparisons, and what to do about it."""

    check: str
    severity: Severity
    """The worst among its comparisons."""
    metrics: tuple[str, ...]
    """The metrics that it is about; none if it holds in any."""
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    ahead: tuple[str, ...]
    """Methods that are ahead in one of its comparisons."""
    behind: tuple[str, ...]
    """Those that are behind in one."""
    n_comparisons: int
    numbers: Mapping[str, float]
    """What the sentence rests on."""
    sentence: str
    advice: str
    accepted: str = ""
    """Why the experiment accepts it; empty if it does not."""
    severities: Mapping[Place, Severity] = field(default_factory=dict, repr=False)
    """How severe it is for each comparison."""

    @property
    def is_open(self) -> bool:
        """Whether it is more than a note, and not accepted."""
        return self.severity != "note" and not self.accepted

    def record(self) -> dict[str, Any]:
        """Return the threat as plain values; a number that is undefined is None."""
        return {
            "check": self.check,
            "severity": self.severity,
            "metrics": [*self.metrics],
            "datasets": [*self.datasets],
            "methods": [*self.methods],
            "ahead": [*self.ahead],
            "behind": [*self.behind],
            "n_comparisons": self.n_comparisons,
            "numbers": {
                name: value if math.isfinite(value) else None
                for name, value in self.numbers.items()
            },
            "sentence": self.sentence,
            "advice": self.advice,
            "accepted": self.accepted,
        }


class Threats(list[Threat]):
    """Threats, the worst first.

    Attributes
    ----------
    not_judged : tuple of str
        The checks for which rows lack a number, as those of older versions do.
    """

    def __init__(self, threats: Iterable[Threat] = (), not_judged: Iterable[str] = ()) -> None:
        super().__init__(threats)
        self.not_judged = tuple(not_judged)

    @property
    def are_told(self) -> bool:
        """Whether there is something to say."""
        return bool(self or self.not_judged)

    def frame(self) -> pd.DataFrame:
        """Return a row for each, with the columns of :meth:`Threat.record`."""
        import pandas as pd

        return pd.DataFrame([threat.record() for threat in self])
