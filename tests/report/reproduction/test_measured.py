"""What was measured, from the rows of results."""

from __future__ import annotations

from pathlib import Path

from mlbench.report.reproduction.measured import MeasuredValues
from mlbench.results.results import Results
from tests.plans import make_plan
from tests.rows import make_row


def test_values_come_from_the_rows_of_finished_cells():
    row = make_row(metrics={"macro_f1": 0.5, "macro_auc": None}, seconds={"fit": 2.0})
    failed = make_row(status="timeout")
    splits = {"kind": "random", "train": 0.6, "test": None, "repeats": 2, "seed": 1}
    a, b, c = (letter * 64 for letter in "abc")
    plan = make_plan(
        ["Emotions"],
        ["BR", "LP"],
        cells=[["Emotions", "BR", 0, a], ["Emotions", "BR", 1, b], ["Emotions", "LP", 0, c]],
        protocol={"splits": splits},
    )
    results = Results(Path("runs/x"), plan, {a: row, b: failed})
    found = MeasuredValues.of(results)
    assert found.source == "runs/x"
    assert (found.datasets, found.methods) == (["Emotions"], ["BR"])
    assert "2 random splits, 60 % to train" in found.protocol
    assert found.values == {
        ("Emotions", "BR", "macro_f1"): (0.5,),
        ("Emotions", "BR", "seconds_fit"): (2.0,),
    }
    some = MeasuredValues.of(results, {"macro_auc"})
    assert list(some.values) == [("Emotions", "BR", "seconds_fit")]
