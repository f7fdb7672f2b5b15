"""Whether data sets are enough, and distinct, for tests and ranks over them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from mlbench.audit.facts import Facts
from mlbench.audit.threat import Alarm, Severity
from mlbench.number_text import counted
from mlbench.statistics.ranks import MIN_COUNT

LEVEL = 0.05

MANY_METHODS = 3
"""From so many methods on, mean ranks have Friedman's test."""


def pseudo_replicates(facts: Facts) -> Iterator[Alarm]:
    """Find ranks and tests over data sets that are parts or versions of one another."""
    datasets = facts.datasets
    source_of = sources_of(facts)
    sources = Counter(source_of[name] for name in datasets)
    repeated = {name: n for name, n in sources.items() if n > 1}
    if not repeated or not _are_ranked(facts):
        return
    named = ", ".join(f"{name}, {n} times" for name, n in repeated.items())
    on = "one" if len(sources) == 1 else f"{len(sources)} of them"
    severity: Severity = "invalidates" if len(datasets) >= MIN_COUNT else "weakens"
    yield Alarm(
        severity=severity if _are_tested(facts) else "note",
        claim=f"the mean ranks over {len(datasets)} data sets rest on {on} ({named})",
        advice="Rank over one of each.",
        numbers={"datasets": len(datasets), "distinct": len(sources)},
    )


def _are_tested(facts: Facts) -> bool:
    """Return whether a report draws a conclusion from the ranks.

    A test over data sets that the experiment asks for does, the place of one's own method among
    those of others, and a method that the first is significantly ahead of.
    """
    return (
        any(comparison.over_datasets for comparison in facts.settings.comparisons)
        or any(facts.results.origins.values())
        or any(found.beaten for found in facts.mean_ranks.values())
    )


def few_datasets(facts: Facts) -> Iterator[Alarm]:
    """Note ranks over so few data sets, or of so few methods, that no test comes with them.

    The smallest p-value of Wilcoxon's test over n data sets is 2/2^n. The verdict has Friedman's
    test of three methods or more.
    """
    if not _are_ranked(facts):
        return
    ran = _with_results(facts)
    source_of = sources_of(facts)
    n = len({source_of[name] for name in ran})
    if n < len(ran):
        return
    k = max(
        (each.n_corrected for each in facts.settings.comparisons if each.over_datasets), default=1
    )
    smallest = min(1.0, k * 2 / 2**n)
    if smallest >= LEVEL:
        enough = math.floor(math.log2(2 * k / LEVEL)) + 1
        yield Alarm(
            severity="note",
            claim=f"Wilcoxon's test of two methods over {counted(n, 'data set')} cannot reach "
            f"{LEVEL}" + (f" after Holm over {k} methods" if k > 1 else ""),
            advice=f"Take mean ranks as a description; from {enough} data sets on it can.",
            numbers={"datasets": n, "smallest_p": smallest},
        )
    elif len(facts.results.methods) < MANY_METHODS and not any(
        comparison.over_datasets for comparison in facts.settings.comparisons
    ):
        yield Alarm(
            severity="note",
            claim=f"mean ranks over {n} data sets stand without a test",
            advice="Add `over_datasets: win_tie_loss` to `tests:`.",
            numbers={"datasets": n},
        )


def _are_ranked(facts: Facts) -> bool:
    """Return whether the verdict ranks methods over data sets."""
    if not facts.metrics:
        return False
    return len(_with_results(facts)) > 1 and len(facts.results.methods) > 1


def _with_results(facts: Facts) -> list[str]:
    """Return the data sets on which some cell has a result."""
    ran = {each.dataset for each in facts.methods.values() if each.rows}
    return [name for name in facts.datasets if name in ran]


def sources_of(facts: Facts) -> dict[str, str]:
    """Return what each data set was made of: its name without its size, or a part of it.

    Of several with the same content it is that of the first, also for what else was made of them.
    """
    known = facts.results.plan.datasets
    sources = {name: _stored_name(facts, name) for name in known}
    first: dict[str, str] = {}
    for name, each in known.items():
        alike = first.setdefault(each.fingerprint, name)
        one = {sources[name]: sources[alike]}
        sources = {dataset: one.get(source, source) for dataset, source in sources.items()}
    return sources


def _stored_name(facts: Facts, dataset: str) -> str:
    for method in facts.results.methods:
        found = facts.methods.get((dataset, method))
        if found is not None and found.identity:
            return str(found.identity["dataset"].get("name", dataset)).partition("[")[0]
    return dataset
