"""The audit: all checks over all comparisons of an experiment."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from mlbench.audit.checks import SAME_MODEL, checks_named
from mlbench.audit.checks.scores import are_same, same_model
from mlbench.audit.facts import Facts
from mlbench.audit.grouping import threats_of
from mlbench.audit.pairs import pairs, pairs_of_equals
from mlbench.audit.threat import SEVERITIES, Alarm, Threat, Threats
from mlbench.comparisons.settings import ReportSettings
from mlbench.config.acceptance import Acceptance
from mlbench.errors import MlbenchError
from mlbench.results.scores import MISSING


def find_threats(facts: Facts, checks: Iterable[str] = ()) -> Threats:
    """Return what could be wrong with the comparisons of an experiment, the worst first.

    Parameters
    ----------
    facts : Facts
    checks : iterable of str
        Names of checks; by default all.

    Raises
    ------
    MlbenchError
        If there is no such check.
    """
    rules = facts.results.plan.experiment.audit.accept
    known = checks_named(checks)
    threats = [
        threat
        for name, alarms in alarms_of(facts, checks).items()
        for rule, found in _by_rule(facts, name, _shown(alarms, facts.settings), rules)
        for threat in _accepted(threats_of(name, found, facts, known[name].reruns), rule)
    ]
    order = sorted(threats, key=lambda each: (bool(each.accepted), SEVERITIES.index(each.severity)))
    return Threats(order, not_judged(facts, checks))


def _shown(alarms: Iterable[Alarm], settings: ReportSettings) -> list[Alarm]:
    """Return the alarms that are about a comparison that is shown, or about all of them."""
    datasets, methods = settings.shown_datasets, settings.shown_methods
    return [
        alarm
        for alarm in alarms
        if not (datasets and alarm.dataset) or alarm.dataset in datasets
        if not methods or {*filter(None, (alarm.ahead, alarm.behind))} <= {*methods}
    ]


def alarms_of(facts: Facts, checks: Iterable[str] = ()) -> dict[str, list[Alarm]]:
    """Return the alarms of each check, one for each comparison."""
    named = checks_named(checks)
    found: dict[str, list[Alarm]] = {name: [] for name in named}
    for name, check in named.items():
        if check.of_experiment is not None:
            found[name] += check.of_experiment(facts)
    compared = pairs(facts)
    for pair in compared:
        alike = are_same(pair)
        for name, check in named.items():
            if check.of_pair is not None and (not alike or name == SAME_MODEL):
                found[name] += check.of_pair(pair, facts)
    if SAME_MODEL in named:  # copies count in ranks, compared or not
        for pair in pairs_of_equals(facts, compared):
            found[SAME_MODEL] += same_model(pair, facts)
    return found


def not_judged(facts: Facts, checks: Iterable[str] = ()) -> list[str]:
    """Return the checks for which rows lack a number, as those of older versions do."""
    of_rows: list[Collection[str]] = []
    of_splits: dict[tuple[str, int], set[str]] = {}
    for row in facts.results.rows.values():
        if row.is_ok:
            of_rows.append(row.metrics.keys())
            of_splits.setdefault((row.dataset, row.split), set()).update(row.metrics)
    if not of_rows:
        return []
    in_every_row = set.intersection(*map(set, of_rows))
    on_every_split = set.intersection(*of_splits.values())
    return [
        name
        for name, check in checks_named(checks).items()
        if check.reading is not None
        and any(
            (needed := check.reading(metric))
            and needed not in (on_every_split if check.is_shared else in_every_row)
            for metric in facts.metrics
        )
    ]


def unused_rules(facts: Facts) -> list[Acceptance]:
    """Return what the experiment accepts though no check says it.

    A rule of a check for which the rows lack a number may meet what newer rows say, and one without
    some methods what is not compared beside them.
    """
    rules = facts.results.plan.experiment.audit.accept
    alarms = alarms_of(facts) if rules else {}
    lacking = not_judged(facts) if rules else []
    return [
        rule
        for rule in rules
        if rule.check not in lacking
        and not rule.without
        and not any(_meets(rule, rule.check, alarm) for alarm in alarms.get(rule.check, ()))
    ]


def _by_rule(
    facts: Facts, check: str, alarms: Sequence[Alarm], rules: Sequence[Acceptance]
) -> Iterator[tuple[Acceptance | None, list[Alarm]]]:
    """Divide alarms by the first rule that accepts them."""
    left = list(alarms)
    for rule in rules:
        met = [alarm for alarm in left if _meets(rule, check, alarm)]
        left = [alarm for alarm in left if not _meets(rule, check, alarm)]
        if met:
            yield rule, met
    yield None, left


def _meets(rule: Acceptance, check: str, alarm: Alarm) -> bool:
    methods = (alarm.ahead, alarm.behind)
    metric = alarm.place[1] if alarm.place else ""
    return (
        rule.check == check
        and _any_like(rule.methods, methods)
        and not (rule.without and _any_like(rule.without, methods))
        and _any_like(rule.datasets, (alarm.dataset,))
        and _any_like(rule.metrics, (metric,))
        and _any_like(rule.parameters, (alarm.parameter,))
    )


def _any_like(patterns: Sequence[str] | None, names: Sequence[str]) -> bool:
    return patterns is None or any(
        fnmatchcase(name, pattern) for pattern in patterns for name in names
    )


def _accepted(threats: Sequence[Threat], rule: Acceptance | None) -> list[Threat]:
    return [replace(each, accepted=rule.because if rule else "") for each in threats]


def check_rules(facts: Facts) -> None:
    """Refuse rules that name no check, or accept what none says of a finished experiment.

    A first try (``--quick``) has the rules of the whole experiment, and need not meet them.
    """
    try:
        checks_named(rule.check for rule in facts.results.plan.experiment.audit.accept)
    except MlbenchError as error:
        raise MlbenchError(f"audit.accept: {error}") from None
    is_whole = MISSING not in facts.results.counts
    if not is_whole or facts.results.plan.experiment.is_quick:
        return
    audit, results = facts.results.plan.experiment.audit, facts.results
    experiment = results.plan.experiment
    metrics = [*experiment.metrics, *(experiment.report.metrics or ()), *facts.metrics]
    for i, key, words in audit.unknown_names(results.plan.methods, results.datasets, metrics):
        raise MlbenchError(f"audit.accept.{i}.{key}: {words}")
    rules = audit.accept
    for rule in unused_rules(facts):
        raise MlbenchError(
            f"audit.accept.{rules.index(rule)}: no threat of {rule.check} is met by "
            f"{rule.in_words()}; remove the rule from the experiment, and run it again"
        )
