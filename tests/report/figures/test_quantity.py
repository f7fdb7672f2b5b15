from __future__ import annotations

from matplotlib.figure import Figure

from mlbench.report.figures.estimate import estimate
from mlbench.report.figures.quantity import score_quantity, time_quantity
from mlbench.report.settings import MetricColumn
from tests.report.figures.cases import results


def test_a_fraction_is_drawn_in_percent_and_within_what_is_possible():
    loss = score_quantity(MetricColumn("hamming_loss", "Hamming loss", greater_is_better=False))
    assert (loss.label, loss.factor, loss.bounds) == ("Hamming loss ↓ (%)", 100.0, (0.0, 100.0))
    found = results(hamming_loss={("e", "A"): [0.1, 0.2, 0.3]})
    assert round(loss.of(found, "e", "A").mean, 9) == 20.0
    assert loss.of(found, "e", "B") is None


def test_a_fraction_as_such_and_what_is_no_fraction_have_no_unit():
    assert score_quantity(MetricColumn("macro_f1", "Macro F1"), percent=False).label == "Macro F1"
    coverage = score_quantity(MetricColumn("coverage", "Coverage", is_fraction=False))
    assert (coverage.label, coverage.bounds) == ("Coverage", None)


def test_intervals_are_corrected_where_the_sizes_of_parts_are_known():
    metric = MetricColumn("macro_f1", "Macro F1")
    known = score_quantity(metric, ratios={"e": 0.5})
    found = results(macro_f1={("e", "A"): [0.1, 0.2, 0.3], ("f", "A"): [0.1, 0.2, 0.3]})
    wide, plain = (known.of(found, dataset, "A") for dataset in ("e", "f"))
    assert wide.high > plain.high
    assert known.describe([wide], "bar").endswith("corrected for splits that share samples.")


def test_a_time_has_its_unit_and_its_range():
    time = time_quantity("fit")
    assert (time.label, time.spread, time.is_time) == ("time to fit (s)", "range", True)
    assert (
        time.describe([estimate([1, 2])], "bar") == "Mean over 2 splits; bar: smallest to largest."
    )


def test_a_long_label_of_an_axis_takes_several_lines():
    axes = Figure().subplots()
    title = "Top-10 accuracy (unknown ones count as negative)"
    score_quantity(MetricColumn("top_10@all", title)).frame(axes)
    assert axes.get_ylabel() == "Top-10 accuracy (unknown ones\ncount as negative) (%)"
