from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mlbench.check import reference_of
from mlbench.errors import MlbenchError


def test_it_sums_up_what_people_want_to_see(make_folder, ten):
    first, second = reference_of(make_folder({"A": ten, "B": [*ten[:9], "timeout", None]})).series
    summary = first.summary["macro_f1"]
    assert summary.mean == pytest.approx(np.mean(ten))
    assert (summary.std, summary.n) == (pytest.approx(np.std(ten, ddof=1)), 10)
    assert second.summary["macro_f1"].n == 9
    assert second.cells["9"].status == "timeout"
    assert second.scores("macro_f1")[10] is None
    assert "index" not in first.identity["split"]


def test_missing_cells_are_left_out(make_folder):
    (series,) = reference_of(make_folder({"A": [..., 0.5, 0.6]})).series
    assert list(series.cells) == ["1", "2"]


def test_cells_know_their_environment(make_folder, elsewhere):
    here, there = make_folder({"A": [0.5]}), make_folder({"A": [..., 0.6]}, environment=elsewhere)
    here = replace(here, plan=there.plan)
    here = replace(here, rows={**here.rows, **there.rows})
    reference = reference_of(here)
    numpy = [reference.environment_of(cell)["numpy"] for cell in reference.series[0].cells.values()]
    assert numpy == ["2.4.6", "2.5.0"]


def test_metrics_have_one_name_and_must_exist(make_folder):
    folder = make_folder({"A": [0.5]}, metric="hamming_loss")
    assert reference_of(folder, ["misclassification", "hamming_loss"]).metrics == ["hamming_loss"]
    with pytest.raises(MlbenchError, match="did you mean 'macro_f1'"):
        reference_of(folder, ["macrof1"])
