"""From alarms, one for each comparison, to threats, one for each thing that is wrong."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from mlbench.audit.facts import Facts
from mlbench.audit.threat import Alarm, Threat
from mlbench.number_text import counted, listed

MANY = 4
"""Names that a sentence lists."""


def threats_of(
    check: str, alarms: Iterable[Alarm], facts: Facts, reruns: bool = False
) -> list[Threat]:
    """Join the alarms of a check that have one subject and one severity.

    Parameters
    ----------
    check : str
    alarms : iterable of Alarm
    facts : Facts
    reruns : bool
        Whether the advice is to run methods otherwise; those that are taken over cannot be.
    """
    groups: dict[Hashable, list[Alarm]] = {}
    for alarm in alarms:
        subject = alarm.claim if alarm.subject is None else alarm.subject
        groups.setdefault((alarm.severity, alarm.metric, subject), []).append(alarm)
    sentences = [_sentence(facts, [_worst(group)]) for group in groups.values()]
    return [
        _joined(check, group, facts, reruns, names_rivals=sentences.count(sentence) > 1)
        for group, sentence in zip(groups.values(), sentences, strict=True)
    ]


def _worst(alarms: Iterable[Alarm]) -> Alarm:
    return max(alarms, key=lambda alarm: alarm.size)


def _joined(
    check: str, alarms: Sequence[Alarm], facts: Facts, reruns: bool, names_rivals: bool
) -> Threat:
    worst = _worst(alarms)
    ahead = _unique(alarm.ahead for alarm in alarms)
    behind = _unique(alarm.behind for alarm in alarms)
    one_leads = len(ahead) < 2 or "{ahead}" not in worst.claim
    is_one_claim = one_leads and len({alarm.claim for alarm in alarms}) == 1
    told = alarms if is_one_claim else [worst]
    metrics = _unique(alarm.place[1] for alarm in alarms if alarm.place is not None)
    return Threat(
        check=check,
        severity=worst.severity,
        metrics=metrics or _unique([worst.metric or ""]),
        datasets=_unique(alarm.dataset for alarm in alarms),
        methods=_unique((*ahead, *behind)),
        ahead=ahead,
        behind=behind,
        n_comparisons=len({alarm.place for alarm in alarms} - {None}),
        numbers=worst.numbers,
        sentence=_sentence(facts, told, names_rivals)
        + ("" if is_one_claim else _others(facts, alarms, worst))
        + ".",
        advice=_filled(worst.advice, told, "each of them")
        + (_how_to_change(facts, told) if reruns and worst.severity != "note" else ""),
        severities={alarm.place: alarm.severity for alarm in alarms if alarm.place is not None},
    )


def _sentence(facts: Facts, alarms: Sequence[Alarm], names_rivals: bool = False) -> str:
    """Return where the alarms are, beside which rivals if need be, and the claim they share."""
    claim = _filled(alarms[0].claim, alarms)
    places = [alarm.place for alarm in alarms if alarm.place is not None]
    if not places:
        starts_with_a_name = alarms[0].claim.startswith("{")
        return claim if starts_with_a_name else claim[:1].upper() + claim[1:]
    n_places = len({*places})
    number = f" ({counted(n_places, 'comparison')})" if n_places > 1 else ""
    rivals = _unique(alarm.other for alarm in alarms) if names_rivals else ()
    beside = f", beside {listed(rivals, MANY)}" if rivals else ""
    return f"{_where(facts, alarms)}{beside}{number}: {claim}"


def _where(facts: Facts, alarms: Sequence[Alarm]) -> str:
    """Return the data sets and the metrics of alarms, or their numbers where there are many."""
    places = [alarm.place for alarm in alarms if alarm.place is not None]
    datasets = _unique(dataset for dataset, _, _ in places)
    metrics = _unique(metric for _, metric, _ in places)
    where = [
        listed(datasets) if len(datasets) <= MANY else counted(len(datasets), "data set"),
        listed([facts.metrics[name].title for name in metrics])
        if len(metrics) <= MANY
        else counted(len(metrics), "metric"),
    ]
    return ", ".join(where) if places else ""


def _others(facts: Facts, alarms: Sequence[Alarm], worst: Alarm) -> str:
    """Say in how many more comparisons the like holds, where, and of which methods."""
    more = [alarm for alarm in alarms if alarm is not worst]
    methods, leaders = _unique(map(_told_of, more)), _unique(alarm.ahead for alarm in more)
    of = ""
    if "{ahead}" in worst.claim and leaders != (worst.ahead,):
        of = f", where {listed(leaders, MANY)} {'is' if len(leaders) == 1 else 'are'} ahead"
    elif methods != (_told_of(worst),):
        of = f", {'over' if _tells_a_lead(worst) else 'of'} {listed(methods, MANY)}"
    where = _where(facts, more)
    place = f" ({where})" if where != _where(facts, [worst]) else ""
    return f"; likewise in {counted(len(more), 'more comparison')}{place}{of}"


def _tells_a_lead(alarm: Alarm) -> bool:
    """Whether the claim is of the leader over the one that is told of."""
    return "{ahead} leads {behind}" in alarm.claim and _told_of(alarm) == alarm.behind


def _told_of(alarm: Alarm) -> str:
    return alarm.handicapped or alarm.behind


def _filled(text: str, alarms: Sequence[Alarm], many: str = "") -> str:
    """Put the names of methods into a text, or `many` where there are many of them."""
    named = {
        side: _unique(getattr(alarm, side) for alarm in alarms)
        for side in ("ahead", "behind", "handicapped", "other")
    }
    named["both"] = _unique((*named["behind"], *named["ahead"]))
    for side, names in named.items():
        words = many if many and len(names) > MANY else listed(names, MANY)
        text = text.replace(f"{{{side}}}", words)
    return text


def _how_to_change(facts: Facts, alarms: Sequence[Alarm]) -> str:
    """Say how to do otherwise with methods that a base brings; empty if all are one's own."""
    origins = facts.results.origins
    names = _unique(alarm.handicapped for alarm in alarms if origins.get(alarm.handicapped))
    if not names:
        return ""
    is_one = len(names) == 1
    return (
        f" {listed(names, MANY)} {'is' if is_one else 'are'} taken over: to change "
        f"{'it, run it under a name' if is_one else 'them, run them under names'} of your own."
    )


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
