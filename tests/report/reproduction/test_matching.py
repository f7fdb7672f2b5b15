"""Results beside a paper made up for the purpose, whose verdicts are known."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.errors import MlbenchError
from mlbench.published import PrintedValue
from mlbench.report.reproduction.matching import compare_values, compare_with_paper
from mlbench.report.reproduction.measured import MeasuredValues
from mlbench.report.reproduction.verdict import PrintVerdict
from mlbench.results.results import Results
from tests.plans import make_plan
from tests.rows import make_row

SPREAD = (-0.01, 0.0, 0.01)
"""Three splits around a mean: in percent a standard deviation of 1."""


def printed_value(method: str, mean: float, std: float = 1.0, **other: object) -> PrintedValue:
    known = {
        "paper": "ours",
        "table": "Table 1",
        "dataset": "Birds",
        "setting": "",
        "metric": "auc",
        "unit": "percent",
        "decimals": 1,
        "text": str(mean),
        "ours": "macro_auc",
        "n_splits": 3,
    }
    return PrintedValue(method=method, mean=mean, std=std, **{**known, **other})


def around(mean: float) -> tuple[float, ...]:
    return tuple(mean + each for each in SPREAD)


def ours(**methods: float) -> MeasuredValues:
    return MeasuredValues(
        "runs/x", {("birds", name, "macro_auc"): around(at) for name, at in methods.items()}
    )


def seconds(**methods: float) -> MeasuredValues:
    return MeasuredValues(
        "runs/x", {("Birds", name, "seconds_fit"): (at,) for name, at in methods.items()}
    )


def time(method: str, mean: float) -> PrintedValue:
    return printed_value(
        method, mean, math.nan, metric="seconds", unit="seconds", ours="seconds_fit", n_splits=None
    )


@pytest.mark.parametrize("std", [1.0, math.nan])
def test_a_number_of_splits_that_is_not_given_is_taken_to_be_ours(std):
    targets = [printed_value("A", 70.0, std, n_splits=number) for number in (3, None)]
    told, untold = compare_values(ours(A=0.72), "ours", targets).lines
    assert untold.allowed == told.allowed


def test_every_verdict():
    targets = [
        printed_value("same", 70.0),
        printed_value("near", 70.0, 0.0, decimals=2),
        printed_value("far", 70.0),
        printed_value("wrong", 70.0, objections=("the row is a copy",), keeps_order=False),
        printed_value("absent", 70.0),
    ]
    measured = MeasuredValues(
        "runs/x",
        {
            ("birds", "same", "macro_auc"): around(0.71),
            ("birds", "near", "macro_auc"): (0.709, 0.709, 0.709),
            ("birds", "far", "macro_auc"): around(0.80),
            ("birds", "wrong", "macro_auc"): around(0.70),
        },
    )
    lines = compare_values(measured, "ours", targets).lines
    assert [line.verdict for line in lines] == [
        PrintVerdict.REPRODUCED,
        PrintVerdict.CLOSE,
        PrintVerdict.DIFFERS,
        PrintVerdict.NOT_COMPARABLE,
        PrintVerdict.NOT_RUN,
    ]
    same, _, _, wrong, absent = lines
    assert (same.mean, same.std, same.n) == pytest.approx((71.0, 1.0, 3))
    assert same.difference == pytest.approx(1.0)
    assert (wrong.reasons, wrong.mean) == (("the row is a copy",), pytest.approx(70.0))
    assert math.isnan(wrong.difference)
    assert (absent.method, absent.n) == ("", 0)


def test_variants_stand_beside_the_row_and_are_counted_by_themselves():
    targets = [printed_value("A", 70.0), printed_value("B", 70.0)]
    comparison = compare_values(ours(**{"A CV cut": 0.9, "A": 0.7, "B tree": 0.9}), "ours", targets)
    assert [(line.method, line.interpretation, line.is_variant) for line in comparison.lines] == [
        ("A", "", False),
        ("A CV cut", "CV cut", True),
        ("B tree", "tree", False),
    ]
    assert comparison.interpretations("Table 1") == ["", "CV cut", "tree"]
    assert comparison.counts("Table 1", "") == {PrintVerdict.REPRODUCED: 1, PrintVerdict.NOT_RUN: 1}
    assert comparison.counts("Table 1", "CV cut") == {
        PrintVerdict.DIFFERS: 1,
        PrintVerdict.NOT_RUN: 1,
    }
    assert [line.method for line in comparison.differing] == ["B tree"]


def test_two_spellings_of_an_interpretation_are_two_figures_of_ours_and_leave_none_not_run():
    comparison = compare_values(
        ours(**{"A raw": 0.7, "A, raw": 0.9}), "ours", [printed_value("A", 70.0)]
    )
    counts = comparison.counts("Table 1", "raw")
    assert counts == {PrintVerdict.REPRODUCED: 1, PrintVerdict.DIFFERS: 1, PrintVerdict.NOT_RUN: 0}


def test_a_method_belongs_to_the_longest_printed_name_and_to_no_part_of_a_word():
    targets = [printed_value("LSPC", 70.0), printed_value("LSPC raw", 60.0)]
    comparison = compare_values(ours(**{"LSPC raw, k = 3": 0.6, "LSPCs": 0.7}), "ours", targets)
    assert [line.printed.method for line in comparison.lines if line.method] == ["LSPC raw"]
    assert comparison.lines[1].interpretation == "k = 3"
    assert comparison.not_printed == ("LSPCs",)


def test_data_that_say_they_are_another_version_are_never_comparable():
    other = MeasuredValues("runs/x", {("Birds (reduced)", "A", "macro_auc"): around(0.7)})
    (line,) = compare_values(other, "ours", [printed_value("A", 70.0)]).lines
    assert (line.verdict, line.reasons) == (PrintVerdict.NOT_COMPARABLE, ("other data",))
    named_so = MeasuredValues("runs/x", {("Birds 1:1", "A", "macro_auc"): around(0.7)})
    assert compare_values(named_so, "ours", [printed_value("A", 70.0)]).lines == ()


def test_a_number_whose_method_has_no_score_on_a_data_set_is_not_run():
    """Also where none of the paper's methods ran on that data set, or in that table."""
    targets = [
        printed_value("A", 70.0),
        printed_value("Best", 90.0, dataset="Scene"),
        printed_value("Other", 80.0, table="Table 2"),
        replace(time("A", 1.0), table="Table 3"),
    ]
    measured = MeasuredValues(
        "runs/x",
        {
            ("birds", "A", "macro_auc"): around(0.7),
            ("scene", "mine", "macro_auc"): around(0.7),
            ("birds", "mine", "seconds_fit"): (1.0,),
        },
    )
    comparison = compare_values(measured, "ours", targets)
    found = {line.printed.method: line.verdict for line in comparison.lines[1:]}
    assert found == {"Best": PrintVerdict.NOT_RUN, "Other": PrintVerdict.NOT_RUN}
    assert comparison.counts("Table 1", "")[PrintVerdict.NOT_RUN] == 1
    assert comparison.counts("Table 2", "") == {PrintVerdict.NOT_RUN: 1}
    assert comparison.interpretations("Table 2") == [""]


def test_only_data_sets_and_metrics_that_ran_have_lines():
    targets = [
        printed_value("A", 70.0),
        printed_value("A", 50.0, metric="f1", ours="micro_f1"),
        printed_value("A", 70.0, dataset="Scene"),
    ]
    (line,) = compare_values(ours(A=0.7), "ours", targets).lines
    assert (line.printed.metric, line.dataset) == ("auc", "birds")


def test_one_split_borrows_the_papers_spread():
    single = MeasuredValues("runs/x", {("Birds", "A", "macro_auc"): (0.72,)})
    (line,) = compare_values(single, "ours", [printed_value("A", 70.0)]).lines
    assert math.isnan(line.std)
    assert line.allowed > 4.3 * math.sqrt(1 + 1 / 3)
    assert line.verdict is PrintVerdict.REPRODUCED


def test_orders_of_methods_are_correlated_without_rows_that_are_no_target():
    targets = [
        printed_value("A", 90.0),
        printed_value("B", 80.0),
        printed_value("C", 70.0),
        printed_value("D", 10.0, objections=("copied",), keeps_order=False),
        printed_value("E", 60.0, objections=("other rows",)),
    ]
    measured = ours(A=0.5, B=0.4, C=0.6, D=0.9, E=0.3)
    (order,) = compare_values(measured, "ours", targets).orders
    assert order.n == 4
    assert order.kendall == pytest.approx((4 - 2) / 6)
    assert order.spearman == pytest.approx(1 - 6 * (1 + 1 + 4) / (4 * 15))
    assert compare_values(ours(A=0.5, B=0.4), "ours", targets).orders == ()


def test_orders_are_of_scores_whatever_their_units():
    targets = [
        printed_value("A", 0.7, unit="fraction"),
        printed_value("B", 60.0),
        printed_value("C", 91.0),
    ]
    (order,) = compare_values(ours(A=0.5, B=0.6, C=0.9), "ours", targets).orders
    assert (order.kendall, order.spearman) == pytest.approx((1 / 3, 0.5))


def test_equal_figures_have_no_order():
    targets = [printed_value(name, 70.0) for name in "ABC"]
    (order,) = compare_values(ours(A=0.5, B=0.4, C=0.6), "ours", targets).orders
    assert math.isnan(order.kendall)
    assert math.isnan(order.spearman)


def test_times_are_ratios_beside_the_median_ratio():
    targets = [time("A", 10.0), time("B", 20.0), time("C", 90.0)]
    comparison = compare_values(seconds(A=1.0, B=1.0, C=1.0), "ours", targets)
    assert [line.ratio for line in comparison.lines] == [10, 20, 90]
    assert [line.relative for line in comparison.lines] == [0.5, 1, 4.5]
    assert [line.verdict for line in comparison.lines] == [
        PrintVerdict.CLOSE,
        PrintVerdict.CLOSE,
        PrintVerdict.DIFFERS,
    ]
    assert comparison.differing == []


def test_two_times_have_no_typical_ratio():
    targets = [time("A", 10.0), time("B", 20.0)]
    lines = compare_values(seconds(A=1.0, B=1.0), "ours", targets).lines
    assert {line.verdict for line in lines} == {PrintVerdict.NOT_COMPARABLE}
    assert lines[0].reasons == ("fewer than 3 times",)


def test_a_time_of_zero_differs():
    targets = [time(name, 10.0) for name in "ABC"]
    lines = compare_values(seconds(A=0.0, B=1.0, C=1.0), "ours", targets).lines
    assert [line.verdict for line in lines] == [
        PrintVerdict.DIFFERS,
        PrintVerdict.CLOSE,
        PrintVerdict.CLOSE,
    ]


def test_printed_times_of_zero_have_no_typical_ratio():
    targets = [time("A", 0.0), time("B", 0.0), time("C", 10.0)]
    lines = compare_values(seconds(A=1.0, B=1.0, C=1.0), "ours", targets).lines
    assert {line.reasons for line in lines} == {("printed times of 0",)}


def results(published="ke"):
    keys = [letter * 64 for letter in "abc"]
    plan = make_plan(
        ["emotions"],
        ["BR"],
        cells=[["emotions", "BR", split, key] for split, key in enumerate(keys)],
        published=published,
    )
    scores = dict(zip(keys, (0.61, 0.62, None), strict=True))
    rows = {key: make_row(metrics={"macro_f1": score}, seconds={}) for key, score in scores.items()}
    return Results(Path("runs/x"), plan, rows)


def test_the_experiment_names_the_paper():
    comparison = compare_with_paper(results())
    assert (comparison.paper, comparison.tables) == ("ke", ["Table IV"])
    (br,) = [line for line in comparison.lines if line.method]
    assert (br.n, br.printed.mean, br.mean) == (2, 61.358, pytest.approx(61.5))


def test_results_without_a_match_have_no_lines():
    assert compare_with_paper(results(), "nam").lines == ()
    assert compare_with_paper(results(), "yu2005").lines == ()


@pytest.mark.parametrize(
    ("paper", "table", "message"),
    [
        ("kee", None, r"'kee' \(did you mean 'ke'\?\)"),
        ("ke", "Table 4", r"ke has no table 'Table 4'.*; it has Table II, Table III, Table IV and"),
        ("yu2005", "Table 1", "yu2005 has no table 'Table 1' of scores or times; it has none"),
    ],
)
def test_unknown_papers_and_tables(paper, table, message):
    with pytest.raises(MlbenchError, match=message):
        compare_with_paper(results(), paper, table)


def test_some_paper_must_be_named():
    with pytest.raises(
        MlbenchError,
        match=r"names no paper .* --published PAPER \(han2010, .*\) or --published FILE",
    ):
        compare_with_paper(results(published=None))
    assert compare_with_paper(results(published=None), "ke").tables == ["Table IV"]
