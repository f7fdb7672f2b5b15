"""Small results to judge."""

from __future__ import annotations

import numpy as np

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.report.tables.report_data import ReportData
from mlbench.report.tables.verdict_text import verdict_table
from mlbench.results.scores import Scores

F1 = MetricColumn("f1", "F1")
LOSS = MetricColumn("loss", "Loss", greater_is_better=False)
NOISE = np.random.default_rng(7).normal(0, 0.01, size=(2, 10))


def scores(dataset, metric="f1", **means):
    """Ten splits around the mean of each method, the same noise for methods of one data set."""
    return [
        (dataset, method, split, metric, mean + 0.004 * split + noise)
        for i, (method, mean) in enumerate(means.items())
        for split, noise in enumerate(NOISE[i % 2])
    ]


def verdict(values, metrics=(F1,), comparisons=(), percent=True, n_splits=10):
    """The last table of a report."""
    ratio = {name: 2 / 3 for name, *_ in values}
    settings = ReportSettings(
        metrics, n_splits, comparisons=comparisons, test_train_ratio=ratio, percent=percent
    )
    return verdict_table(ReportData(Scores(values, (), n_splits), settings))
