"""A comparison with a reference as a table and as plain values."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from pydantic_core import to_json

from mlbench.check.compare import ReferenceCheck, SeriesChange
from mlbench.check.rules import (
    LEVEL,
    OTHER_BITS,
    REDEFINED,
    SMALLEST,
    ChangedValue,
    CheckedNumber,
    CheckVerdict,
    scale_of,
)
from mlbench.number_text import NOTHING, counted, listed, p_value
from mlbench.report.tables.table import Column, Table, TableCell, TableRow
from mlbench.results.reference import ScoreSummary
from mlbench.store.plain_values import LISTED_ITEMS, part_text, shortened, value_text

_WORST_FIRST: tuple[CheckVerdict, ...] = ("moved", "missing", "drifted", "new", "same")
"""Of numbers that are there."""
MAX_SERIES = 4
_OPENBLAS_KERNELS = re.compile(r"openblas [\w.]+ (\w+)")

_NAME, _FINGERPRINT = "dataset.name", "dataset.fingerprint"
CAUSE_OF_OTHER_BITS = (
    "Other bits of the same key come from what no key knows: a random generator without a seed, or "
    "a file or a package that the code of a method reads."
)
_TITLES = {
    "environment": "Environment",
    "identity": "What the results depend on",
    "code": "Code of the same revision",
}


def headline(check: ReferenceCheck) -> str:
    """Return how many numbers are the same, drifted, moved, missing and new, on one line."""
    counts = {kind: len(check.of(kind)) for kind in _WORST_FIRST}
    words = [f"{number} {kind}" for kind, number in counts.items() if number]
    lost = sum(len(each.splits) for each in check.lost)
    words += [f"{counted(lost, 'cell')} lost"] if lost else []
    added = sum(len(each.splits) for each in check.added)
    words += [f"{counted(added, 'cell')} without a result in the reference"] if added else []
    failed = len(check.of("failed"))
    total = counted(len(check.numbers) - failed, "number")
    notes = [f"{counted(failed, 'number')} failed then and now"] if failed else []
    if check.taken_over:
        notes.append(f"{counted(check.taken_over, 'number')} taken over, not checked")
    if check.is_strict and check.stale:
        notes.append(f"rows of {listed(check.stale)} are of other code, so the check fails")
    return "; ".join(
        [f"{check.experiment}: {total} checked: {', '.join(words) or 'nothing to compare'}", *notes]
    )


def check_table(check: ReferenceCheck) -> Table:
    """Lay out every number that differs, with the changes that may explain it below."""
    shown = [number for verdict in _WORST_FIRST[:-1] for number in check.of(verdict)]
    titles = ("Then", "Now", "Difference", "Largest", "Pairs", "p (Holm)")
    return Table(
        name="check",
        title=headline(check),
        corner=("Verdict", "Data set", "Method", "Metric") if shown else (),
        columns=tuple(map(Column, titles)),
        rows=tuple(map(_row, shown)),
        bold_means="moved" if check.of("moved") else "",
        notes=tuple(_notes(check)),
    )


def plain_check(check: ReferenceCheck) -> dict[str, Any]:
    """Return the comparison as JSON values."""
    plain: dict[str, Any] = json.loads(to_json(check, inf_nan_mode="null"))
    for change in plain["changes"]:
        for part in ("identity", "environment", "code"):
            change[part] = [
                {"what": what, "then": then, "now": now} for what, then, now in change[part]
            ]
    for number in plain["numbers"]:
        number["p_adjusted"] = number.pop("p_value")
    counts: dict[str, int] = {kind: len(check.of(kind)) for kind in (*_WORST_FIRST, "failed")}
    counts["lost_cells"] = sum(len(each.splits) for each in check.lost)
    return {**plain, "counts": counts, "exit_code": check.exit_code}


def moved_line(number: CheckedNumber) -> str:
    """Return a number that moved with its difference, as one line."""
    then, now = (_mean(each) for each in (number.then, number.now))
    p = "" if math.isnan(number.p_value) else f", p = {p_value(number.p_value)}"
    return f"{number.name}: {then} -> {now} ({_signed(number.difference)}; {number.why}{p})"


def drift_line(check: ReferenceCheck) -> Iterator[str]:
    """Yield how many numbers drifted, and the one whose mean drifted most."""
    drifted = check.of("drifted")
    if drifted:
        most = max(drifted, key=lambda each: abs(each.difference or 0.0) / scale_of(each))
        yield f"{counted(len(drifted), 'number')} drifted, most of all {moved_line(most)}"


def changed(changes: Sequence[ChangedValue]) -> str:
    """Return changes as text; hashes and long values are shortened to where they differ."""
    return "; ".join(f"{what} {_difference(what, then, now)}" for what, then, now in changes)


def _row(number: CheckedNumber) -> TableRow:
    moved = number.verdict == "moved"
    cells = (
        TableCell(_mean(number.then)),
        TableCell(_mean(number.now)),
        TableCell(_signed(number.difference), bold=moved),
        TableCell(_signed(number.largest)),
        TableCell(str(number.pairs)),
        TableCell(p_value(number.p_value)),
    )
    return TableRow((number.verdict, number.dataset, number.method, number.metric), cells)


def _notes(check: ReferenceCheck) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for number in check.of("moved"):
        reasons.setdefault(number.why, []).append(number.name)
    for why, names in reasons.items():
        yield f"moved: {listed(names, MAX_SERIES)}: {why}."
    yield from _notes_on_cells(check)
    yield from what_changed(check)
    yield from notes_on_data(check.changes)
    yield from _notes_on_causes(check)
    if check.history and (check.of("moved") or check.of("drifted")):
        last = check.history[-1]
        yield (
            f"The reference was updated {counted(len(check.history), 'time')}, last on "
            f"{last.date[:10]}: {last.reason}. The history is at the end of its file."
        )
    for warning in check.warnings:
        yield f"warning: {warning}."
    yield from _notes_on_columns(check)


def _notes_on_cells(check: ReferenceCheck) -> Iterator[str]:
    for lost in check.lost:
        yield f"lost: {lost}."
    for added in check.added:
        yield f"added: {added}."
    for failed in check.failed:
        yield f"not compared: {failed}."
    for old, new in check.renamed:
        yield (
            f"renamed: the cells of {old} are those of {new} now, with the same keys. If that is "
            "wanted, --update renames them in the reference."
        )
    if check.is_strict and check.of("new"):
        yield "The check is strict: numbers that the reference does not have fail."
    if check.is_strict and check.stale:
        yield (
            f"The check is strict: rows of {listed(check.stale)} are of other code than their "
            "files have now, so run the experiment first."
        )
    yield from unchecked(check)


def unchecked(check: ReferenceCheck) -> Iterator[str]:
    """Say which metrics the reference lacks."""
    if check.unchecked:
        yield (
            f"Not checked: {', '.join(check.unchecked)}, which the experiment shows and the "
            "reference does not have; --update with a --metric for each one wanted, those of the "
            "reference too, adds them."
        )


def notes_on_data(changes: Iterable[SeriesChange]) -> Iterator[str]:
    """Say what it means that the name or the content of a data set has changed."""
    changed_parts = {what for each in changes for what, *_ in each.identity}
    if _NAME in changed_parts:
        yield (
            f"{_NAME} has the keys by which the data are read. Splits are drawn from the seed and "
            "this name, so they are others."
        )
    if _FINGERPRINT in changed_parts:
        yield (
            f"{_FINGERPRINT} is the hash of the data as they were read: values, rows, columns or "
            "labels are others. No copy of them is kept, so compare the file, and the card that "
            "says how it is read, with their older versions, as with `git diff`."
        )


def _notes_on_causes(check: ReferenceCheck) -> Iterator[str]:
    """Say where to look for a cause that no key knows, and why cells failed."""
    if any(OTHER_BITS in number.why for number in check.of("moved")):
        yield CAUSE_OF_OTHER_BITS
    if any("failed" in each.why for each in check.lost):
        yield (
            "Of failed cells, the first one's message is shown; `mlbench status` has all. Their "
            "numbers are over the splits that are left, if any."
        )


def _notes_on_columns(check: ReferenceCheck) -> Iterator[str]:
    """Say what the columns and the verdicts of a table with differences mean."""
    if check.of("moved") or check.of("drifted"):
        yield from _kernel_notes(check)
        yield (
            "Then, now: means over the pairs, or over all splits where there are none; difference: "
            "now minus then; largest: of one split; pairs: splits on which both have a score; p: "
            "two-sided, corrected. "
            f"moved: the mean differs by more than {SMALLEST:g} and significantly (paired t-test "
            f"over splits, two-sided, {LEVEL:g}, Holm over the numbers that were tested), or by "
            f"more than {check.tolerance:g} on the same data and splits or where nothing can be "
            "tested, or bits differ where nothing changed."
            + (" drifted: any other difference." if check.of("drifted") else "")
        )
        if any(number.why.startswith(REDEFINED) for number in check.of("moved")):
            what = "what it depends on has" if check.is_strict else "its data or splits have"
            yield (
                f"The check is strict: a number has moved, too, if {what} changed, whatever its "
                "value."
            )
        told = (*check.of("moved"), *check.of("drifted"))
        unpaired = [each for each in told if not each.pairs and not math.isnan(each.p_value)]
        if unpaired:
            yield "Where data or splits differ, there are no pairs, and p is of Welch's t-test."
        if any(each.verdict == "drifted" for each in unpaired):
            yield "What it does not find significant has drifted, however large."


def what_changed(check: ReferenceCheck) -> Iterator[str]:
    """Yield a sentence for each change behind the numbers, with the series that it is behind."""
    series = len({(number.dataset, number.method) for number in check.numbers})
    yield from told_changes(check.changes, series, f"changed since {check.written}")


def told_changes(changes: Sequence[SeriesChange], series: int, verb: str) -> Iterator[str]:
    """Yield a sentence for each change, with those of the series that it is behind."""
    for kind, title in _TITLES.items():
        groups: dict[str, list[str]] = {}
        for each in changes:
            told = [one[1:] for one in each.identity] if kind == "code" else []
            if words := changed([one for one in getattr(each, kind) if one[1:] not in told]):
                groups.setdefault(words, []).append(f"{each.dataset}/{each.method}")
        for words, names in groups.items():
            whose = "all" if 1 < len(names) == series else listed(names, MAX_SERIES)
            yield f"{title} {verb}: {words} (of {whose})."


def _kernel_notes(check: ReferenceCheck) -> Iterator[str]:
    changes = [change for each in check.changes for change in each.environment]
    pairs = {
        (*_OPENBLAS_KERNELS.findall(then)[:1], *_OPENBLAS_KERNELS.findall(now)[:1])
        for what, then, now in changes
        if what == "blas"
    }
    for then, now in sorted(pair for pair in pairs if len(set(pair)) == 2):
        yield (
            f"OpenBLAS computed with its kernels for {then} then and for {now} now, which round "
            f"differently. On a processor that can run them, OPENBLAS_CORETYPE={then} mlbench run, "
            "into a new folder, computes with those of the reference."
        )


def _mean(summary: ScoreSummary | None) -> str:
    return NOTHING if summary is None or summary.mean is None else f"{summary.mean:.5f}"


def _signed(value: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:+.5f}" if abs(value) >= SMALLEST else f"{value:+.1e}" if value else "0"


def _difference(what: str, then: Any, now: Any) -> str:
    """Return two values; of two lists, what only one of them has."""
    if isinstance(then, list) and isinstance(now, list):
        sides = [
            (word, [value_text(each) for each in one if each not in other])
            for word, one, other in (("without", then, now), ("with", now, then))
        ]
        if any(items for _, items in sides):
            return ", ".join(
                f"{word} {listed(items, LISTED_ITEMS)}" for word, items in sides if items
            )
    before, after = part_text(what, then), part_text(what, now)
    if before == after:  # they differ beyond the cut
        then, now = str(then), str(now)
        start = next(i for i, pair in enumerate(zip_longest(then, now)) if len({*pair}) == 2)
        before, after = (f"...{shortened(text[max(start - 10, 0) :])}" for text in (then, now))
    return f"{before} -> {after}"
