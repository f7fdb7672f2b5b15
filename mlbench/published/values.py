"""Printed scores and times, with their notes and objections."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mlbench.published.tables import published_table

SECONDS = "seconds"
"""The metric of printed times."""

NOT_COMPARABLE = "not comparable"
Row = Mapping[str, str]


@dataclass(frozen=True)
class PrintedValue:
    """A value of a paper's table, and its place there in the paper's words."""

    paper: str
    table: str
    dataset: str
    setting: str
    """What a row of the table states in addition to the data set: ``train=0.2``."""
    method: str
    metric: str
    """In the paper's words, or ``seconds``."""
    mean: float
    std: float = field(compare=False)  # nan, which equals nothing, where none is printed
    """As numbers."""
    unit: str
    """``percent``, ``fraction`` or ``seconds``."""
    decimals: int
    """Digits that are printed after the point of the mean."""
    text: str
    """The value as printed, with ± before a deviation."""
    ours: str
    """Our quantity that it is compared with: ``macro_auc``, ``seconds_fit``."""
    n_splits: int | None
    """Number of splits of the mean, if the paper states it."""
    notes: tuple[str, ...] = ()
    objections: tuple[str, ...] = ()
    """Why it is no target, if it is none."""
    keeps_order: bool = True
    """Whether it may still be compared with other methods of its table: not where the objection is
    to this method's value rather than to the data.
    """

    @property
    def comparable(self) -> bool:
        """Whether it is a target."""
        return not self.objections

    @property
    def note(self) -> str:
        """The notes in one line."""
        return "; ".join(self.notes)

    @property
    def place(self) -> str:
        """The data set's name in our experiments: ``Emotions``, ``art 20 %``."""
        key, _, share = self.setting.partition("=")
        return f"{self.dataset} {float(share):.0%}".replace("%", " %") if key else self.dataset

    @property
    def rounding(self) -> float:
        """The largest error of the printed mean from its rounding."""
        return 0.5 * float(10.0**-self.decimals)

    @property
    def is_time(self) -> bool:
        """Whether it is a time."""
        return self.unit == SECONDS


@dataclass(frozen=True)
class Oddity:
    """A remark on some printed values; its empty fields match all of them."""

    paper: str
    table: str
    dataset: str
    method: str
    metric: str
    kind: str
    """``note`` or ``not comparable``."""
    reason: str

    def applies_to(self, line: Row) -> bool:
        """Return whether it is about a line of a table."""
        return all(
            getattr(self, key) in ("", line[key])
            for key in ("table", "dataset", "method", "metric")
        )


def printed_values(paper: str) -> tuple[PrintedValue, ...]:
    """Return the scores and times that a paper prints, in its order.

    Raises
    ------
    MlbenchError
        If there is no such paper.
    """
    oddities = [Oddity(**line) for line in published_table(paper, "oddities")]
    conventions = {
        (line["table"], line["metric"]): line for line in published_table(paper, "conventions")
    }
    return tuple(
        _value(line, conventions[line["table"], line["metric"]], oddities)
        for line in _values(paper)
    )


def _values(paper: str) -> Iterator[dict[str, str]]:
    yield from published_table(paper, "scores")
    for line in published_table(paper, "times"):
        time = {"setting": "", "metric": SECONDS, "mean": line["seconds"], "std": ""}
        yield {**line, **time, "unit": SECONDS}


def _value(line: Row, convention: Row, oddities: Sequence[Oddity]) -> PrintedValue:
    here = [each for each in oddities if each.applies_to(line)]
    objections = [each for each in here if each.kind == NOT_COMPARABLE]
    notes = [convention["note"], *(each.reason for each in here if each not in objections)]
    return PrintedValue(
        paper=line["paper"],
        table=line["table"],
        dataset=line["dataset"],
        setting=line["setting"],
        method=line["method"],
        metric=line["metric"],
        mean=float(line["mean"]),
        std=float(line["std"]) if line["std"] else math.nan,
        unit=line["unit"],
        decimals=len(line["mean"].partition(".")[2]),
        text=f"{line['mean']} ± {line['std']}" if line["std"] else line["mean"],
        ours=convention["ours"],
        n_splits=int(convention["n_splits"]) if convention["n_splits"] else None,
        notes=tuple(filter(None, notes)),
        objections=tuple(each.reason for each in objections),
        keeps_order=not any(each.method for each in objections),
    )
