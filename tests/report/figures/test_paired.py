from __future__ import annotations

import pytest

from mlbench.errors import MlbenchError
from mlbench.report.figures.paired import paired
from mlbench.report.figures.quantity import score_quantity
from mlbench.report.settings import MetricColumn
from tests.report.figures.cases import results

F1 = score_quantity(MetricColumn("macro_f1", "Macro F1"), ratios={"e": 0.5})
FOUND = results(
    macro_f1={
        ("e", "A"): [0.1, 0.5, 0.9],
        ("e", "B"): [0.12, 0.51, 0.93],
        ("e", "Half"): [0.1, 0.4],
        ("f", "B"): [0.3],
    }
)


def test_scores_are_paired_split_by_split():
    found, quantity = paired(FOUND, F1, ["e", "f"], ["A", "B", "Half"], "A")
    assert found.scores("e", "B", "macro_f1") == pytest.approx({0: 0.02, 1: 0.01, 2: 0.03})
    assert found.scores("e", "Half", "macro_f1") == pytest.approx({0: 0.0, 1: -0.1})
    assert found.methods == ("B", "Half")
    assert found.datasets == ("e",)
    assert quantity.label == "Macro F1 (percentage points), minus A"
    assert quantity.bounds is None


def test_the_interval_is_of_the_differences():
    found, quantity = paired(FOUND, F1, ["e"], ["A", "B"], "A")
    wide, narrow = F1.of(FOUND, "e", "B"), quantity.of(found, "e", "B")
    assert narrow.mean == pytest.approx(2)
    assert narrow.high - narrow.low < 0.1 * (wide.high - wide.low)


@pytest.mark.parametrize(
    ("datasets", "minus", "words"),
    [(["e"], "a", r"no method 'a' in the figure .did you mean 'A'"), (["f"], "A", "A shares no")],
)
def test_without_pairs_there_is_one_clear_error(datasets, minus, words):
    with pytest.raises(MlbenchError, match=words):
        paired(FOUND, F1, datasets, ["A", "B"], minus)
