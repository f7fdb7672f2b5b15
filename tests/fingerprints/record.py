"""The file of fingerprints: how it is read, compared with, and written."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .subjects import Cases, Subject

FILE = Path(__file__).with_name("fingerprints.json")
COMMAND = "make fingerprints"

DIGITS = 6
TOLERANCE = 1e-5
"""How far numbers may lie from those of the file, relative to the largest beside them. Half of it
is what six digits leave out, the other half is room for how processors round."""

_MAX_SHOWN = 5


def load() -> dict[str, Any]:
    """Read the file: for every subject its revision, and its cases by name."""
    content: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return content


def dump(content: Mapping[str, Any]) -> str:
    """Write the file's text: one line per case."""
    parts = []
    for name in sorted(content):
        lines = [
            f"   {json.dumps(case)}: {json.dumps(values)}"
            for case, values in sorted(content[name]["cases"].items())
        ]
        revision = json.dumps(content[name]["revision"])
        cases = ",\n".join(lines)
        parts.append(
            f' {json.dumps(name)}: {{\n  "revision": {revision},\n  "cases": {{\n{cases}\n  }}\n }}'
        )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def rounded(cases: Cases) -> dict[str, dict[str, Any]]:
    """Return cases as the file holds them: numbers to six digits of the largest beside them."""
    return {
        name: {part: _rounded(value) for part, value in values.items()}
        for name, values in cases.items()
    }


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return _rounded(np.array([value]))[0]
    if not isinstance(value, np.ndarray):
        return value
    largest = np.abs(value[np.isfinite(value)]).max(initial=0)
    decimals = DIGITS - 1 - math.floor(math.log10(largest)) if largest else 0
    return [_for_json(number) for number in np.round(value, decimals).ravel().tolist()]


def _for_json(number: float) -> float | str:
    if not math.isfinite(number):
        return str(number)
    return int(number) if number == int(number) else number


def moved(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return in words what of a case is not as it was.

    Parameters
    ----------
    old
        As the file has it.
    new
        As it was found: rounded as well, it could differ from the old by a whole last digit.
    """
    words = []
    for part in sorted(old.keys() | new.keys()):
        gap = _gap(old.get(part), new.get(part))
        if gap > TOLERANCE:
            words.append(f"{part} by {gap:.1g} of the largest" if gap < math.inf else part)
    return words


def _gap(old: Any, new: Any) -> float:
    """Return the largest difference relative to the largest number, infinite for other things."""
    if not isinstance(new, float | np.ndarray):
        return 0.0 if old == new else math.inf
    one, other = (np.asarray(value, dtype=float).ravel() for value in (old, new))
    if len(one) != len(other):
        return math.inf
    finite = np.isfinite(one) & np.isfinite(other)
    if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return math.inf
    one, other = one[finite], other[finite]
    gap = float(np.abs(one - other).max(initial=0))
    return gap and gap / max(np.abs(one).max(), np.abs(other).max())


def complaint(subject: Subject, entry: Mapping[str, Any] | None) -> str | None:
    """Compare a subject with its entry in the file; say what is wrong, and what to do.

    Parameters
    ----------
    subject
    entry
        None where the file has none.
    """
    if entry is None:
        return f"the file has no numbers of {subject.name}: run `{COMMAND}`"
    cases = subject.cases()
    changed = list(_changes(entry["cases"], cases))
    old, new = entry["revision"], subject.revision
    if new < old:
        return (
            f"{subject.name} has revision {new}, and the file numbers of the later revision {old}: "
            f"a revision only rises ({subject.stated})"
        )
    if new > old:
        return _list(
            f"{subject.name} has revision {new}, and the file numbers of revision {old}: run "
            f"`{COMMAND}`; {'these moved' if changed else 'none of them moved'}",
            changed,
        )
    if changed:
        return _list(
            f"numbers of {subject.name} moved: raise its revision, or undo the change. Its "
            f"revision is {new} ({subject.stated}); when it is {new + 1}, run `{COMMAND}`. These "
            "moved",
            changed,
        )
    return _other_cases(subject, entry["cases"].keys(), cases.keys())


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for case in old.keys() & new.keys():
        words = moved(old[case], new[case])
        if words:
            yield f"{case}: {', '.join(words)}"


def _other_cases(subject: Subject, old: Any, new: Any) -> str | None:
    if new - old:
        return _list(f"the file lacks cases of {subject.name}: run `{COMMAND}`", new - old)
    if old - new:
        return _list(
            f"the file has cases of {subject.name} that there are not: run `{COMMAND}`", old - new
        )
    return None


def _list(words: str, items: Any) -> str:
    shown = sorted(items)
    left = len(shown) - _MAX_SHOWN
    lines = [words + ":" if shown else words, *shown[:_MAX_SHOWN]]
    return "\n  ".join([*lines, *([f"and {left} more"] if left > 0 else [])])


def renewed(subject: Subject, entry: Mapping[str, Any] | None) -> dict[str, Any] | str:
    """Return a subject's new entry, or why there is none: its numbers moved, its revision not.

    Cases that did not move keep their text, whatever the processor.
    """
    cases = subject.cases()
    if entry is None:
        return {"revision": subject.revision, "cases": rounded(cases)}
    changed = list(_changes(entry["cases"], cases))
    if changed and subject.revision <= entry["revision"]:
        return _list(
            f"{subject.name} is not rewritten: its numbers moved, and its revision is "
            f"{subject.revision} as before. Raise it ({subject.stated}), or undo the change. These "
            "moved",
            changed,
        )
    kept = {
        case: values
        for case, values in entry["cases"].items()
        if case in cases and not moved(values, cases[case])
    }
    return {"revision": subject.revision, "cases": rounded(cases) | kept}
