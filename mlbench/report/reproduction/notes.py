"""What is said below the tables of a comparison with a paper."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from mlbench.metrics import get_metric
from mlbench.number_text import counted, listed
from mlbench.published import PrintedValue
from mlbench.published.csv_file import is_dotted_metric
from mlbench.report.reproduction.comparison import ComparedValue, PaperComparison
from mlbench.report.reproduction.matching import is_version
from mlbench.report.reproduction.verdict import TIME_FACTOR

SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
SAME = "Interpretations with the same values as the printed name are omitted."
TIME_RULE = (
    "Close: paper / ours is within a factor of {factor:g} of the median over methods, which "
    "accounts for the machine and language."
)


@dataclass(frozen=True)
class Remarks:
    """Remarks on values of a table: those on all of them, and those with a mark."""

    shared: tuple[str, ...]
    marked: tuple[str, ...]

    @classmethod
    def on(cls, lines: Sequence[ComparedValue]) -> Self:
        """Collect the remarks on values."""
        texts = [_sentences(line) for line in lines]
        shared = tuple(text for text in texts[0] if all(text in each for each in texts))
        every = dict.fromkeys(text for each in texts for text in each)
        return cls(shared, tuple(text for text in every if text not in shared))

    @property
    def notes(self) -> tuple[str, ...]:
        """The lines below the table."""
        marked = (f"{_mark(number)} {text}" for number, text in enumerate(self.marked, 1))
        return (*self.shared, *marked)

    def marks(self, line: ComparedValue) -> tuple[str, ...]:
        """Return the marks of a value."""
        texts = _sentences(line)
        return tuple(_mark(number) for number, text in enumerate(self.marked, 1) if text in texts)


def _mark(number: int) -> str:
    return str(number).translate(SUPERSCRIPTS)


def _sentences(line: ComparedValue) -> list[str]:
    texts = [*(f"not comparable: {reason}" for reason in line.reasons), *line.printed.notes]
    return [f"{text[0].upper()}{text[1:]}." for text in texts]


def not_run_notes(comparison: PaperComparison) -> list[str]:
    """Say what the tables print that no table of ours shows: data sets, metrics, and numbers."""
    lines, tables = comparison.lines, comparison.tables
    elsewhere: dict[str, None] = {}
    unmeasured: dict[str, dict[str, None]] = {}
    compared = {(line.printed.our_dataset, line.printed.ours) for line in lines}
    for value in comparison.printed:
        if value.table not in tables:
            continue
        if not any(is_version(ours, value.our_dataset) for ours in comparison.datasets):
            elsewhere[value.our_dataset] = None
        elif (value.our_dataset, value.ours) not in compared:
            unmeasured.setdefault(title_of(value), {})[value.our_dataset] = None
    ran = {column_of(line) for line in lines if line.method}
    without: dict[str, dict[str, None]] = {}
    for line in lines:
        if column_of(line) not in ran:
            where = f"{line.dataset}, {title_of(line.printed)}"
            without.setdefault(where, {})[line.printed.method] = None
    return [
        f"Printed, but {what}: {', '.join(found)}."
        for what, found in (
            ("not among these results", elsewhere),
            (
                "not measured here",
                [f"{metric} ({', '.join(on)})" for metric, on in unmeasured.items()],
            ),
            ("not run", [f"{listed([*names])} ({on})" for on, names in without.items()]),
        )
        if found
    ]


def note_on_other_splits(shown: Sequence[ComparedValue], means_alone: bool = False) -> str:
    """Say over how many splits both sides are summarized, and how."""
    target = shown[0].printed
    low, high = min(line.n for line in shown), max(line.n for line in shown)
    ours = counted(low, "split") if low == high else f"{low} to {counted(high, 'split')}"
    if target.is_time:
        return f"Ours: median over {ours}. {TIME_RULE.format(factor=TIME_FACTOR)}"
    theirs = _their_splits({line.printed.n_splits for line in shown})
    units = {line.printed.unit for line in shown}
    unit = "in percent, " if units == {"percent"} else ""
    if len(units) > 1:
        unit = "in the unit of what is printed, "
    what = "Mean" if high == 1 or means_alone else "Mean ± standard deviation"
    note = f"{what}, {unit}ours over {ours}; the paper's over {theirs}."
    if low == 1:
        note += " Our spread over one split is assumed to equal the paper's."
    without = [math.isnan(line.printed.std) for line in shown]
    if all(without):
        note += " The paper prints no spread; it is assumed to equal ours."
    elif any(without):
        note += " Where the paper prints no spread, it is assumed to equal ours."
    return note


def _their_splits(numbers: set[int | None]) -> str:
    """Return over how many splits a paper's means are."""
    known = sorted(each for each in numbers if each)
    told = f"{known[0]}" if len(known) == 1 else f"{known[0]} to {known[-1]}" if known else ""
    if len(known) == len(numbers):
        return told
    unknown = "as many, since their number is not given"
    return f"{told}, or {unknown}" if told else unknown


def column_of(line: ComparedValue) -> tuple[str, str, str]:
    """Return the table, the data set and the metric whose values stand in one table."""
    return line.printed.table, line.dataset, line.printed.metric


def title_of(value: PrintedValue) -> str:
    """Return what is printed, in our words."""
    ours = value.ours
    if value.is_time:
        return f"time ({ours.removeprefix('seconds_')}) in seconds"
    return ours if is_dotted_metric(ours) else get_metric(ours).title
