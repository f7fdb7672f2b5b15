"""Whether data sets are enough, and distinct, for tests and ranks over them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mlbench.audit.facts import Facts
from mlbench.audit.threat import Alarm

LEVEL = 0.05


def pseudo_replicates(facts: Facts) -> Iterator[Alarm]:
    """Find ranks and tests over data sets of which several are one, in other sizes or shares."""
    datasets = facts.datasets
    sources = Counter(_source(facts, name) for name in datasets)
    repeated = {name: n for name, n in sources.items() if n > 1}
    if not repeated or not _are_ranked(facts):
        return
    named = ", ".join(f"{name} × {n}" for name, n in repeated.items())
    are = "is 1 data set" if len(sources) == 1 else f"are {len(sources)} data sets"
    yield Alarm(
        severity="invalidates",
        claim=f'ranks and tests "over {len(datasets)} data sets" {are} ({named})',
        advice="Rank per size or share, one data set each.",
        numbers={"datasets": len(datasets), "distinct": len(sources)},
    )


def few_datasets(facts: Facts) -> Iterator[Alarm]:
    """Note ranks over data sets without a test, and tests that cannot reject."""
    if not _are_ranked(facts):
        return
    n = len({_source(facts, name) for name in facts.datasets})
    smallest = 2 / 2**n
    if smallest >= LEVEL:
        claim = f"{n} data sets: no test over them can reach {LEVEL}"
        if n == 1:
            claim = f"one data set: no test over data sets can reach {LEVEL}"
        yield Alarm(
            severity="note",
            claim=claim,
            advice="Take mean ranks as a description; at least six data sets allow a test.",
            numbers={"datasets": n, "smallest_p": smallest},
        )
    elif not any(comparison.over_datasets for comparison in facts.settings.comparisons):
        yield Alarm(
            severity="note",
            claim=f"mean ranks over {n} data sets stand without a test",
            advice="Add `over_datasets: ranks` to `tests:`.",
            numbers={"datasets": n},
        )


def _are_ranked(facts: Facts) -> bool:
    """Return whether the verdict ranks methods over data sets."""
    return len(facts.datasets) > 1 and len(facts.results.methods) > 1


def _source(facts: Facts, dataset: str) -> str:
    """Return the name of the data set, without what was made of it."""
    for method in facts.results.methods:
        found = facts.methods.get((dataset, method))
        if found is not None and found.identity:
            return str(found.identity["dataset"].get("name", dataset)).partition("[")[0]
    return dataset
