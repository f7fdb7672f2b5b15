"""Whether methods ran to their end: fits that stopped early, cells that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mlbench.audit.domains import STEPS
from mlbench.audit.facts import ComparedMethod, Facts
from mlbench.audit.handicaps import handicaps
from mlbench.audit.pairs import Pair
from mlbench.audit.threat import Alarm
from mlbench.number_text import counted, listed, of_kinds
from mlbench.results.plan import beyond_limit
from mlbench.store.row import GIVEN_UP, LIMITS, RUNS_AGAIN

FEW = 0.1
"""The share of fits that may stop early."""

MANY = 4
"""Data sets that a sentence lists."""

LARGE_GAP, SMALL_GAP = 0.01, 0.001


def not_converged(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find methods whose fits stopped before they converged.

    Silent where the experiment sets the number of steps, and where both are one method: then
    how it is solved is what is compared.
    """
    for case in handicaps(pair):
        method = case.handicapped
        if facts.stated(method) & STEPS or method.is_variant_of(case.other):
            continue
        fits = [row.fit or {} for row in method.rows.values()]
        stopped = [fit for fit in fits if not fit.get("converged", True)]
        if not stopped or len(stopped) < FEW * len(fits):
            continue
        gaps = [gap for fit in stopped if isinstance(gap := fit.get("gap"), int | float)]
        are_known = len(gaps) == len(stopped)
        if are_known and max(gaps) <= SMALL_GAP:
            continue
        if gaps and max(gaps) <= _largest_gap(case.other):
            continue
        by = f"gap {max(gaps):.2g}" if gaps else "gap unknown"
        is_large = max(gaps) > LARGE_GAP if are_known else len(fits) > 1
        yield case.alarm(
            "weakens" if is_large else "note",
            f"{len(stopped)} of {len(fits)} final fits of {{handicapped}} stopped early ({by})",
            "Give it more iterations; where their number is what is studied, state it.",
            subject=method.name,
            size=max(gaps, default=1.0),
            numbers={
                "stopped": len(stopped),
                "fits": len(fits),
                **({"largest_gap": max(gaps)} if gaps else {}),
            },
        )


def _largest_gap(method: ComparedMethod) -> float:
    gaps = [row.fit.get("gap") for row in method.rows.values() if row.fit]
    return max((gap for gap in gaps if isinstance(gap, int | float)), default=-1.0)


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def failed_cells(pair: Pair, facts: Facts) -> Iterator[Alarm]:
    """Find means over fewer splits than planned, since cells failed or have not run."""
    for method in (pair.behind, pair.ahead):
        bad = {kind: n for kind, n in method.outcomes.items() if kind != "ok" and n}
        if not bad:
            continue
        n_cells, n_bad = sum(method.outcomes.values()), sum(bad.values())
        few = pair.splits < n_cells / 2
        shared = counted(pair.splits, "split")
        claim = (
            f"{n_bad} of {n_cells} cells of {method.name} {_have(n_bad)} no result "
            f"({of_kinds(bad.items())}); scores are compared on the {shared} that both have"
        )
        numbers = {"without_result": n_bad, "cells": n_cells}
        is_unfinished = set(bad) == {"missing"}
        if is_unfinished:
            every = sum((Counter(each.outcomes) for each in facts.methods.values()), Counter[str]())
            n_without = every.total() - every["ok"]
            claim = (
                f"of {every.total()} cells of the experiment, {n_without} {_have(n_without)} no "
                "result; scores are compared on the splits that both methods have"
            )
            numbers = {"without_result": n_without, "cells": every.total()}
        yield Alarm(
            severity="invalidates" if few and pair.is_decided else "weakens",
            claim=claim,
            advice=_advice(method, facts),
            dataset=pair.dataset,
            ahead=pair.ahead.name,
            behind=pair.behind.name,
            handicapped=method.name,
            is_decided=pair.is_decided,
            subject="unfinished" if is_unfinished else method.name,
            size=n_bad / n_cells,
            numbers=numbers,
            place=pair.place,
        )


def without_results(facts: Facts) -> Iterator[Alarm]:
    """Find methods without a result on a data set, or most of it, in no comparison there."""
    lacking: dict[tuple[str, str], list[ComparedMethod]] = {}
    shown = facts.settings.shown_datasets or facts.datasets
    tested = {
        (finding.dataset, name)
        for _, findings in facts.findings
        for finding in findings
        for name in (finding.method, finding.against)
    }
    for method in facts.methods.values():
        if method.dataset not in shown:
            continue
        if not method.rows:
            lacking.setdefault((method.name, ""), []).append(method)
        elif (method.dataset, method.name) not in tested and _has_mostly_failed(method):
            lacking.setdefault((method.name, "most splits of "), []).append(method)
    alike: dict[tuple[str | None, ...], list[ComparedMethod]] = {}
    for (name, part), each in lacking.items():
        advice = tuple(_advice(method, facts) for method in each)
        origin = facts.results.origins.get(name)
        where = (part, origin, *advice, *(method.dataset for method in each))
        alike.setdefault(where, []).extend(each)
    for where, methods in alike.items():
        part = where[0] or ""
        datasets = [*dict.fromkeys(method.dataset for method in methods)]
        kinds = sum((Counter(method.outcomes) for method in methods), Counter[str]())
        del kinds["ok"]
        is_one = len(methods) == len(datasets)
        verbs = ("has", "is") if is_one else ("have", "are")
        for method in methods:
            yield Alarm(
                severity="weakens",
                claim=f"{{behind}} {verbs[0]} no result on {part}{listed(datasets, MANY)} "
                f"({of_kinds(kinds.items())}), and {verbs[1]} in no comparison there",
                advice=_advice(method, facts),
                dataset=method.dataset,
                behind=method.name,
                handicapped=method.name,
                subject=where,
                numbers={"without_result": kinds.total()},
            )


def beyond_limits(facts: Facts) -> Iterator[Alarm]:
    """Find results that took more than the limits that the experiment states."""
    shown = facts.settings.shown_datasets or facts.datasets
    limits = facts.results.plan.limits
    stopped = {
        place
        for place, method in facts.methods.items()
        if any(method.outcomes.get(status) for status in LIMITS)
    }
    for (dataset, name), method in facts.methods.items():
        if dataset not in shown or facts.results.origins.get(name):
            continue
        told = [words for row in method.rows.values() if (words := beyond_limit(row, limits[name]))]
        if told:
            is_uneven = any(place[0] == dataset for place in stopped)
            yield Alarm(
                severity="weakens" if is_uneven else "note",
                claim=f"{counted(len(told), 'cell')} of {{ahead}} on {dataset} ran under a higher "
                f"limit than the experiment states, or in several tries (the first {told[0]})",
                advice="State a limit that is enough, and run again what reached the lower one."
                if is_uneven
                else "State a limit that is enough.",
                dataset=dataset,
                ahead=name,
                handicapped=name,
                subject=("beyond", name, dataset),
                numbers={"beyond": len(told)},
            )


def of_experiment(facts: Facts) -> Iterator[Alarm]:
    """Find what of failures and limits is in no comparison of two methods."""
    yield from without_results(facts)
    yield from beyond_limits(facts)


def _has_mostly_failed(method: ComparedMethod) -> bool:
    """Return whether a verdict leaves it out, as it failed on more than half of the splits."""
    n_failed = sum(n for kind, n in method.outcomes.items() if kind not in ("ok", "missing"))
    return n_failed > sum(method.outcomes.values()) / 2


def _advice(method: ComparedMethod, facts: Facts) -> str:
    if facts.results.origins.get(method.name):
        return "`mlbench why` says why cells failed that were taken over."
    reached = [name for kind, name in LIMITS.items() if method.outcomes.get(kind)]
    stated = facts.results.plan.experiment.methods[method.name].limits
    own = stated.model_fields_set if stated else set()
    reached = [f"methods.{method.name}.limits.{n}" if n in own else f"limits.{n}" for n in reached]
    if reached and set(method.outcomes) <= {"ok", "missing", GIVEN_UP, *RUNS_AGAIN, *LIMITS}:
        higher = f"with a higher {listed([f'`{name}`' for name in reached])}"
        if method.outcomes.get("missing"):
            return f"Run the experiment to its end, {higher}."
        return f"W{higher[1:]}, `mlbench run` runs them again."
    if set(method.outcomes) <= {"ok", "missing", *RUNS_AGAIN}:
        return "Run the experiment to its end."
    if method.outcomes.get("missing"):
        return (
            "Run the experiment to its end; `mlbench why` says why cells failed, and `mlbench run "
            "--retry-failed` runs those again, too."
        )
    return "`mlbench why` says why they failed; `mlbench run --retry-failed` runs them again."
