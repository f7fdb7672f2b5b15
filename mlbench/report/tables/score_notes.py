"""Notes below tables of scores: what the numbers and marks mean, and what is missing."""

from collections.abc import Container, Mapping, Sequence

from mlbench.comparisons.pairwise_tests import TITLES, Finding, without_pairs
from mlbench.config.comparison import Comparison
from mlbench.number_text import by_reason, counted, counted_from_to, listed, of_kinds
from mlbench.report.tables import scores
from mlbench.report.tables.scores import ScoreCell, ScoreColumn
from mlbench.results.scores import MISSING, NOT_RUN, UNDEFINED, Scores

MAX_NAMES = 6
"""Rivals that a note names."""
_NEEDS_SIZES = "the corrected t-test needs the sizes of the splits, which are not known"


def note_on_splits(
    results: Scores, columns: Sequence[ScoreColumn], by_column: Sequence[Sequence[ScoreCell]]
) -> str:
    """Say what a score is, in which unit, and over how many splits."""
    stated = {column.dataset: results.n_splits(column.dataset) for column in columns}
    most = dict.fromkeys(stated, 0)
    for column, cells in zip(columns, by_column, strict=True):
        most[column.dataset] = max([most[column.dataset], *(cell.n for cell in cells)])
    reasons = {kind for cells in by_column for cell in cells for kind, _ in cell.failures}
    unfinished = bool(reasons & {MISSING, NOT_RUN}) and all(
        most[name] < number for name, number in stated.items()
    )
    numbers = {
        name: f"{most[name]} of {counted(number, 'split')}"
        if unfinished
        else counted(number, "split")
        for name, number in stated.items()
    }
    alike = len(set(numbers.values())) == 1
    named = [f"{text} ({name})" for name, text in numbers.items()]
    splits = next(iter(numbers.values())) if alike else listed(named)
    single = set(stated.values()) == {1} and not unfinished
    units = {column.style.factor for column in columns if column.metric.is_fraction}
    others = dict.fromkeys(c.metric.title for c in columns if not c.metric.is_fraction)
    apart = f" (but {listed([*others])})" if others else ""
    unit = f"in percent{apart}, " if units == {100.0} else ""
    if any("±" in cell.printed for cells in by_column for cell in cells):
        what = "Mean ± standard deviation (ddof = 1)"
    else:
        what = "Score" if single else "Mean"
    so_far = " so far" if unfinished else ""
    return f"{what}, {unit}{'of' if single else 'over'} {splits}{so_far}."


def holm_over(findings: Sequence[Finding]) -> str:
    """Say over how many methods p-values are corrected: those that were tested, shown or not."""
    numbers = (each.n_corrected[each.headline] for each in findings)
    return f"Holm over {counted_from_to(numbers, 'method')}"


def note_on_marks(
    comparison: Comparison,
    findings: Sequence[Finding],
    symbols: tuple[str, str],
    used: set[str],
    are_all_shown: bool = True,
    is_against_all: bool = True,
) -> str:
    """Say what the marks of a comparison mean, and by which tests it was decided."""
    tests = listed(list(dict.fromkeys(TITLES[finding.headline] for finding in findings)))
    holm = f", {holm_over(findings)}" if comparison.is_corrected else ""
    how = f"({tests}, two-sided, {comparison.alpha:g}{holm})"
    if not used:
        if is_against_all:
            none = "No method is" if are_all_shown else "No method shown here is"
        elif len(comparison.others) == 1:
            none = f"{comparison.others[0]} is not"
        else:
            shown = "" if are_all_shown else "those shown of "
            none = f"None of {shown}{listed(comparison.others, MAX_NAMES)} is"
        return f"{none} significantly worse or better than {comparison.method} {how}."
    return (
        f"{symbols[0]} / {symbols[1]}: {comparison.method} is significantly better / worse {how}."
    )


def note_on_few_pairs(
    results: Scores, comparison: Comparison, columns: Sequence[ScoreColumn]
) -> str:
    """Say where the method shares too few splits with others for a test."""
    if not comparison.others:
        return f"{comparison.method} is not tested: there is no other method."
    lacking: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for column in columns:
        if of := without_pairs(results, comparison, column.dataset, column.metric.name):
            lacking.setdefault(of, {}).setdefault(column.dataset, []).append(column.metric.title)
    if not lacking:
        return ""
    pairs = [f"{listed(of, MAX_NAMES)}{_where(titles, columns)}" for of, titles in lacking.items()]
    return (
        f"{comparison.method} is not tested against {'; nor against '.join(pairs)}: there are "
        "fewer than two splits on which both have a score."
    )


def _where(titles_of: Mapping[str, Sequence[str]], columns: Sequence[ScoreColumn]) -> str:
    """Return data sets, with metrics if not in all of a table; empty if it is everywhere."""
    if sum(map(len, titles_of.values())) == len(columns):
        return ""
    each = [
        dataset
        if len(titles) == sum(column.dataset == dataset for column in columns)
        else f"{dataset} in {listed(titles)}"
        for dataset, titles in titles_of.items()
    ]
    return f" on {listed(each)}"


def notes_on_uncorrected(
    results: Scores,
    comparison: Comparison,
    findings: Sequence[Finding],
    columns: Sequence[ScoreColumn],
    reasons: Mapping[str, str],
    known_sizes: Container[str],
) -> list[str]:
    """Say where nothing is tested because the corrected t-test could not be made."""
    if not {"corrected_t", "jackknife_t"} & set(comparison.test):
        return []
    tested = {finding.dataset for finding in findings}
    paired = [
        column.dataset
        for column in columns
        if without_pairs(results, comparison, column.dataset, column.metric.name)
        != (*comparison.others,)
    ]
    lacking = {
        name: reasons.get(name, _NEEDS_SIZES)
        for name in paired
        if name not in tested and (name in reasons or name not in known_sizes)
    }
    return [
        f"{comparison.method} is not tested on {names}: {reason}."
        for reason, names in by_reason(lacking)
    ]


def notes_on_failures(cells: Sequence[tuple[str, ScoreColumn, ScoreCell]]) -> list[str]:
    """Say which means are over fewer splits, and why the other splits are missing."""
    few: dict[tuple[str, str], dict[str, None]] = {}
    for method, column, cell in cells:
        if cell.failures and cell.n:
            where = column.dataset
            if any(kind == UNDEFINED for kind, _ in cell.failures):
                where += f", {column.metric.title}"
            number = f"{cell.n} of {cell.n_splits} ({of_kinds(cell.failures)})"
            few.setdefault((where, number), {})[method] = None
    if not few:
        return []
    words = [
        f"{listed([*methods], MAX_NAMES)}, {where}: {number}"
        for (where, number), methods in few.items()
    ]
    return [
        f"{scores.FEWER} Mean over fewer splits than planned. Where means are over different "
        f"splits, none is marked as best. {'; '.join(words)}."
    ]


def notes_on_unfinished(
    results: Scores, cells: Sequence[tuple[str, ScoreColumn, ScoreCell]]
) -> list[str]:
    """Explain the marks of fits that did not converge: how many, and how large their gaps are."""
    notes = []
    for mark, what, count in (
        (scores.FINAL, "Final fits", scores.unfinished_fits),
        (scores.TUNING, "Fits in tuning", scores.unfinished_search_fits),
    ):
        marked = dict.fromkeys(
            (m, column.dataset) for m, column, cell in cells if mark in cell.marks
        )
        found = []
        for method, dataset in marked:
            number, total, gaps = count(results, method, dataset)
            gap = f", largest gap {max(gaps):.2g}" if gaps else ""
            found.append(f"{method}, {dataset}: {number} of {total}{gap}")
        if found:
            notes.append(
                f"{mark} {what} that reached a limit before they converged, out of the fits that "
                f"report convergence. {'; '.join(found)}."
            )
    return notes
