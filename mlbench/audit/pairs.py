"""The comparisons of an experiment, each with the method that is ahead."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from mlbench.audit.facts import ComparedMethod, Facts, Values
from mlbench.audit.threat import Place
from mlbench.comparisons.over_datasets import best_first
from mlbench.comparisons.pairwise_tests import Finding
from mlbench.comparisons.settings import MetricColumn
from mlbench.config.comparison import Comparison
from mlbench.metrics import get_metric
from mlbench.results.same_scores import ROUNDING
from mlbench.statistics import Compared, PairedScores, compare

LARGE_LEAD = 0.1
"""A lead that a grid or fixed settings hardly explain, in metrics between 0 and 1."""

LEAST_GAIN = 0.005
"""The gain or the lead that matters, in a metric between 0 and 1."""


SHARE = "share"
"""The convention of metrics at the common cut: as many positives as in training."""


def control_of(metric: str) -> str:
    """Return the metric at the common cut; empty if it has none."""
    base = get_metric(metric.partition("@")[0])
    return f"{base.name}@{SHARE}" if SHARE in base.conventions else ""


@dataclass(frozen=True, eq=False)
class Pair:
    """Two methods on a data set in a metric, of which one is ahead."""

    metric: MetricColumn
    ahead: ComparedMethod
    behind: ComparedMethod
    finding: Finding
    comparison: Comparison
    """What asked for it."""
    lead: float
    """How far the one is ahead; 0 if neither is."""
    is_decided: bool
    """Whether a test decides for the one that is ahead."""
    is_ranked: bool = False
    """Whether a verdict says by mean ranks that it is ahead."""

    @property
    def dataset(self) -> str:
        """The data set's name in tables."""
        return self.finding.dataset

    @property
    def ratio(self) -> float | None:
        """The size of test parts over that of training parts, if it is known."""
        return self.finding.ratio

    @property
    def place(self) -> Place:
        """Where alarms about it belong."""
        return self.dataset, self.metric.name, frozenset({self.ahead.name, self.behind.name})

    @property
    def splits(self) -> int:
        """The number of splits on which both have a score."""
        return self.finding.scores.n

    @property
    def test(self) -> str:
        """The test that decides, where it can be repeated in another metric; else corrected t."""
        headline = self.finding.headline
        return headline if self.is_decided and headline != "jackknife_t" else "corrected_t"

    @property
    def is_claimed(self) -> bool:
        """Whether a verdict says that the one is ahead, on the data set or by mean ranks."""
        return self.is_decided or self.is_ranked

    def means(self, reading: str) -> tuple[float, float]:
        """Return the means of both in a metric, over the splits that both have; else NaN."""
        found = PairedScores.of(self.ahead.values(reading), self.behind.values(reading))
        if not found.n:
            return math.nan, math.nan
        return math.fsum(found.a) / found.n, math.fsum(found.b) / found.n

    @property
    def is_tiny(self) -> bool:
        """Whether the two are close, and no test decides."""
        return not self.is_decided and self.metric.is_fraction and round(self.lead, 12) < LEAST_GAIN

    @property
    def is_large(self) -> bool:
        """Whether the lead is more than a grid or fixed settings explain."""
        return self.metric.is_fraction and self.lead_to_explain > LARGE_LEAD

    @cached_property
    def lead_to_explain(self) -> float:
        """The lead, or what is left of it at the common cut, where that is known and less."""
        name = control_of(self.metric.name)
        control = self.reread(name) if name else None
        return self.lead if control is None else min(self.lead, control.lead)

    def reread(
        self, reading: str, greater_is_better: bool = True, test: str = "corrected_t"
    ) -> Reading | None:
        """Compare the two in another metric.

        Parameters
        ----------
        reading : str
            Its name in the rows.
        greater_is_better : bool
        test : str

        Returns
        -------
        Reading or None
            None if a row lacks the metric, or no split has it for both.
        """
        if not (self.ahead.has(reading) and self.behind.has(reading)):
            return None
        values = self.ahead.values(reading), self.behind.values(reading)
        return self._read(*values, greater_is_better, test)

    def on_untied(self) -> Reading | None:
        """Compare the two in the macro AUC that each has on the pairs that it does not tie.

        Returns
        -------
        Reading or None
            None if the shares of tied pairs are not known, or hardly a pair differs.
        """
        return self._read(self.ahead.untied_areas, self.behind.untied_areas, True)

    def _read(
        self,
        ahead: Values,
        behind: Values,
        greater_is_better: bool,
        test: str = "corrected_t",
    ) -> Reading | None:
        series = PairedScores.of(ahead, behind)
        if not series.n:
            return None
        found = compare(
            series,
            [test],
            self.ratio,
            greater_is_better=greater_is_better,
            alpha=self.finding.alpha,
        )
        sign = 1 if greater_is_better else -1
        p = found.tests[test].p_value if found.is_tested and test in found.tests else math.nan
        return Reading(sign * _difference(series), p, found)


@dataclass(frozen=True)
class Reading:
    """What another metric says of two methods, at the level of their comparison."""

    lead: float
    """Of the one that is ahead in the metric that is shown; below 0 if it is behind here."""
    p: float
    """Of the test, by default the corrected t-test; NaN without one."""
    found: Compared

    @property
    def is_significant(self) -> bool:
        """Whether the two differ here."""
        return self.p < self.found.alpha

    @property
    def is_turned(self) -> bool:
        """Whether the other one is ahead here, and significantly."""
        return self.lead < 0 and self.is_significant


def pairs(facts: Facts) -> list[Pair]:
    """Return each comparison of the experiment once, and those that a verdict makes besides.

    That is the leader against the next on a data set, and methods whose mean ranks differ. A
    comparison that several tests make is the one that decides, if any does.
    """
    found: dict[Place, Pair] = {}
    for comparison, findings in facts.findings:
        for finding in findings:
            if (pair := pair_of(facts, comparison, finding)) is not None:
                before = found.get(pair.place)
                if before is None or (pair.is_decided and not before.is_decided):
                    found[pair.place] = pair
    for metric in facts.metrics.values():
        for dataset, first, second in _leaders(facts, metric):
            if (pair := _tested(facts, metric, dataset, first, second, found)) is not None:
                found[pair.place] = pair
        for dataset, better, worse in _ranked(facts, metric):
            place = (dataset, metric.name, frozenset({better, worse}))
            pair = found.get(place) or _tested(facts, metric, dataset, better, worse, found)
            if pair is not None and pair.ahead.name == better:
                found[place] = replace(pair, is_ranked=True)
    return [*found.values()]


def pairs_of_equals(facts: Facts, compared: Iterable[Pair]) -> Iterator[Pair]:
    """Yield methods of one mean on a data set, but for rounding, which nothing compares."""
    known = {pair.place for pair in compared}
    for metric in facts.metrics.values():
        for dataset in facts.datasets:
            of = (facts.methods.get((dataset, name)) for name in facts.results.methods)
            means = {each.name: each.mean(metric.name) for each in of if each}
            defined = {name: mean for name, mean in means.items() if math.isfinite(mean)}
            ranked = sorted(defined, key=defined.__getitem__)
            for first, second in pairwise(ranked):
                if abs(means[first] - means[second]) <= ROUNDING:
                    pair = _tested(facts, metric, dataset, first, second, known)
                    if pair is not None:
                        yield pair


def pair_of(facts: Facts, comparison: Comparison, finding: Finding) -> Pair | None:
    """Return a finding with what is known of its methods; None without a score of both."""
    metric = facts.metrics.get(finding.metric)
    if metric is None or not finding.scores.n:
        return None
    decision = finding.decision() if finding.is_tested else 0
    difference = _difference(finding.scores)
    lead = difference if metric.greater_is_better else -difference
    order = (finding.method, finding.against)
    if (decision or lead) < 0:
        order, lead = order[::-1], -lead
    ahead, behind = (facts.of(finding.dataset, name) for name in order)
    return Pair(metric, ahead, behind, finding, comparison, lead, bool(decision))


def _difference(scores: PairedScores) -> float:
    """Return the difference of the means; 0 if both are equal but for rounding."""
    return (math.fsum(scores.a) - math.fsum(scores.b)) / scores.n


def _leaders(facts: Facts, metric: MetricColumn) -> Iterator[tuple[str, str, str]]:
    """Yield data sets, each with the best of the methods shown and the second."""
    shown = facts.settings.shown_methods or facts.results.methods
    for dataset in facts.datasets:
        means, _ = best_first(facts.scores, shown, dataset, metric)
        if len(means) > 1:
            first, second, *_ = means
            yield dataset, first, second


def _ranked(facts: Facts, metric: MetricColumn) -> Iterator[tuple[str, str, str]]:
    """Yield data sets, each with a method and one that it is ahead of by mean rank in a verdict.

    These are the first and those that it beats, and one's own and those that it differs from.
    """
    ranks = facts.mean_ranks.get(metric.name)
    if ranks is None:
        return
    pairs = [(ranks.first[0], other) for other in ranks.beaten]
    origins = facts.results.origins
    if any(origins.values()):
        own = [name for name in ranks.methods if origins[name] is None]
        pairs += [(name, other) for name in own for other in ranks.unlike(name)]
    rank = dict(zip(ranks.methods, ranks.test.mean_ranks, strict=True))
    for pair in pairs:
        better, worse = sorted(pair, key=rank.__getitem__)
        for dataset in facts.datasets:
            yield dataset, better, worse


def _tested(
    facts: Facts,
    metric: MetricColumn,
    dataset: str,
    first: str,
    second: str,
    known: Container[Place],
) -> Pair | None:
    """Return two methods on a data set, tested for themselves.

    None if they are compared already, or have no score of both.
    """
    if (dataset, metric.name, frozenset({first, second})) in known:
        return None
    refused = facts.settings.uncorrected.get(dataset, "")
    comparison = Comparison(method=first, against=[second])
    if refused:  # examined, and decided by none
        comparison = Comparison(method=first, against=[second], test=["t"])
    for finding in facts.compare(comparison, dataset, metric, refused):
        if (pair := pair_of(facts, comparison, finding)) is not None:
            return replace(pair, is_decided=pair.is_decided and not refused)
    return None
