from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mlbench.report import Comparison, MetricColumn, ReportSettings

METRICS = (
    MetricColumn("macro_f1", "Macro F1"),
    MetricColumn("hamming_loss", "Hamming loss", greater_is_better=False),
)
CENTRE = {"SMTL(l21)": 0.62, "BR_tree": 0.57, "ECC 50%": 0.61}


@pytest.fixture
def frames():
    """Three methods, two data sets, ten splits; some splits failed, some were never run."""
    rng = np.random.default_rng(2017)
    rows = []
    for dataset in ("emotions", "flags"):
        for method, centre in CENTRE.items():
            for split in range(10):
                f1 = round(centre + rng.normal(0, 0.01), 4)
                rows.append((dataset, method, split, "macro_f1", f1))
                rows.append((dataset, method, split, "hamming_loss", round(0.5 - 0.5 * f1, 4)))
    values = pd.DataFrame(rows, columns=["dataset", "method", "split", "metric", "value"])
    statuses = values[["dataset", "method", "split"]].drop_duplicates().assign(status="ok")

    def on(frame, dataset, method, splits):
        there = (frame["dataset"] == dataset) & (frame["method"] == method)
        return there & frame["split"].isin(splits)

    statuses.loc[on(statuses, "emotions", "ECC 50%", [2, 5, 7]), "status"] = "timeout"
    statuses.loc[on(statuses, "flags", "BR_tree", range(9)), "status"] = "memory"
    statuses = statuses[~on(statuses, "flags", "BR_tree", [9])]
    gone = on(values, "emotions", "ECC 50%", [2, 5, 7]) | on(values, "flags", "BR_tree", range(10))
    return values[~gone].reset_index(drop=True), statuses.reset_index(drop=True)


@pytest.fixture
def settings():
    return ReportSettings(
        metrics=METRICS,
        n_splits=10,
        comparisons=(
            Comparison("SMTL(l21)", against=("BR_tree", "ECC 50%"), tests=("t", "wilcoxon")),
        ),
        test_train_ratio={"emotions": 40 / 60, "flags": 40 / 60},
        percent=True,
    )
