from __future__ import annotations

import numpy as np
import pytest

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.config.comparison import Comparison

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
    failed = {("emotions", "ECC 50%", split): "timeout" for split in (2, 5, 7)}
    failed |= {("flags", "BR_tree", split): "memory" for split in range(9)}
    never_run = ("flags", "BR_tree", 9)
    cells = [cell for cell in dict.fromkeys(row[:3] for row in rows) if cell != never_run]
    values = [row for row in rows if row[:3] not in {*failed, never_run}]
    return values, [(*cell, failed.get(cell, "ok")) for cell in cells]


@pytest.fixture
def settings():
    return ReportSettings(
        metrics=METRICS,
        n_splits=10,
        comparisons=(
            Comparison(
                method="SMTL(l21)",
                against=("BR_tree", "ECC 50%"),
                test=("t", "wilcoxon"),
                effect=(),
            ),
        ),
        test_train_ratio={"emotions": 40 / 60, "flags": 40 / 60},
        percent=True,
    )
