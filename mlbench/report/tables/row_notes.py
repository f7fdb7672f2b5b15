"""Notes on the rows behind tables: labels left out, missing scores, different versions."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mlbench.environment import LIBRARIES
from mlbench.metrics import Metric, get_metric
from mlbench.number_text import counted, listed, were
from mlbench.options import MIN_F1, MIN_POSITIVES
from mlbench.results.scores import CellKey
from mlbench.store import Summary

_LEFT_OUT = {
    "macro_auc": ("labels_scored_auc", "with one class in a test part"),
    "balanced_accuracy": ("labels_scored_auc", "with one class in a test part"),
    "macro_f1": ("labels_skipped_f1", "that are neither in a test part nor predicted there"),
    "macro_jaccard": ("labels_skipped_f1", "that are neither in a test part nor predicted there"),
    "macro_precision": ("labels_skipped_precision", "that are not predicted in a test part"),
    "macro_recall": ("labels_skipped_recall", "that no row of a test part has"),
    "macro_average_precision": ("labels_without_positives", "that no row of a test part has"),
}
"""By metric: which count is that of the labels left out, and which labels these are."""
_OF_TOP = ("labels_without_positives", "that no row of a test part has")
ROUNDED = "labels_ranked_by_rounding"
COMMON_THRESHOLD = (
    "labels_with_common_threshold",
    f"Labels with a common threshold, since they have fewer than {MIN_POSITIVES} positives in "
    f"training or their own threshold has an F1 below {MIN_F1:g} on held-out scores",
)


def notes_on_labels(
    metrics: Iterable[str], cells: Iterable[CellKey], rows: Mapping[str, Summary]
) -> list[str]:
    """Say how many labels per data set were left out or cut differently, as a range over rows."""
    results = _results(cells, rows)
    notes = []
    for count, reason in [*_reasons(metrics), COMMON_THRESHOLD]:
        found: dict[str, list[int]] = {}
        totals: dict[str, int] = {}
        for dataset, _, row in results:
            if count in row.counts:
                totals[dataset] = row.counts["labels"]
                number = row.counts[count]
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


def notes_on_rounding(
    metrics: Iterable[str], cells: Iterable[CellKey], rows: Mapping[str, Summary]
) -> list[str]:
    """Say which methods rank the rows of a label by rounding, where a metric depends on that."""
    if not {"macro_auc", "macro_average_precision"} & {*metrics}:
        return []
    found: dict[tuple[str, str, int], list[int]] = {}
    for dataset, method, row in _results(cells, rows):
        if ROUNDED in row.counts:
            place = dataset, method, row.counts["labels"]
            found.setdefault(place, []).append(row.counts[ROUNDED])
    words = [
        f"{dataset}, {method}: {_range(numbers)} of {total}"
        for (dataset, method, total), numbers in found.items()
        if max(numbers) > 0
    ]
    if not words:
        return []
    return [
        "Labels whose scores differ only by rounding, which decides their AUC and average "
        f"precision: {'; '.join(words)}."
    ]


def _reasons(metrics: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield for each metric that leaves out labels the count of these, and a sentence."""
    for name in metrics:
        left_out = _OF_TOP if re.fullmatch(r"top_\d+", name) else _LEFT_OUT.get(name)
        if left_out is not None:
            count, labels = left_out
            yield count, f"{get_metric(name).title} leaves out labels {labels}"


def notes_on_unscored(
    metrics: Sequence[Metric],
    cells: Iterable[CellKey],
    rows: Mapping[str, Summary],
    exported: bool = False,
) -> list[str]:
    """Say why rows with a result lack a metric, and what can be done."""
    results = _results(cells, rows)
    notes = []
    for metric in metrics:
        if lacking := [row for _, _, row in results if metric.name not in row.metrics]:
            words = _on_exported_rows if exported else _on_older_rows
            notes.append(words(metric, lacking))
        if metric.needs == "probabilities":
            undefined = [
                method for _, method, row in results if row.metrics.get(metric.name, 0) is None
            ]
            if undefined:
                notes.append(
                    f"{metric.title} is undefined where scores are not probabilities (in [0, 1]): "
                    f"{listed(list(dict.fromkeys(undefined)))}."
                )
    return notes


def notes_on_undefined_tuning(
    metrics: Sequence[Metric], cells: Iterable[CellKey], rows: Mapping[str, Summary]
) -> list[str]:
    """Say which searches had no score to choose by, and which left out some; each counts once.

    Where several metrics decide, those count whose models the `metrics` are of.
    """
    searches: dict[tuple[str, str], dict[str, Summary]] = {}
    for dataset, method, row in _results(cells, rows):
        if row.tuning is not None:
            searches.setdefault((method, dataset), {})[row.search] = row
    unguided, partial = [], []
    for (method, dataset), found in searches.items():
        place = f"{method}, {dataset}"
        blind = Counter(
            f"{place} by {get_metric(by).title}" if len(row.tuned_by) > 1 else place
            for row in found.values()
            for by in row.untuned_by
            if by in {_deciding(metric, row.tuned_by) for metric in metrics}
        )
        unguided += [f"{which}: {n} of {len(found)} searches" for which, n in blind.items()]
        lacking = [each.tuning.undefined for each in found.values() if each.tuning]
        if some := [each for each in lacking if each and not each.is_all]:
            share = f"{sum(each.scores for each in some)} of {sum(each.of for each in some)}"
            partial.append(f"{place}: {share}")
    notes = []
    if unguided:
        notes.append(
            "Not tuned, since the tuning metric was undefined for every candidate and the first "
            f"was taken: {'; '.join(unguided)}."
        )
    if partial:
        notes.append(
            "Undefined scores of candidates in tuning folds, left out of their means: "
            f"{'; '.join(partial)}."
        )
    return notes


def _deciding(metric: Metric, tuned_by: Sequence[str]) -> str:
    """Return the metric that tuned the model which another is of."""
    own = {metric.name, metric.name.partition("@")[0]}
    return next((by for by in tuned_by if by in own), tuned_by[0])


def notes_on_models(
    metrics: Sequence[Metric], cells: Iterable[CellKey], rows: Mapping[str, Summary]
) -> list[str]:
    """Say which metrics are not those of models that were tuned by them, where others are."""
    found: dict[str, tuple[str, ...]] = {}
    for _, method, row in _results(cells, rows):
        by = row.tuned_by
        titles = [
            metric.title
            for metric in metrics
            if metric.is_quality and not {metric.name, metric.name.partition("@")[0]} & {*by}
        ]
        found[method] = (by[0], *titles) if len(by) > 1 and titles else ()
    alike: dict[tuple[str, ...], list[str]] = {}
    for method, of in found.items():
        alike.setdefault(of, []).append(method)
    return [
        f"{listed(of[1:])}{'' if len(alike) == 1 else f' of {listed(methods)}'}: of the models "
        f"tuned by {get_metric(of[0]).title}."
        for of, methods in alike.items()
        if of
    ]


def notes_on_versions(cells: Iterable[CellKey], rows: Mapping[str, Summary]) -> list[str]:
    """Say which methods have rows that different code computed, and which libraries differ."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for _, method, row in _results(cells, rows):
        for name, version in row.code.items():
            short = version[:12] if len(version) == 64 else version
            found.setdefault((f" of {method}", name), {})[short] = None
        for name in LIBRARIES:
            if name in row.environment:
                found.setdefault(("", name), {})[row.environment[name]] = None
    return [
        f"Rows{whose} were computed by different versions of {name}: {', '.join(versions)}."
        for (whose, name), versions in found.items()
        if len(versions) > 1
    ]


def _results(
    cells: Iterable[CellKey], rows: Mapping[str, Summary]
) -> list[tuple[str, str, Summary]]:
    """Return the data set, the method and the row of each cell with a result."""
    return [
        (dataset, method, rows[key])
        for dataset, method, _, key in cells
        if key in rows and rows[key].is_ok
    ]


def _on_older_rows(metric: Metric, rows: Sequence[Summary]) -> str:
    n = len(rows)
    lacking = f"Not scored: {counted(n, 'row')} {were(n)} computed without {metric.title}"
    knowing = [row for row in rows if not metric.uses_training or _knows_training(row)]
    if not knowing:
        return f"{lacking}, which needs the training labels; a run into another folder computes it."
    kept = sum(row.predictions is not None for row in knowing)
    if not kept:
        return f"{lacking}, and no predictions were kept for `mlbench rescore`."
    return f"{lacking}; `mlbench rescore` computes it for the {kept} whose predictions were kept."


def _knows_training(row: Summary) -> bool:
    """Tell whether a row counts the labels of the training part, for which this metric stands."""
    return row.metrics.get("psp_at_1") is not None


def _on_exported_rows(metric: Metric, rows: Sequence[Summary]) -> str:
    return (
        f"Not scored: {counted(len(rows), 'cell')} of the exported folder without {metric.title}."
    )


def _range(numbers: list[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"
