"""The checks by name. Each looks at one comparison, or at the experiment as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mlbench import plugins
from mlbench.audit.checks import datasets, fits, grids, scores, tests, thresholds, tuning
from mlbench.audit.facts import Facts
from mlbench.audit.pairs import Pair, control_of
from mlbench.audit.threat import Alarm
from mlbench.errors import MlbenchError
from mlbench.spelling import refuse_unknown

OfPair = Callable[[Pair, Facts], Iterable[Alarm]]
OfExperiment = Callable[[Facts], Iterable[Alarm]]

SAME_MODEL = "same-model"


@dataclass(frozen=True)
class Check:
    """A check: what it looks at, and the function that looks.

    Packages announce checks of their own in the group ``mlbench.checks``; see
    docs/extending-reports.md.
    """

    of_pair: OfPair | None = None
    """Looks at one comparison."""
    of_experiment: OfExperiment | None = None
    """Looks at the experiment."""
    reading: Callable[[str], str] | None = None
    """Returns which number of a row it needs to judge a metric; empty if it needs none."""
    is_shared: bool = False
    """Whether this number is the same for all methods, so that one row of a split tells it."""
    reruns: bool = False
    """Whether its advice is to run a method otherwise."""


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "threshold": Check(thresholds.threshold, reading=control_of, reruns=True),
        "rank-order": Check(thresholds.rank_order),
        "tuning-metric": Check(tuning.tuning_metric, reruns=True),
        "grid-edge": Check(grids.grid_edge, reruns=True),
        "untuned-rival": Check(tuning.untuned_rival, reruns=True),
        "search-budget": Check(tuning.search_budget),
        "undefined-tuning": Check(tuning.undefined_tuning, reruns=True),
        "shared-search": Check(tuning.shared_search),
        "labels-left-out": Check(scores.labels_left_out, reading=scores.over_all_labels),
        "tied-scores": Check(scores.tied_scores, reading=scores.ties_of),
        "rounded-scores": Check(scores.rounded_scores),
        "below-constant": Check(scores.below_constant, reading=scores.constant_of, is_shared=True),
        "not-converged": Check(fits.not_converged, reruns=True),
        "failed-cells": Check(fits.failed_cells, fits.of_experiment, reruns=True),
        SAME_MODEL: Check(scores.same_model),
        "over-corrected": Check(tests.over_corrected),
        "optimistic-test": Check(tests.optimistic_test),
        "few-splits": Check(tests.few_splits),
        "pseudo-replicates": Check(of_experiment=datasets.pseudo_replicates),
        "few-datasets": Check(of_experiment=datasets.few_datasets),
    }
)


def all_checks() -> dict[str, Check]:
    """Return the built-in checks and those of installed packages."""
    found = dict(CHECKS)
    for name in plugins.names(plugins.CHECKS):
        check = plugins.load(plugins.CHECKS, name)
        if not isinstance(check, Check):
            raise MlbenchError(f"the plug-in {name!r} in {plugins.CHECKS} is no audit.Check")
        found[name] = check
    return found


def checks_named(names: Iterable[str]) -> dict[str, Check]:
    """Return checks by name, or all if none is named.

    Raises
    ------
    MlbenchError
        If there is no such check.
    """
    known = all_checks()
    wanted = list(names) or list(known)
    for name in wanted:
        refuse_unknown("there is no check", name, known)
    return {name: known[name] for name in wanted}
