"""Which of two methods has a disadvantage, and how much that matters."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

from mlbench.audit.facts import ComparedMethod, Facts
from mlbench.audit.pairs import Pair
from mlbench.audit.threat import Alarm, Severity


@dataclass(frozen=True, eq=False)
class Handicap:
    """A disadvantage that one of two methods may have."""

    pair: Pair
    handicapped: ComparedMethod
    other: ComparedMethod

    def alarm(
        self,
        severity: Severity,
        claim: str,
        advice: str,
        *,
        subject: Hashable = None,
        metric: str | None = None,
        size: float = 0.0,
        parameter: str = "",
        numbers: Mapping[str, float] | None = None,
    ) -> Alarm:
        """Return an alarm about the pair.

        Comparisons that no test decides show nothing that could be invalid, so it weakens them
        at most; and a disadvantage of the method that is ahead all the same is a note.
        """
        if not self.pair.is_decided:
            is_behind = self.handicapped is self.pair.behind
            severity = "weakens" if severity != "note" and is_behind else "note"
        return Alarm(
            severity=severity,
            claim=claim,
            advice=advice,
            subject=claim if subject is None else subject,
            metric=metric,
            dataset=self.pair.dataset,
            ahead=self.pair.ahead.name,
            behind=self.pair.behind.name,
            handicapped=self.handicapped.name,
            other=self.other.name,
            is_decided=self.pair.is_decided,
            size=size,
            parameter=parameter,
            numbers=numbers or {},
            place=self.pair.place,
        )


def departs(case: Handicap, key: str, facts: Facts) -> str:
    """Return which of two methods alone has a setting of its own, as a claim names it; else empty.

    The rival of the handicapped one counts where that one is taken over, and cannot be changed.

    Parameters
    ----------
    case : Handicap
    key : str
        ``scoring`` or ``threshold``.
    facts : Facts
    """
    stated, origins = facts.results.plan.experiment.methods, facts.results.origins
    has_own = {
        side: each.name in stated
        and not origins.get(each.name)
        and getattr(stated[each.name], key) is not None
        for side, each in (("{handicapped}", case.handicapped), ("{other}", case.other))
    }
    sides = [side for side, has in has_own.items() if has]
    if len(sides) != 1 or (sides == ["{other}"] and not origins.get(case.handicapped.name)):
        return ""
    return sides[0]


def handicaps(pair: Pair) -> Iterator[Handicap]:
    """Yield the sides on which a disadvantage counts.

    Where a test decides, only that of the method behind: it may have lost by it. Elsewhere that
    of either, unless both score the same.
    """
    if not pair.is_decided and pair.lead == 0:
        return
    yield Handicap(pair, pair.behind, pair.ahead)
    if not pair.is_decided:
        yield Handicap(pair, pair.ahead, pair.behind)
