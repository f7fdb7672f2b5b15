"""Notes on labels that a macro average excludes, and on those with a common threshold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mlbench.options import LEAST_F1, LEAST_POSITIVES
from mlbench.store import Summary

REASONS = {
    "macro_auc": ("labels_scored_auc", "Macro AUC leaves out labels with one class in a test part"),
    "macro_f1": (
        "labels_skipped_f1",
        "Macro F1 leaves out labels that are neither in a test part nor predicted there",
    ),
}
COMMON_THRESHOLD = (
    "labels_with_common_threshold",
    f"A common threshold for labels with fewer than {LEAST_POSITIVES} positives in training, or "
    f"whose own has an F1 below {LEAST_F1:g} on held-out scores",
)


def notes_on_labels(
    metrics: Iterable[str],
    cells: Iterable[tuple[str, str, int, str]],
    rows: Mapping[str, Summary],
) -> list[str]:
    """Say how many labels per data set were treated otherwise, with the range over all rows."""
    ok = [(name, rows[key].counts) for name, _, _, key in cells if key in rows and rows[key].is_ok]
    notes = []
    reasons = [REASONS[metric] for metric in metrics if metric in REASONS]
    for count, reason in [*reasons, COMMON_THRESHOLD]:
        found: dict[str, list[int]] = {}
        totals: dict[str, int] = {}
        for dataset, counts in ok:
            if count in counts:
                totals[dataset] = counts["labels"]
                number = counts[count]
                left = totals[dataset] - number if count.endswith("scored_auc") else number
                found.setdefault(dataset, []).append(left)
        words = [
            f"{dataset} {_range(numbers)} of {totals[dataset]}"
            for dataset, numbers in found.items()
            if max(numbers) > 0
        ]
        if words:
            notes.append(f"{reason}: {', '.join(words)}.")
    return notes


def _range(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"
