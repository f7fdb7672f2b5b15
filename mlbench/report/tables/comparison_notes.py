"""Notes below the tables of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from mlbench.comparisons.over_datasets import CommonMeans
from mlbench.comparisons.pairwise_tests import Finding, Findings
from mlbench.config.comparison import Comparison
from mlbench.number_text import listed, p_in_words
from mlbench.statistics import ALPHA, TestResult, smallest_p
from mlbench.statistics.resolution import MAX_RATIO

FEWER = "†"
ODD = "‡"
MAX_PAIRS = 6
SIGNIFICANT = "!"
"""The mark of significant p-values in plain text; the best score has another."""
RANK_TESTS = ("wilcoxon", "wilcoxon_normal")


def meaning_of_bold(corrected: bool, *alphas: float) -> str:
    """Return what a p-value in bold means."""
    return f"significant at {levels(alphas or (ALPHA,))}" + (
        " after Holm's correction" if corrected else ""
    )


def levels(alphas: Iterable[float]) -> str:
    """Return ``0.05``, or ``0.05 or 0.01`` where tests have different levels."""
    return " or ".join(f"{alpha:g}" for alpha in dict.fromkeys(alphas))


def notes_on_oddities(
    findings: Sequence[Finding], tests: Sequence[str], effects: Sequence[str] = ()
) -> list[str]:
    """Say which tests had fewer pairs than splits, and which were unusual."""
    several = len({finding.method for finding in findings}) > 1

    def pair(finding: Finding) -> str:
        return f"{finding.method} against {finding.against}" if several else finding.against

    notes = []
    few: dict[tuple[str, str], dict[str, None]] = {}
    for finding in findings:
        if finding.any_test.n < finding.n_splits:
            number = f"{finding.any_test.n} of {finding.n_splits}"
            few.setdefault((finding.dataset, number), {})[pair(finding)] = None
    if few:
        words = [
            f"{dataset}, {listed([*pairs], MAX_PAIRS)}: {number}"
            for (dataset, number), pairs in few.items()
        ]
        notes.append(f"{FEWER} Fewer pairs than splits: {'; '.join(words)}.")
    odd = dict.fromkeys(
        f"{finding.dataset}, {pair(finding)}: {note}"
        for finding in findings
        for note in (
            *(result.note for name, result in finding.tests.items() if name in tests),
            *(effect.note for name, effect in finding.effects.items() if name in effects),
        )
        if note
    )
    if odd:
        notes.append(f"{ODD} {'; '.join(odd)}.")
    return notes


def notes_on_wilcoxon(results: Sequence[TestResult], number: int = 1) -> list[str]:
    """Say how the signed-rank test was computed, and how small its p-values can be.

    `number` is that of the p-values that Holm's correction is for; 1 without a correction.
    """
    notes = [
        f"Wilcoxon signed-rank: {forms_used(results)}; pairs that do not differ are dropped "
        f"(SciPy {results[0].scipy_version}). It ignores that splits share samples."
    ]
    n = max(result.n for result in results)
    method = next(result.method for result in results if result.n == n)
    floor = smallest_p(n, "exact" if method == "exact" else "approx")
    pairs = f"{n} pairs" if method == "exact" else f"{n} pairs and no ties"
    if number > 1 and floor * number >= 0.001:
        notes.append(
            f"With {pairs} its p cannot fall below {p_in_words(floor)}, and the smallest of "
            f"{number} p-values not below {p_in_words(min(1.0, floor * number))} after Holm."
        )
    elif number == 1 and floor >= 0.001:
        notes.append(f"With {pairs} its p cannot fall below {p_in_words(floor)}.")
    return notes


def notes_on_no_power(findings: Findings) -> Iterator[str]:
    """Say where Wilcoxon's test decides nothing, whatever the scores: over too few splits."""
    for comparison, found in findings:
        ranked = [each for each in found if each.is_tested and each.headline in RANK_TESTS]
        best = min(ranked, key=_smallest_p, default=None)
        if best is not None and _smallest_p(best) >= comparison.alpha:
            after = " after Holm" if _n_corrected(best) > 1 else ""
            yield (
                f"With {best.scores.n} splits the p of Wilcoxon's test of {comparison.method} "
                f"cannot fall below {p_in_words(_smallest_p(best))}{after}, so it decides nothing."
            )


def _n_corrected(finding: Finding) -> int:
    return finding.n_corrected.get(finding.headline, 1)


def _smallest_p(finding: Finding) -> float:
    """Return the smallest p that its rank test can have after the correction."""
    form: Literal["exact", "approx"] = "exact" if finding.headline == "wilcoxon" else "approx"
    return min(1.0, _n_corrected(finding) * smallest_p(finding.scores.n, form))


def forms_used(results: Sequence[TestResult]) -> str:
    """Return the forms in which signed-rank tests were computed, in words."""
    forms = {"exact": "exact distribution", "approx": "normal approximation"}
    return listed([forms[method] for method in dict.fromkeys(r.method for r in results)])


def notes_on_means(pairs: Sequence[tuple[str, CommonMeans]]) -> list[str]:
    """Say which data sets have no mean of both methods of a pair, or one over fewer splits.

    A pair is given by the name of its other method.
    """
    notes = []
    left_out = dict.fromkeys(
        f"{name} ({other})" for other, means in pairs for name in means.left_out
    )
    if left_out:
        notes.append(f"Left out, because no split has a score of both: {', '.join(left_out)}.")
    fewer = dict.fromkeys(f"{splits} ({other})" for other, means in pairs for splits in means.fewer)
    if fewer:
        notes.append(f"Means over fewer splits than planned: {', '.join(fewer)}.")
    return notes


def notes_on_jackknife(findings: Sequence[Finding], comparison: Comparison) -> list[str]:
    """Say where the jackknife t-test was asked for and not made."""
    if "jackknife_t" not in comparison.test:
        return []
    without = [f for f in findings if "jackknife_t" not in f.tests and f.ratio is not None]
    large = dict.fromkeys(f.dataset for f in without if f.ratio and f.ratio > MAX_RATIO)
    small = dict.fromkeys(f.dataset for f in without if f.ratio and f.ratio <= MAX_RATIO)
    mark = f"{ODD} " if any("jackknife_t" in f.tests for f in findings) else ""
    notes = []
    if large:
        notes.append(
            f"{mark}No jackknife t-test on {listed(list(large))}: `mlbench rescore` makes it, "
            "from the predictions that `keep_predictions: true` keeps."
        )
    if small:
        notes.append(
            f"{mark}No jackknife t-test on {listed(list(small))}, whose test parts are at most "
            f"{MAX_RATIO:g} times as large as training parts: the corrected t-test has more power."
        )
    return notes
