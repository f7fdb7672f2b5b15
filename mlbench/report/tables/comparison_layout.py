"""The tables of each comparison, on each data set and over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from mlbench import plugins
from mlbench.comparisons.pairwise_tests import Finding
from mlbench.config.comparison import Comparison
from mlbench.options import LONG
from mlbench.report.tables.bayesian_tests import TESTS as BAYESIAN
from mlbench.report.tables.bayesian_tests import bayesian_table
from mlbench.report.tables.comparison import comparison_table
from mlbench.report.tables.mean_ranks import rank_table
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.table import Table
from mlbench.report.tables.win_tie_loss import wins_table


def comparison_tables(data: ReportData) -> list[Table]:
    """Return the tables of all comparisons.

    Consecutive comparisons share the tables of a layout that a plug-in makes.
    """
    tables: list[Table] = []
    metrics = data.settings.judged_metrics
    if not metrics:
        return tables
    for layout, group in groupby(data.findings, key=lambda pair: pair[0].layout):
        together = list(group)
        if layout != LONG:
            lay_out = plugins.load(plugins.LAYOUTS, layout)
            tables += lay_out(together, metrics, data.formats)
        for comparison, findings in together:
            if layout == LONG:
                tables += _long_tables(data, comparison, findings)
            tables += _tables_over_datasets(data, comparison, findings)
    return tables


def _long_tables(
    data: ReportData, comparison: Comparison, findings: Sequence[Finding]
) -> list[Table]:
    by_metric = [
        (m, [f for f in findings if f.metric == m.name]) for m in data.settings.judged_metrics
    ]
    return [
        comparison_table(here, comparison, metric, data.formats[metric.name])
        for metric, here in by_metric
        if here
    ]


def _tables_over_datasets(
    data: ReportData, comparison: Comparison, findings: Sequence[Finding]
) -> list[Table]:
    tables = []
    are_shown = any(name in data.methods for name in comparison.others)
    if "friedman" in comparison.over_datasets:
        tables += [rank_table(data, comparison, metric) for metric in data.settings.judged_metrics]
    if "win_tie_loss" in comparison.over_datasets and are_shown:
        tables.append(wins_table(data, comparison, findings))
    if are_shown:
        tables += [
            bayesian_table(data, comparison, test)
            for test in BAYESIAN
            if test in comparison.over_datasets
        ]
    return tables
