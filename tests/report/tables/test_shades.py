from __future__ import annotations

import pytest

from mlbench.report.tables.shades import shades


@pytest.mark.parametrize(
    ("values", "greater_is_better", "found"),
    [
        ((0.0, 0.5, 1.0), True, ["", "shade-2", "shade-4"]),
        ((0.0, 0.5, 1.0), False, ["shade-4", "shade-2", ""]),
        ((0.3, None, 0.7), True, ["", "", "shade-4"]),
        ((0.3, float("nan"), float("inf"), 0.7), True, ["", "", "", "shade-4"]),
        ((0.5, 0.5), True, ["", ""]),
        ((None,), True, [""]),
    ],
)
def test_the_best_is_darkest_and_the_worst_is_blank(values, greater_is_better, found):
    assert shades(values, greater_is_better) == found
