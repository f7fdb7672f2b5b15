"""Marks and notes for fits that stopped on a limit before they converged."""

from __future__ import annotations

from collections.abc import Sequence

from mlbench.report.results import Results

FINAL = "‡"
TUNING = "§"


def unfinished_marks(results: Results, method: str, dataset: str) -> list[str]:
    """Return the marks of a method's scores: for its final fits, and for those during tuning."""
    marks = [FINAL] if _final(results, method, dataset)[0] else []
    return [*marks, TUNING] if _tuning(results, method, dataset)[0] else marks


def notes_on_unfinished(
    results: Results, marked: Sequence[tuple[str, str, Sequence[str]]]
) -> list[str]:
    """Explain the marks: which fits did not converge, and how large their gaps are.

    `marked` has the method, the data set and the marks of every cell of a table.
    """
    notes = []
    for mark, what, count in ((FINAL, "Final fits", _final), (TUNING, "Fits in tuning", _tuning)):
        found = []
        for method, dataset in dict.fromkeys((m, d) for m, d, marks in marked if mark in marks):
            number, total, gaps = count(results, method, dataset)
            gap = f", largest gap {max(gaps):.2g}" if gaps else ""
            found.append(f"{method}, {dataset}: {number} of {total}{gap}")
        if found:
            notes.append(
                f"{mark} {what} that stopped on a limit before they converged, of those that say "
                f"so. {'; '.join(found)}."
            )
    return notes


def _final(results: Results, method: str, dataset: str) -> tuple[int, int, list[float]]:
    """Return how many final fits did not converge, of how many, and their known gaps."""
    converged = results.scores(dataset, method, "report_converged")
    known = results.scores(dataset, method, "report_gap")
    splits = [split for split, value in converged.items() if value == 0]
    return len(splits), len(converged), [known[split] for split in splits if split in known]


def _tuning(results: Results, method: str, dataset: str) -> tuple[int, int, list[float]]:
    """Return the same of the fits that the searches of a method made."""
    number, total = (
        int(sum(results.scores(dataset, method, f"search_{count}").values()))
        for count in ("unfinished", "fits")
    )
    return number, total, list(results.scores(dataset, method, "search_gap").values())
