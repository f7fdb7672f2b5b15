"""What is known of the methods on each data set: how they were tuned, cut, and fitted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mlbench.audit.domains import DEFAULT_LOSSES, FLOORS, searches_by_itself
from mlbench.comparisons.over_datasets import MeanRanks, mean_ranks
from mlbench.comparisons.pairwise_tests import Finding, Findings, compare_methods, find_all
from mlbench.comparisons.settings import MetricColumn, ReportSettings, report_settings
from mlbench.config.comparison import Comparison
from mlbench.metrics.joined import is_of_f1, model_of
from mlbench.results.results import Results
from mlbench.results.scores import Scores
from mlbench.results.searches import SearchOutcome
from mlbench.store import Summary
from mlbench.store.row import values_by

Values = Mapping[int, float | None]
"""A score by split."""

AREA, TIES = "macro_auc", "auc_tie_share"
"""The metric that needs no threshold, and the share of pairs of samples that tie in it."""

ALL_TIED = 0.99


@dataclass(frozen=True, eq=False)
class ComparedMethod:
    """A method on a data set."""

    dataset: str
    name: str
    rows: Mapping[int, Summary]
    """The results by split."""
    identity: Mapping[str, Any]
    """What its results depend on, but for the number of the split; empty if nothing has run."""
    outcomes: Mapping[str, int]
    """How many cells are ok, failed in which way, or are missing."""

    @property
    def use(self) -> str:
        """The estimator's name."""
        return str(self._method.get("name", ""))

    @property
    def is_own(self) -> bool:
        """Whether its class comes with no package."""
        return "code" in self._method

    @property
    def is_floor(self) -> bool:
        """Whether it looks at no feature: it is there to be below the others."""
        return self.use in FLOORS

    @property
    def base(self) -> Any:
        """The base learner with its parameters; None without one."""
        params = self._method.get("params", {})
        return params.get("base", params.get("estimator"))

    @property
    def learner(self) -> str:
        """The name of the base learner; empty without one."""
        return str(self.base.get("name", "")) if isinstance(self.base, Mapping) else ""

    def is_variant_of(self, other: ComparedMethod) -> bool:
        """Return whether the two are one estimator around one base learner."""
        return self.use == other.use and self.learner == other.learner

    @property
    def tunes_learner(self) -> bool:
        """Whether its search is over parameters of the base learner."""
        settings = self.base.get("params", {}) if isinstance(self.base, Mapping) else {}
        return any(name.rpartition("__")[2] in settings for point in self.grid for name in point)

    @property
    def loss(self) -> str:
        """The loss that it minimizes; empty if it is not known."""
        params = self._method.get("params", {})
        return str(params.get("loss", DEFAULT_LOSSES.get(self.use, "")))

    def threshold(self, metric: str) -> str:
        """Return the policy that turns scores into the labels that a metric judges."""
        stated = self.identity.get("threshold", "default")
        if isinstance(stated, Mapping) and "f1" in stated:
            stated = stated["f1"] if is_of_f1(metric) else "default"
        return str(stated["policy"] if isinstance(stated, Mapping) else stated)

    @property
    def tuning(self) -> Mapping[str, Any]:
        """How its parameters are searched; empty without a search."""
        return self.identity.get("tuning") or {}

    def scoring(self, metric: str) -> str | None:
        """Return the metric that chose the model which a metric judges; None if none did."""
        tuned_by = next(iter(self.rows.values())).tuned_by if self.rows else ()
        return model_of(metric, tuned_by) if tuned_by else None

    @property
    def grid(self) -> Sequence[Mapping[str, Any]]:
        """The candidates of the search."""
        grid: Sequence[Mapping[str, Any]] = self.tuning.get("grid", ())
        return grid

    @property
    def has_given_parameters(self) -> bool:
        """Whether an earlier run chose its parameters."""
        return "chosen" in self.identity

    @property
    def is_tuned(self) -> bool:
        """Whether its parameters were chosen by data, among two candidates or more."""
        return len(self.grid) > 1 or self.has_given_parameters

    @cached_property
    def own_search(self) -> str:
        """The class of scikit-learn in it that chooses parameters by itself; empty if none does."""
        return next(filter(searches_by_itself, _class_names(self._method)), "")

    @property
    def has_shared_search(self) -> bool:
        """Whether one search served all splits."""
        return self.is_tuned and (
            self.tuning.get("scope") == "first-split" or self.has_given_parameters
        )

    @cached_property
    def searches(self) -> list[Summary]:
        """A row of each search: of every split, or one for all."""
        found: dict[str, Summary] = {}
        for split, row in self.rows.items():
            found.setdefault("all" if self.has_shared_search else str(split), row)
        return [*found.values()]

    def values(self, reading: str) -> Values:
        """Return the score in a metric by split; None where it is undefined."""
        return {s: row.metrics[reading] for s, row in self.rows.items() if reading in row.metrics}

    def chosen(self, row: Summary, metric: str) -> Mapping[str, Any]:
        """Return the parameters of the model that a metric judges."""
        return values_by(self.scoring(metric) or metric, row.params)

    def has(self, reading: str) -> bool:
        """Whether every result has a metric, be it undefined."""
        return bool(self.rows) and all(reading in row.metrics for row in self.rows.values())

    def mean(self, reading: str) -> float:
        """Return the mean of a metric over the splits where it is defined, or NaN."""
        found = [value for value in self.values(reading).values() if value is not None]
        return math.fsum(found) / len(found) if found else math.nan

    @property
    def untied_areas(self) -> Values:
        """The macro AUC if tied pairs were ordered as well as the others, by split.

        A tied pair counts as half right: of the area a and the share t of ties,
        (a - t/2) / (1 - t). It is undefined where nearly all pairs are tied.
        """
        areas, ties = self.values(AREA), self.values(TIES)
        return {
            split: (area - tied / 2) / (1 - tied)
            for split, area in areas.items()
            if area is not None and (tied := ties.get(split)) is not None and tied < ALL_TIED
        }

    def equals_but_for(self, other: ComparedMethod, *keys: str) -> bool:
        """Return whether two methods are alike in all but some parts of what they are.

        Parameters
        ----------
        other : MethodFacts
        *keys : str
            Keys of the identity, or ``scoring``.
        """
        return self._without(keys) == other._without(keys)

    def _without(self, keys: Sequence[str]) -> dict[str, Any]:
        kept = {name: value for name, value in self.identity.items() if name not in keys}
        if "scoring" in keys and kept.get("tuning"):
            kept["tuning"] = {**kept["tuning"], "scoring": None}
        return kept

    @property
    def _method(self) -> Mapping[str, Any]:
        method: Mapping[str, Any] = self.identity.get("method", {})
        return method


@dataclass(frozen=True, eq=False)
class Facts:
    """An experiment: its results, what it compares, and what tests find."""

    results: Results
    settings: ReportSettings
    findings: Findings

    @classmethod
    def of_results(cls, results: Results, metrics: Sequence[str] = ()) -> Facts:
        """Return the facts of an experiment.

        Parameters
        ----------
        results : Results
        metrics : sequence of str
            Judged instead of those that the experiment shows.
        """
        settings = report_settings(results, metrics)
        shown = [metric.name for metric in settings.metrics]
        scores = results.scores_of(shown, seconds=False)
        return cls(results, settings, find_all(scores, settings, results.datasets))

    @cached_property
    def methods(self) -> Mapping[tuple[str, str], ComparedMethod]:
        """By data set and name."""
        rows: dict[tuple[str, str], dict[int, Summary]] = {}
        outcomes: dict[tuple[str, str], Counter[str]] = {}
        identities: dict[tuple[str, str], Mapping[str, Any]] = {}
        for dataset, method, split, key in self.results.cells:
            place = (dataset, method)
            rows.setdefault(place, {})
            row = self.results.rows.get(key)
            outcomes.setdefault(place, Counter())[row.status if row else "missing"] += 1
            if row is None:
                continue
            if place not in identities:
                identities[place] = _of_all_splits(row.identity)
            if row.is_ok:
                rows[place][split] = row
        return {
            place: ComparedMethod(*place, found, identities.get(place, {}), outcomes[place])
            for place, found in rows.items()
        }

    def of(self, dataset: str, method: str) -> ComparedMethod:
        """Return what is known of a method on a data set."""
        return self.methods[dataset, method]

    def values_of_any(self, dataset: str, reading: str) -> Values:
        """Return by split a score that all methods share, from the rows that have it."""
        place = (dataset, reading)
        if place not in self._shared:
            self._shared[place] = {
                split: value
                for (name, _), method in self.methods.items()
                if name == dataset
                for split, value in method.values(reading).items()
            }
        return self._shared[place]

    @cached_property
    def _shared(self) -> dict[tuple[str, str], Values]:
        return {}

    @cached_property
    def scores(self) -> Scores:
        """The scores in these metrics."""
        return self.results.scores_of([*self.metrics], seconds=False)

    @property
    def metrics(self) -> Mapping[str, MetricColumn]:
        """The metrics on which verdicts are given, by name."""
        return {metric.name: metric for metric in self.settings.judged_metrics}

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets, in the order of the experiment."""
        return self.settings.datasets or self.results.datasets

    @cached_property
    def mean_ranks(self) -> Mapping[str, MeanRanks]:
        """The ranks over data sets that the verdict tells, by metric."""
        rule = self.settings.rank_rule
        found = {
            metric.name: mean_ranks(self.scores, self.results.methods, self.datasets, metric, *rule)
            for metric in self.metrics.values()
        }
        return {name: ranks for name, ranks in found.items() if ranks is not None}

    def compare(
        self, comparison: Comparison, dataset: str, metric: MetricColumn, uncorrected: str = ""
    ) -> list[Finding]:
        """Return what a comparison finds on a data set; see :func:`compare_methods`."""
        return compare_methods(
            self.scores,
            comparison,
            dataset,
            metric.name,
            self.ratio(dataset),
            metric.greater_is_better,
            uncorrected,
        )

    def splits(self, dataset: str) -> int:
        """Return how many splits the experiment has on a data set."""
        found = self.settings.n_splits
        return found if isinstance(found, int) else found[dataset]

    def ratio(self, dataset: str) -> float | None:
        """Return the size of test parts over that of training parts, if it is known."""
        return self.settings.test_train_ratio.get(dataset)

    def outcomes(self, method: ComparedMethod) -> list[SearchOutcome]:
        """Return how the searches of a method ended, where that is known."""
        found = self.results.searches
        return [found[row.key] for row in method.searches if row.key in found]

    def stated(self, method: ComparedMethod) -> frozenset[str]:
        """Return the names of the parameters that the experiment sets or tunes for a method."""
        entry = self.results.plan.experiment.methods[method.name]
        return frozenset(_names({**entry.parameters, **entry.tune}))

    def amount(self, metric: str, value: float) -> str:
        """Return a difference in words: ``12.9 points`` in percent, or ``0.129``."""
        column = self.metrics.get(metric)
        if column is not None and not column.is_fraction:
            return f"{value:.3g}"
        if 0 < value < 0.0005:
            return "less than 0.1 points" if self.settings.percent else "less than 0.001"
        value = 0.0 if abs(value) < 0.0005 else value  # and not -0.0
        return f"{100 * value:.1f} points" if self.settings.percent else f"{value:.3f}"

    def score(self, metric: str, value: float) -> str:
        """Return a score in words."""
        return self.amount(metric, value).removesuffix(" points")


def _class_names(method: object) -> Iterator[str]:
    """Yield the names of classes in the identity of a method: its own, and those inside."""
    if isinstance(method, Mapping):
        if isinstance(method.get("name"), str):
            yield method["name"]
        method = [*method.values()]
    for each in method if isinstance(method, list) else ():
        yield from _class_names(each)


def _names(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield names of parameters, also of the estimators inside, without theirs before them."""
    for name, value in parameters.items():
        yield name.rpartition("__")[2]
        if isinstance(value, Mapping):
            yield from _names(value)


def _of_all_splits(identity: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(identity)
    found["split"] = {key: value for key, value in found["split"].items() if key != "index"}
    return found
