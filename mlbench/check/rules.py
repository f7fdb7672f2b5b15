"""When a number counts as moved.

The question is whether a table moved, on the very splits that it was made from; not which of two
methods is better on new data. Under the hypothesis that nothing moved, scores of the same split
differ by accidents alone: rounding that flips a label near its cut or a near-tie in tuning, up
or down alike, and in each fit by itself. Overlap of the splits' samples does not make such
accidents depend on each other. So the plain paired t-test fits here, and the corrected one,
which allows for the overlap, would miss most of what a change of code does.

Rules, in this order, for each data set, method and metric:

1. A cell with the same key, from the same environment, has the same bits, or the number *moved*.
   If its code is known to have changed, a difference of more than `ROUNDING` has the same effect:
   nothing else can explain it.
2. A split on which the metric was defined and is not, or the other way round: *moved*.
3. No split differs: *same*. None differs by more than `ROUNDING`: *drifted*.
4. The mean differs by no more than `SMALLEST`: *drifted*.
5. The paired t-test over the splits (five at least) is significant at `LEVEL`, two-sided, after
   Holm's correction over all numbers that came as far as rule 4: *moved*.
6. The mean differs by more than the tolerance: *moved*; else *drifted*.

A strict check takes any change of what a number depends on (its data, splits, parameters, grid,
revision) as *moved*, before rule 3.

Where data or splits are not the same there are no pairs. Given the data, random splits are
independent draws, so Welch's t-test (Biometrika 34, 1947) takes the place of the paired one in
rule 5, and decides alone. Limits hold for fractions; a metric that is none has them multiplied
by its mean, where that is above 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from mlbench.metrics import get_metric
from mlbench.number_text import listed, splits_in_words
from mlbench.results.reference import ScoreSummary, Series, summarize
from mlbench.statistics import PairedScores, Sample, compare, holm, welch

ROUNDING = 1e-9
SMALLEST = 1e-4
TOLERANCE = 0.01
LEVEL = 0.05
MIN_PAIRS = 5
REDEFINED = "what it depends on has changed"
OTHER_BITS = "same key, same environment, other bits"
"""Why a number has moved that only a strict check calls so."""

CheckVerdict = Literal["same", "drifted", "moved", "missing", "new", "failed"]
ChangedValue = tuple[str, Any, Any]
"""What changed, from which value, to which."""


@dataclass(frozen=True)
class CheckedNumber:
    """A mean over splits, then and now."""

    dataset: str
    method: str
    metric: str
    verdict: CheckVerdict
    """``missing`` if no split is left to compare, ``new`` if the reference has none, ``failed``
    if neither has one."""
    why: str = ""
    """The rule that decided, in words."""
    then: ScoreSummary | None = None
    now: ScoreSummary | None = None
    """Over the splits that are compared."""
    difference: float | None = None
    """Now minus then, over the splits that are compared."""
    largest: float | None = None
    """The difference of the split that differs most; None without pairs."""
    pairs: int = 0
    """Splits on which both have a score."""
    p_value: float = math.nan
    """Two-sided, after Holm; NaN if nothing was tested."""

    @property
    def name(self) -> str:
        """The number's name in messages."""
        return f"{self.dataset}/{self.method} {self.metric}"


@dataclass(frozen=True)
class Repeated:
    """The splits whose cells have the same key and were run in the same environment."""

    same_code: list[int]
    other_code: list[int]
    """Those whose code is known to have changed."""


def measured(old: Series, new: Series, metric: str, repeated: Repeated) -> CheckedNumber:
    """Return a number with its difference and p-value, and a verdict if rules 1 to 3 decide.

    Parameters
    ----------
    old, new : Series
    metric : str
    repeated : Repeated
    """
    before, after = old.scores(metric), new.scores(metric)
    number = CheckedNumber(
        dataset=old.dataset,
        method=old.method,
        metric=metric,
        verdict="drifted",
        then=summarize(before.values()),
        now=summarize(after.values()),
    )
    if not before and not after:
        return replace(number, verdict="failed", why="failed then and now")
    if not before:
        return replace(number, verdict="new", why="failed in the reference")
    if not _same_splits(old.identity, new.identity):
        return _unpaired(number, before, after)
    if not before.keys() & after.keys():
        return replace(number, verdict="missing", why="no split is left to compare")
    return _paired(number, PairedScores.of(after, before), repeated)


def redefined(number: CheckedNumber, changes: Sequence[ChangedValue]) -> CheckedNumber:
    """Return a number as moved because of what it depends on, unless its splits are missing.

    One that has moved by itself keeps its own reason.
    """
    if not changes or number.verdict in ("moved", "missing", "failed"):
        return number
    names = listed([f"{w} {a} -> {b}" if w == "splits" else w for w, a, b in changes])
    return replace(number, verdict="moved", why=f"{REDEFINED}: {names}")


def _same_splits(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    return all(old.get(part) == new.get(part) for part in ("dataset", "split", "imbalance"))


def _paired(number: CheckedNumber, pairs: PairedScores, repeated: Repeated) -> CheckedNumber:
    change = np.subtract(pairs.a, pairs.b)
    number = replace(number, then=summarize(pairs.b), now=summarize(pairs.a), pairs=pairs.n)
    if change.size:
        largest = float(change[np.argmax(np.abs(change))])
        number = replace(number, difference=float(change.mean()), largest=largest)
    unlike = {*pairs.unpaired, *(s for s, d in zip(pairs.splits, change, strict=True) if d)}
    if broken := [split for split in repeated.same_code if split in unlike]:
        why = f"{OTHER_BITS} on {splits_in_words(broken)}"
        return replace(number, verdict="moved", why=why)
    if pairs.unpaired:
        why = f"defined in one of the two only on {splits_in_words(pairs.unpaired)}"
        return replace(number, verdict="moved", why=why)
    if not change.any():
        return replace(number, verdict="same")
    if np.abs(change).max() <= ROUNDING * scale_of(number):
        return replace(number, why="rounding")
    if changed := [split for split in repeated.other_code if split in unlike]:
        where = splits_in_words(changed)
        why = f"same environment, other code of the same revision: other scores on {where}"
        return replace(number, verdict="moved", why=why)
    if pairs.n < MIN_PAIRS:
        return number
    return replace(number, p_value=compare(pairs, ["t"]).tests["t"].p_value)


def _unpaired(
    number: CheckedNumber, before: Mapping[int, float | None], after: Mapping[int, float | None]
) -> CheckedNumber:
    old, new = (
        [value for value in scores.values() if value is not None] for scores in (before, after)
    )
    if not after:
        return replace(number, verdict="missing", why="no split is left to compare")
    if not old and not new:
        return replace(number, verdict="same")
    if not old or not new:
        return replace(number, verdict="moved", why="defined in one of the two only")
    found = welch(Sample.of(new), Sample.of(old))
    number = replace(number, difference=found.value)
    return number if min(len(old), len(new)) < 2 else replace(number, p_value=found.p_value)


def judged(numbers: Sequence[CheckedNumber], tolerance: float) -> list[CheckedNumber]:
    """Correct the p-values for their number, and decide what rules 1 to 3 left open."""
    adjusted = holm([number.p_value for number in numbers])
    return [
        _decided(replace(number, p_value=float(p)), tolerance)
        for number, p in zip(numbers, adjusted, strict=True)
    ]


def _decided(number: CheckedNumber, tolerance: float) -> CheckedNumber:
    if number.verdict != "drifted" or number.why or number.difference is None:
        return number
    size, scale = abs(number.difference), scale_of(number)
    others = "; other data or splits, so not paired" if not number.pairs else ""
    if size <= SMALLEST * scale:
        return replace(number, why=f"the mean differs by no more than {SMALLEST * scale:g}{others}")
    if number.p_value < LEVEL:
        return replace(number, verdict="moved", why=f"significant{others}")
    if number.pairs == 0 and not math.isnan(number.p_value):
        return replace(number, why=f"not significant{others}")
    if size > tolerance * scale:
        why = f"the mean differs by more than {tolerance * scale:g}{others}"
        return replace(number, verdict="moved", why=why)
    untested = f"fewer than {MIN_PAIRS} pairs, so not tested"
    why = untested if math.isnan(number.p_value) else "not significant"
    return replace(number, why=f"{why}{others}")


def scale_of(number: CheckedNumber) -> float:
    """Return what differences are measured by: the mean of a metric without a bound, if above 1."""
    mean = number.then.mean if number.then is not None else None
    if get_metric(number.metric).is_fraction or mean is None:
        return 1.0
    return max(1.0, abs(mean))
