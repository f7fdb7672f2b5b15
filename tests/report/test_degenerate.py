"""Whatever the scores are, tables hold no nan, no dash without a reason, and no warning appears."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.config.comparison import Comparison
from mlbench.options import EFFECT_SIZES, OVER_DATASETS, TESTS
from mlbench.report.render import RENDERERS
from tests.report.experiment_tables import experiment_tables

SCORES = (
    lambda rng, method, split: rng.normal(0.5, 0.1),
    lambda rng, method, split: 0.5,
    lambda rng, method, split: round(rng.normal(0.5, 0.1), 1),
    lambda rng, method, split: 0.5 + 0.1 * method + 0.01 * split,
    lambda rng, method, split: rng.choice([math.nan, 0.4]),
    lambda rng, method, split: rng.choice([math.inf, 0.5, 0.6, 1e-310]),
)


def draw(rng):
    """A few data sets, each with its own kind of scores; one in ten is missing."""
    n_datasets, n_methods, n_splits = rng.integers(1, 6, size=3)
    lines = [
        (f"d{i}", f"m{method}", split, "f", score(rng, method, split))
        for i, score in enumerate(rng.choice(SCORES, size=n_datasets))
        for method in range(n_methods)
        for split in range(n_splits)
        if method == split == 0 or rng.random() < 0.9
    ]
    return lines, int(n_splits)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("layout", ["long", "wide"])
@pytest.mark.parametrize("correction", ["holm", "none"])
def test_every_dash_has_a_mark_and_every_mark_a_note(seed, layout, correction):
    values, n_splits = draw(np.random.default_rng(seed))
    asked = Comparison(
        method="m0",
        against=tuple(dict.fromkeys(method for _, method, *_ in values)),
        test=TESTS,
        correction=correction,
        effect=EFFECT_SIZES,
        over_datasets=OVER_DATASETS,
        layout=layout,
    )
    settings = ReportSettings(
        metrics=(MetricColumn("f", "F", greater_is_better=seed % 2 == 0),),
        n_splits=n_splits,
        comparisons=(asked, asked),
        test_train_ratio={"d0": 0.5, "d1": 0.5},
    )
    for table in experiment_tables(values, (), settings):
        if table.name.startswith("scores"):
            continue
        notes = " ".join(table.notes)
        for cell in (cell for row in table.rows for cell in row.cells):
            assert "nan" not in cell.printed
            assert "inf" not in cell.printed
            assert "—" not in cell.printed or cell.marks
            assert all(mark in notes for mark in cell.marks), table.name
        assert all(render(table) for render in RENDERERS.values())
