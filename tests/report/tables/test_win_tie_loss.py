"""Wins, ties and losses over data sets."""

from __future__ import annotations

import pytest

from mlbench.comparisons.settings import MetricColumn, ReportSettings
from mlbench.config.comparison import Comparison
from mlbench.number_text import p_value
from mlbench.report.render import RENDERERS
from mlbench.statistics import holm, wilcoxon
from tests.report.experiment_tables import experiment_tables

F1 = MetricColumn("f", "F1")
LOSS = MetricColumn("f", "Loss", greater_is_better=False)
NOISE = (-0.02, 0.01, 0.005, 0.02, -0.01, -0.005)
OWN = (0.70, 0.71, 0.72, 0.73, 0.74, 0.75, 0.76)
FAR = tuple(x - 0.3 - i / 100 for i, x in enumerate(OWN))
NEAR = (0.705, 0.704, 0.73, 0.72, 0.745, 0.75, 0.75)


def wins(methods, metric=F1, datasets=7, splits=6, ratio=0.5):
    """Scores of each method around its means; the noise of the others is turned around."""
    lines = [
        (f"d{i}", method, split, "f", mean + (noise if method == "A" else -noise))
        for method, means in methods.items()
        for i, mean in enumerate(means[:datasets])
        for split, noise in enumerate(NOISE[:splits])
    ]
    asked = Comparison(
        method="A",
        against=tuple(methods)[1:],
        test=("corrected_t",),
        over_datasets=("win_tie_loss",),
    )
    ratios = {f"d{i}": ratio for i in range(7)} if ratio else {}
    settings = ReportSettings((metric,), splits, comparisons=(asked,), test_train_ratio=ratios)
    return experiment_tables(lines, (), settings)[-1]


def printed(table):
    return {row.labels[0]: [cell.printed for cell in row.cells] for row in table.rows}


def test_wins_by_means_by_significance_and_over_data_sets():
    table = wins({"A": OWN, "far": FAR, "near": NEAR})
    plain = [wilcoxon(OWN, other).p_value for other in (FAR, NEAR)]
    corrected = holm(plain)
    assert printed(table) == {
        "far": ["7/0/0", "7/0/0", p_value(plain[0]), p_value(corrected[0])],
        "near": ["3/1/3", "0/7/0", p_value(plain[1]), p_value(corrected[1])],
    }
    assert plain[0] == 2 / 2**7
    assert [row.cells[3].marks for row in table.rows] == [("•",), ("=",)]
    assert [row.cells[3].bold for row in table.rows] == [True, False]
    far, near = table.records
    assert (far["raw_wins"], far["significant_wins"], near["raw_losses"]) == (7, 7, 3)


def test_where_less_is_better_wins_are_losses():
    up = printed(wins({"A": OWN, "far": FAR}))["far"]
    table = wins({"A": OWN, "far": FAR}, LOSS)
    assert printed(table)["far"] == ["0/0/7", "0/0/7", up[2]]
    assert table.rows[0].cells[2].marks == ("◦",)


def test_equal_means_are_ties():
    table = wins({"A": OWN, "same": OWN})
    assert printed(table)["same"][0] == "0/7/0"
    assert any("all differences zero" in note for note in table.notes)


@pytest.mark.filterwarnings("error")
def test_too_few_data_sets_or_splits_are_said():
    few = wins({"A": OWN, "far": FAR}, datasets=5)
    assert any("With 5 data sets p cannot fall below 0.0625" in note for note in few.notes)
    one = wins({"A": OWN, "far": FAR}, datasets=1, splits=1)
    assert printed(one)["far"] == ["1/0/0", "—", "—"]
    assert one.rows[0].cells[2].marks == ("‡",)
    assert any("fewer than 2 pairs" in note for note in one.notes)
    assert any("without a test: F1, far: 1" in note for note in one.notes)
    for table in (few, one):
        assert all("nan" not in render(table) for render in RENDERERS.values())


def test_the_smallest_p_is_corrected_for_the_tests_that_were_made():
    """The third method has results on one data set, which is too few for a test."""
    table = wins({"A": OWN, "far": FAR, "near": NEAR, "new": (0.3,)}, datasets=6)
    assert any("With 6 data sets p cannot fall below 0.0625 after Holm" in n for n in table.notes)
    assert printed(table)["far"][3] == "0.0625"
    assert any("0.05, Holm over 2 to 3 methods" in note for note in table.notes)


def test_without_a_test_on_any_data_set_means_are_still_counted():
    table = wins({"A": OWN, "far": FAR}, ratio=None)
    assert printed(table)["far"][:2] == ["7/0/0", "—"]
    assert table.rows[0].cells[1].marks == ("‡",)
    assert "‡ Data sets without a test: F1, far: 7." in table.notes


def test_a_data_set_without_common_splits_is_left_out_and_named():
    table = wins({"A": OWN, "far": FAR[:6]})
    assert "Left out, because no split has a score of both: d6 (far)." in table.notes


def test_a_method_alone_has_no_such_table():
    assert wins({"A": OWN}).name == "scores-f"


def test_tests_share_a_note():
    one = wins({"A": OWN, "far": FAR, "near": NEAR}, datasets=1, splits=1)
    (note,) = [note for note in one.notes if "fewer than 2 pairs" in note]
    assert note.startswith("‡ all: ")
    some = wins({"A": OWN, "same": OWN, "far": FAR, "again": OWN})
    (note,) = [note for note in some.notes if "all differences zero" in note]
    assert note.startswith("‡ F1, same, F1, again: ")
