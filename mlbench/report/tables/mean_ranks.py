"""The table of mean ranks over data sets, with its tests."""

import math
from collections.abc import Mapping, Sequence
from string import ascii_letters

import numpy as np
from numpy.typing import NDArray

from mlbench.comparisons.over_datasets import CommonMeans, common_means, ranked_methods
from mlbench.comparisons.settings import MetricColumn
from mlbench.config.comparison import Comparison
from mlbench.number_text import counted, p_in_words, p_value
from mlbench.report.tables.comparison_notes import SIGNIFICANT
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.table import Column, Scalar, Table, TableCell, TableRow, slug
from mlbench.statistics import RankTest, against_control, holm, rank_test

ALL_PAIRS = {
    "nemenyi": "Nemenyi",
    "shaffer": "Shaffer",
    "bergmann_hommel": "Bergmann-Hommel",
}


def rank_table(data: ReportData, comparison: Comparison, metric: MetricColumn) -> Table:
    """Return the mean ranks of a method and its opponents, best first.

    Methods are ranked by their means over the splits that all of them share, on the data sets on
    which the method has scores. Opponents without scores on some of these are not ranked.
    """
    wanted = [comparison.method, *comparison.others]
    methods, datasets = ranked_methods(
        data.results, wanted, data.datasets, metric.name, always=comparison.method
    )
    means = common_means(data.results, methods, datasets, metric.name)
    scores = np.array(means.rows).reshape(len(means.rows), len(methods))
    found = rank_test(scores, metric.greater_is_better, comparison.alpha, comparison.all_pairs)
    name = slug(f"ranks-{comparison.method}-{metric.name}")
    title = f"{metric.heading}: mean ranks over {counted(found.n_datasets, 'data set')}"
    if not found.n_datasets:
        notes = ("There is no data set with a split on which all methods have a score.",)
        return Table(name, title, (), (), (), notes=notes)
    single = against_control(found, 0)
    p_values = {comparison.all_pairs: found.pairwise_p[0], "plain": single, "holm": holm(single)}
    letters = _letters(found)
    order = np.argsort(found.mean_ranks, kind="stable").tolist()
    columns = [Column("Mean rank")]
    if found.is_tested:
        group = f"against {comparison.method}"
        columns += [
            Column("Group"),
            Column(f"p ({ALL_PAIRS[comparison.all_pairs]})", group),
            Column("p", group),
            Column("p (Holm)", group),
        ]
    rows = []
    for i in (i for i in order if methods[i] in data.methods):
        cells = [TableCell(f"{found.mean_ranks[i]:.2f}")]
        if found.is_tested:
            cells.append(TableCell(letters[i]))
            cells += [
                _p_cell(p[i], i, found, is_corrected=name != "plain")
                for name, p in p_values.items()
            ]
        rows.append(TableRow((methods[i],), tuple(cells)))
    return Table(
        name=name,
        title=title,
        corner=("Method",),
        columns=tuple(columns),
        rows=tuple(rows),
        bold_means=(
            f"significant at {found.alpha:g} by {ALL_PAIRS[comparison.all_pairs]} or Holm"
            if found.significant
            else ""
        ),
        bold_mark=SIGNIFICANT,
        notes=(
            *_notes(found, means, comparison),
            *_note_on_rest(
                [name for name in data.datasets if name not in datasets],
                f"{comparison.method} has no score there",
            ),
            *_note_on_rest(
                [name for name in wanted if name not in methods],
                "with no score on some of these data sets",
            ),
        ),
        records=tuple(
            record
            for record in _records(found, methods, metric, p_values)
            if record["method"] in data.methods
        ),
    )


def _note_on_rest(names: Sequence[str], why: str) -> list[str]:
    return [f"Left out, {why}: {', '.join(names)}."] if names else []


def _p_cell(p: float, i: int, found: RankTest, is_corrected: bool) -> TableCell:
    if i == 0:
        return TableCell("")
    return TableCell(p_value(p), bold=is_corrected and found.significant and p < found.alpha)


def _letters(found: RankTest) -> list[str]:
    """Return the groups of each method as letters.

    A method that differs from all others is a group by itself.
    """
    groups = [*found.cliques]
    inside = {i for clique in groups for i in clique}
    groups += [(i,) for i in range(found.n_methods) if i not in inside]
    groups.sort(key=lambda group: min(found.mean_ranks[i] for i in group))
    names = [ascii_letters[j] if j < len(ascii_letters) else str(j) for j in range(len(groups))]
    return [
        " ".join(name for name, group in zip(names, groups, strict=True) if i in group)
        for i in range(found.n_methods)
    ]


def _notes(found: RankTest, means: CommonMeans, comparison: Comparison) -> list[str]:
    notes = [
        "Ranks of the means over the splits that all methods share, per data set; 1 is best, ties "
        "share their mean rank."
    ]
    if not found.is_tested:
        more = ""
        if found.n_methods < 3:
            more = ": two methods are compared over data sets by Wilcoxon's test"
        return [*notes, f"No test, because there are {found.note}{more}.", *_notes_on_means(means)]
    difference = f"; critical difference {found.critical_difference:.3f}"
    if found.all_pairs != "nemenyi":
        difference = ""
    k, n, f = found.n_methods, found.n_datasets, found.iman_davenport
    notes += [
        f"Friedman, corrected for ties: chi-squared({k - 1}) = {found.statistic:.3f}, "
        f"p = {p_in_words(found.p)}. Iman and Davenport: F({k - 1}, {(k - 1) * (n - 1)}) = "
        f"{'infinite' if math.isinf(f) else f'{f:.3f}'}, p = {p_in_words(found.p_iman_davenport)}.",
        f"Methods without a group in common differ at {found.alpha:g} "
        f"({ALL_PAIRS[found.all_pairs]}, all pairs{difference}). p, and p corrected by Holm: mean "
        f"rank against that of {comparison.method} alone.",
    ]
    if found.note:
        notes.append(f"{found.note[0].upper()}{found.note[1:]}.")
    return notes + _notes_on_means(means)


def _notes_on_means(means: CommonMeans) -> list[str]:
    notes = []
    if means.left_out:
        names = ", ".join(means.left_out)
        notes.append(f"Left out, because no split has a score of every method: {names}.")
    if means.fewer:
        notes.append(f"Means over fewer splits than planned: {'; '.join(means.fewer)}.")
    return notes


def _records(
    found: RankTest,
    methods: Sequence[str],
    metric: MetricColumn,
    p_values: Mapping[str, NDArray[np.float64]],
) -> list[dict[str, Scalar]]:
    return [
        {
            "metric": metric.name,
            "method": method,
            "mean_rank": found.mean_ranks[i],
            "n_datasets": found.n_datasets,
            "against": methods[0],
            f"p_{found.all_pairs}": float(p_values[found.all_pairs][i]),
            "p_value": float(p_values["plain"][i]),
            "p_adjusted": float(p_values["holm"][i]),
            "friedman": found.statistic,
            "p_friedman": found.p,
            "iman_davenport": found.iman_davenport,
            "p_iman_davenport": found.p_iman_davenport,
            "critical_difference": found.critical_difference,
            "note": found.note,
        }
        for i, method in enumerate(methods)
    ]
