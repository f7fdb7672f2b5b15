"""What could be wrong with the comparisons, as sentences below the verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from mlbench.audit import Severity, Threat, Threats
from mlbench.audit.threat import Place
from mlbench.number_text import counted, listed
from mlbench.report.tables.table import Scalar, Table

MAX_SENTENCES = 12
MAX_NUMBERS = 8
"""Threats that a place in a sentence names by their numbers."""
THREATENING: tuple[Severity, ...] = ("invalidates", "weakens")
TITLE = "What could be wrong with these comparisons"
AUDIT = "mlbench audit"
NO_THREAT = "No threat to these comparisons was found."


def threat_table(threats: Threats, most: int | None = None, rest: str = AUDIT) -> Table:
    """Return threats as a table of sentences alone.

    Parameters
    ----------
    threats : Threats
    most : int, optional
        At most so many sentences, and none of notes.
    rest : str
        The command that tells the others.
    """
    lines = _lines(threats, most, rest) if threats else [no_threat(threats)]
    return Table(
        name="threats",
        title=TITLE,
        corner=(),
        columns=(),
        rows=(),
        notes=(*lines, *not_judged(threats)),
        records=tuple(flat_record(threat) for threat in threats),
    )


def no_threat(threats: Threats) -> str:
    """Say that nothing was found, and by which checks."""
    by = " by the checks that could judge" if threats.not_judged else ""
    return f"{NO_THREAT.removesuffix('.')}{by}."


def not_judged(threats: Threats) -> list[str]:
    """Say which checks could not look at all rows."""
    if not threats.not_judged:
        return []
    return [
        "Not judged in full, since rows lack a number that this takes: "
        f"{', '.join(threats.not_judged)}."
    ]


def _lines(threats: Threats, most: int | None, command: str) -> list[str]:
    weighty = numbered_threats(threats)
    lines = [line(threat, number) for threat, number in weighty[:most]]
    notes = notes_of(threats)
    if most is None:
        return [*lines, *(line(each) for each in notes)]
    left = [f"({number})" for _, number in weighty[most:]]
    rest = [f"{left[0]} to {left[-1]}" if len(left) > 1 else left[0]] if left else []
    rest += [counted(len(notes), "note")] if notes else []
    return [*lines, f"{listed(rest)}: see {command}"] if rest else lines


def line(threat: Threat, number: int | None = None) -> str:
    """Return a threat in a line: number, severity, check, sentence, and advice or acceptance."""
    first = f"({number}) " if number else ""
    kind = f"{threat.severity}, {threat.check}"
    if threat.accepted:
        return f"{first}{kind}: {threat.sentence} Accepted: {threat.accepted}"
    return f"{first}{kind}: {threat.sentence} {threat.advice}"


def numbered_threats(threats: Threats) -> list[tuple[Threat, int]]:
    """Return the threats that verdicts refer to, accepted or not, with their numbers."""
    weighty = (each for each in threats if each.severity != "note")
    return [(each, i) for i, each in enumerate(weighty, 1)]


def notes_of(threats: Threats) -> list[Threat]:
    """Return what a paper should say."""
    return [each for each in threats if each.severity == "note"]


def with_numbers(name: str, threats: Threats, place: Place) -> str:
    """Return the name of a method that is beaten, with the numbers of the threats to that."""
    return name + numbers_in_brackets(threats, place, *THREATENING)


def numbers_in_brackets(threats: Threats, place: Place, *severities: Severity) -> str:
    """Return `` (1, 3)``, the numbers of the threats to a comparison, or an empty text."""
    return in_brackets(sorted(n for each in severities for n in numbers_of(threats, place, each)))


def in_brackets(numbers: Sequence[int]) -> str:
    """Return `` (1, 3)``, or an empty text; many numbers are counted."""
    if len(numbers) > MAX_NUMBERS + 1:
        first = ", ".join(map(str, numbers[:MAX_NUMBERS]))
        return f" ({first} and {len(numbers) - MAX_NUMBERS} more)"
    return f" ({', '.join(map(str, numbers))})" if numbers else ""


def numbers_of(threats: Threats, place: Place, severity: Severity) -> list[int]:
    """Return the numbers of the threats to a comparison of one severity."""
    return [
        number
        for each, number in numbered_threats(threats)
        if each.severities.get(place) == severity
    ]


def numbers_over_datasets(
    threats: Threats, ahead: str, behind: str, metric: str, severity: Severity
) -> list[int]:
    """Return the numbers of the threats to leads of one method over another on any data set."""
    methods = frozenset((ahead, behind))
    return [
        number
        for each, number in numbered_threats(threats)
        if ahead in each.ahead
        if any(
            place[1:] == (metric, methods) and found == severity
            for place, found in each.severities.items()
        )
    ]


def replicated(threats: Threats) -> tuple[str, str]:
    """Return what stands before, and what behind, words on ranks over copies of data sets."""
    found = [
        (str(n), each.severity)
        for each, n in numbered_threats(threats)
        if each.check == "pseudo-replicates"
    ]
    invalid = ", ".join(n for n, severity in found if severity == "invalidates")
    weak = ", ".join(n for n, severity in found if severity != "invalidates")
    first = f"Not a controlled comparison ({invalid}): " if invalid else ""
    return first, f" ({weak})" if weak else ""


def flat_record(threat: Threat) -> Mapping[str, Scalar]:
    """Return a threat as a line of CSV; lists are joined, numbers are JSON."""
    return {
        name: "; ".join(value)
        if isinstance(value, list)
        else json.dumps(value)
        if isinstance(value, dict)
        else value
        for name, value in threat.record().items()
    }
