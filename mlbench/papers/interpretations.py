"""Which interpretation of a protocol makes the printed numbers likely.

An interpretation settles what a paper leaves open: which base learner, which threshold, which scale
of features. Each is a set of results, or of variants of methods.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from mlbench.errors import MlbenchError
from mlbench.papers.evidence import Evidence, evidence, log_ratio
from mlbench.published import PrintedValue
from mlbench.report.reproduction.comparison import AS_NAMED, ComparedValue, PaperComparison
from mlbench.report.reproduction.verdict import PrintVerdict

JUDGED = (PrintVerdict.REPRODUCED, PrintVerdict.CLOSE, PrintVerdict.DIFFERS)

PrintedNumbers = Sequence[PrintedValue]


@dataclass(frozen=True)
class Explained:
    """How well an interpretation explains some printed numbers."""

    counts: Counter[PrintVerdict]
    """How many of the numbers that it ran have which verdict."""
    evidence: Evidence
    """That of the numbers with a known spread, not corrected."""
    off_by: float
    """The median absolute difference, as a fraction; NaN without numbers."""

    @property
    def n(self) -> int:
        """How many of the numbers it ran."""
        return self.counts.total()


@dataclass(frozen=True)
class Interpretation:
    """An interpretation of the protocol, and the numbers that it ran."""

    name: str
    lines: Mapping[PrintedValue, ComparedValue]

    def n_of(self, numbers: PrintedNumbers) -> int:
        """Return how many of some numbers it ran."""
        return sum(each in self.lines for each in numbers)

    def explained(self, numbers: Iterable[PrintedValue]) -> Explained:
        """Return how well it explains some numbers, as far as it ran them."""
        lines = [self.lines[each] for each in numbers if each in self.lines]
        scale = {"percent": 100.0}
        off = [abs(line.difference) / scale.get(line.printed.unit, 1.0) for line in lines]
        return Explained(
            counts=Counter(line.verdict for line in lines),
            evidence=self.evidence(line.printed for line in lines),
            off_by=median(off) if off else math.nan,
        )

    def evidence(self, numbers: Iterable[PrintedValue]) -> Evidence:
        """Return the evidence of some numbers for it; those that it did not run give none."""
        return evidence([self.log_ratios[each] for each in numbers if each in self.log_ratios])

    @cached_property
    def log_ratios(self) -> dict[PrintedValue, float]:
        """The logarithm of f / g of each number with a known spread."""
        ratios = {each: log_ratio(line) for each, line in self.lines.items()}
        return {each: ratio for each, ratio in ratios.items() if not math.isnan(ratio)}


@dataclass(frozen=True)
class HeldOut:
    """A data set, and the interpretation that is best on all others."""

    dataset: str
    chosen: str
    here: Explained
    """How the chosen interpretation explains this data set."""
    log10: float
    """Evidence that this data set adds to the evidence of the others."""
    best: str
    """The best interpretation here, in hindsight."""
    best_here: Explained


@dataclass(frozen=True)
class ComparedInterpretations:
    """Interpretations of one paper's protocol, the best first."""

    paper: str
    title: str
    interpretations: tuple[Interpretation, ...]
    numbers: tuple[PrintedValue, ...]
    """Those that some interpretation ran."""

    @property
    def best(self) -> Interpretation:
        """The best interpretation."""
        return self.interpretations[0]

    def corrected(self, interpretation: Interpretation) -> float:
        """Return the logarithm of an interpretation's evidence, corrected for their number."""
        return interpretation.evidence(self.numbers).log10 - math.log10(len(self.interpretations))

    def common(self, interpretation: Interpretation) -> list[PrintedValue]:
        """Return the numbers that both an interpretation and the best one ran."""
        return [each for each in self.best.lines if each in interpretation.lines]

    def to_best(self, interpretation: Interpretation) -> float:
        """Return an interpretation's evidence minus the best one's, on their common numbers."""
        common = self.common(interpretation)
        if not common:
            return math.nan
        return interpretation.evidence(common).log10 - self.best.evidence(common).log10

    def by(self, key: Callable[[PrintedValue], str]) -> dict[str, list[PrintedValue]]:
        """Return the numbers in groups."""
        groups: dict[str, list[PrintedValue]] = {}
        for each in self.numbers:
            groups.setdefault(key(each), []).append(each)
        return groups

    def held_out(self) -> list[HeldOut]:
        """Choose an interpretation on all data sets but one, and judge it on that one, for each.

        A data set is omitted if no interpretation ran enough of it and of the others.
        """
        datasets = self.by(lambda each: each.dataset)
        held_out = (self._held_out(name, inside) for name, inside in datasets.items())
        return [each for each in held_out if each is not None]

    def _held_out(self, dataset: str, inside: PrintedNumbers) -> HeldOut | None:
        outside = [each for each in self.numbers if each.dataset != dataset]
        able = [each for each in eligible(self.interpretations, inside) if each.n_of(outside)]
        if not able:
            return None
        chosen, best = ranked(able, outside)[0], ranked(able, inside)[0]
        gain = chosen.evidence(self.numbers).log10 - chosen.evidence(outside).log10
        here, best_here = chosen.explained(inside), best.explained(inside)
        return HeldOut(dataset, chosen.name, here, gain, best.name, best_here)


def eligible(
    interpretations: Sequence[Interpretation], numbers: PrintedNumbers
) -> list[Interpretation]:
    """Return the interpretations that ran at least half of some numbers, or all if none did."""
    enough = [each for each in interpretations if each.n_of(numbers) >= len(numbers) / 2]
    return enough or list(interpretations)


def ranked(
    interpretations: Sequence[Interpretation], numbers: PrintedNumbers
) -> list[Interpretation]:
    """Return interpretations in descending order of evidence.

    Those that ran at least half of the numbers come first, by the evidence of the numbers that all
    of these ran (of what each ran if there are none); the others follow, by what each ran.
    """
    first = eligible(interpretations, numbers)
    common = [
        each for each in numbers if all(each in interpretation.lines for interpretation in first)
    ]
    rest = [each for each in interpretations if each not in first]
    return [
        *sorted(first, key=lambda each: -each.evidence(common or numbers).log10),
        *sorted(rest, key=lambda each: -each.evidence(numbers).log10),
    ]


def compare_interpretations(
    parts: Sequence[tuple[str, PaperComparison]],
) -> ComparedInterpretations:
    """Compare interpretations of a paper's protocol.

    Parameters
    ----------
    parts : sequence of (name, PaperComparison)
        Results folders compared with the paper. An interpretation has the folder's name, followed
        by what our names of methods add to the printed ones (``tree``). Folders of the same name
        are parts of one. Times, and numbers that are no targets, do not count.

    Raises
    ------
    MlbenchError
        If there are fewer than two interpretations or several papers, or if an interpretation has
        a number twice.
    """
    papers = list(dict.fromkeys(comparison.paper for _, comparison in parts))
    if len(papers) > 1:
        raise MlbenchError(
            f"interpretations are of one paper, not of {' and '.join(papers)}; ask for each paper "
            "apart"
        )
    found: dict[str, dict[PrintedValue, ComparedValue]] = {}
    sources: dict[tuple[str, PrintedValue], str] = {}
    for name, comparison in parts:
        for line in _judged(comparison):
            interpretation = ", ".join(filter(None, [name, line.interpretation])) or AS_NAMED
            first = sources.setdefault((interpretation, line.printed), comparison.source)
            if line.printed in found.setdefault(interpretation, {}):
                raise MlbenchError(
                    f"interpretation {interpretation!r} has {line.printed.method} on "
                    f"{line.printed.our_dataset} twice, "
                    f"in {first} and {comparison.source}; name the folders apart: NAME=FOLDER"
                )
            found[interpretation][line.printed] = line
    if len(found) < 2:
        raise MlbenchError(
            f"{len(found)} of 2 or more interpretations have numbers to compare: name several "
            "results, or variants of methods (`BR tree` and `BR logistic` are two interpretations "
            "of `BR`)"
        )
    interpretations = [Interpretation(name, lines) for name, lines in found.items()]
    numbers = tuple(
        dict.fromkeys(each for interpretation in interpretations for each in interpretation.lines)
    )
    return ComparedInterpretations(
        papers[0], parts[0][1].title, tuple(ranked(interpretations, numbers)), numbers
    )


def _judged(comparison: PaperComparison) -> list[ComparedValue]:
    return [
        line for line in comparison.lines if line.verdict in JUDGED and not line.printed.is_time
    ]


def names_of_parts(comparisons: Sequence[PaperComparison]) -> list[str]:
    """Return names for results folders that were given none.

    Folders without a number in common are parts of the same interpretations, and have no name.
    Otherwise each has the name of its folder, after as many parent folders as make them differ.
    """
    seen: set[tuple[str, PrintedValue]] = set()
    for comparison in comparisons:
        here = {(line.interpretation, line.printed) for line in _judged(comparison)}
        if here & seen:
            return _shortest_names([each.source for each in comparisons])
        seen |= here
    return [""] * len(comparisons)


def _shortest_names(folders: Sequence[str]) -> list[str]:
    paths = [folder.rstrip("/").split("/") for folder in folders]
    names = [path[-1] for path in paths]
    for depth in range(2, max(map(len, paths)) + 1):
        if len(set(names)) == len(names):
            break
        names = ["/".join(path[-depth:]) for path in paths]
    return names
