"""The answer to what a comparison asks: where its method is better, worse, or not told apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from mlbench.comparisons.pairwise_tests import Finding
from mlbench.comparisons.settings import MetricColumn
from mlbench.config.comparison import Comparison
from mlbench.number_text import counted, listed
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.score_notes import holm_over
from mlbench.report.tables.table import Column, Source, Table, TableCell, TableRow, Tone, slug
from mlbench.report.tables.threats import in_brackets, numbers_of

State = Literal["better", "worse", "undecided", "not comparable"]

SIGNS: dict[State, tuple[str, Tone]] = {
    "better": ("▲", "good"),
    "worse": ("▼", "bad"),
    "undecided": ("?", "muted"),
    "not comparable": ("✕", "muted"),
}
"""A sign besides the color, and the tone."""

MAX_UNDECIDED = 3
"""Groups of rivals that a sentence names where nothing is decided; losses are all named."""
MAX_NAMES = 6
"""Rivals of such a group that are named; more are counted."""


Group = tuple[tuple[str, ...], tuple[int, ...]]
"""Data sets, and the numbers of threats."""
Groups = dict[Group, list[str]]


@dataclass(frozen=True)
class Answer:
    """How one method compares with others in one metric."""

    metric: MetricColumn
    method: str
    rivals: tuple[str, ...]
    datasets: tuple[str, ...]
    states: dict[tuple[str, str], State]
    """By rival and data set; where either has too few scores there is none."""
    threats: Mapping[tuple[str, str], tuple[int, ...]] = field(default_factory=dict)
    """By rival and data set, the numbers of the threats to the state."""
    n_datasets: int = 0
    """Of the report; by default those compared here."""
    rule: str = ""
    """``at 0.05, Holm over 3 methods`` where comparisons of the experiment differ in this."""

    @property
    def sentence(self) -> str:
        """The answer in a sentence: what is won, lost, open, and not comparable."""
        parts = [
            self._of("better", f"{self.method} is better than"),
            self._of("worse", f"{self._subject('better')}worse than"),
            *self._undecided(),
            self._of(
                "not comparable",
                f"{self._subject('better', 'worse', 'undecided')}not comparable with",
            ),
        ]
        return f"{self.metric.title}{self._by}: {'; '.join(filter(None, parts))}."

    @property
    def _by(self) -> str:
        return f" ({self.rule})" if self.rule else ""

    def _subject(self, *before: str) -> str:
        """Return the method where nothing stands before, and names it."""
        return "" if {*before} & {*self.states.values()} else f"{self.method} is "

    def _of(self, state: str, words: str) -> str:
        """Return rivals with the data sets on which they are in a state, or nothing."""
        groups = self._groups(state)
        if not groups:
            return ""
        *first, last = (
            f"{self._named(rivals, state)}{self._on(datasets)}{in_brackets(numbers)}"
            for (datasets, numbers), rivals in groups
        )
        return f"{words} {', '.join(first)}{', and ' if first else ''}{last}"

    def _named(self, rivals: Sequence[str], state: str) -> str:
        if state != "undecided" or len(rivals) <= MAX_NAMES:
            return listed(rivals)
        if len(rivals) == len(self.rivals):
            return f"any of {len(rivals)} others"
        return f"{len(rivals)} of {len(self.rivals)} others"

    def _undecided(self) -> Iterator[str]:
        groups = self._groups("undecided")
        number = sum(state == "undecided" for state in self.states.values())
        first = self._subject("better", "worse")
        if len(groups) > MAX_UNDECIDED:
            every = sorted({n for (_, numbers), _ in groups for n in numbers})
            yield (
                f"{first}undecided in {number} of {counted(len(self.states), 'comparison')}"
                f"{in_brackets(every)}"
            )
        elif groups:
            yield self._of("undecided", f"{first}not told apart from")

    def _groups(self, state: str) -> list[tuple[Group, list[str]]]:
        """Return rivals by the data sets on which they are in a state, and the threats to that."""
        found: Groups = {}
        for rival in self.rivals:
            datasets = tuple(d for d in self.datasets if self.states.get((rival, d)) == state)
            numbers = {n for d in datasets for n in self.threats.get((rival, d), ())}
            if datasets:
                found.setdefault((datasets, tuple(sorted(numbers))), []).append(rival)
        return list(_joined(found).items()) if state == "undecided" else list(found.items())

    def _on(self, datasets: Sequence[str]) -> str:
        number = self.n_datasets or len(self.datasets)
        if number == 1:
            return ""
        if len(datasets) == number:
            return f" on all {len(datasets)} data sets" if len(datasets) > 2 else " on both"
        return f" on {listed(datasets)}"

    def table(self) -> Table:
        """Return rivals by data sets: better, worse, undecided, not comparable."""
        rows = tuple(
            TableRow((rival,), tuple(self._cell(rival, name) for name in self.datasets))
            for rival in self.rivals
        )
        return Table(
            name=f"answer-{slug(self.method)}-{slug(self.metric.name)}",
            title=f"{self.method} against each, {self.metric.title}{self._by}",
            corner=("method",),
            columns=tuple(map(Column, self.datasets)),
            rows=rows,
        )

    def _cell(self, rival: str, dataset: str) -> TableCell:
        state = self.states.get((rival, dataset))
        if state is None:
            return TableCell("—", is_text=True, tone="muted")
        sign, tone = SIGNS[state]
        source = Source(dataset, self.metric.name)
        return TableCell(f"{sign} {state}", is_text=True, tone=tone, source=source)


def _joined(groups: Groups) -> Groups:
    """Join groups on the same data sets that are too large to be named."""
    joined: Groups = {}
    large: dict[tuple[str, ...], set[int]] = {}
    for (datasets, numbers), rivals in groups.items():
        if len(rivals) > MAX_NAMES:
            large.setdefault(datasets, set()).update(numbers)
    for (datasets, numbers), rivals in groups.items():
        is_large = len(rivals) > MAX_NAMES
        key = (datasets, tuple(sorted(large[datasets])) if is_large else numbers)
        joined.setdefault(key, []).extend(rivals)
    return joined


def answers(data: ReportData, metric: MetricColumn) -> list[Answer]:
    """Return the answer to each comparison of an experiment in one metric."""
    found = []
    for comparison, findings in data.findings:
        of = [each for each in findings if each.metric == metric.name and each.is_tested]
        if of:
            found.append(replace(_answer(data, metric, comparison, of), rule=_rule(comparison, of)))
    alike = len({each.rule for each in found}) < 2
    return [replace(each, rule="") for each in found] if alike else found


def _rule(comparison: Comparison, findings: Sequence[Finding]) -> str:
    holm = holm_over(findings) if comparison.is_corrected else "not corrected"
    return f"at {comparison.alpha:g}, {holm}"


def _answer(
    data: ReportData, metric: MetricColumn, comparison: Comparison, findings: Sequence[Finding]
) -> Answer:
    states: dict[tuple[str, str], State] = {}
    threats: dict[tuple[str, str], tuple[int, ...]] = {}
    for finding in findings:
        place = (finding.dataset, finding.metric, frozenset({finding.method, finding.against}))
        invalid = numbers_of(data.threats, place, "invalidates")
        decision = finding.decision()
        state: State = (
            "not comparable"
            if invalid and decision
            else "better"
            if decision > 0
            else "worse"
            if decision
            else "undecided"
        )
        states[finding.against, finding.dataset] = state
        threats[finding.against, finding.dataset] = tuple(
            invalid or numbers_of(data.threats, place, "weakens")
        )
    return Answer(
        metric,
        comparison.method,
        tuple(name for name in comparison.others if any(name == rival for rival, _ in states)),
        tuple(name for name in data.datasets if any(name == dataset for _, dataset in states)),
        states,
        threats,
        n_datasets=len(data.datasets),
    )
