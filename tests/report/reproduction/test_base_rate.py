"""What "reproduced" is worth: how often another method's number would be called so."""

from __future__ import annotations

from itertools import permutations

import pytest

from mlbench.report.reproduction.base_rate import (
    base_rate,
    base_rate_notes,
    first_readings,
    would_be_reproduced,
)
from mlbench.report.reproduction.matching import compare_values
from mlbench.report.reproduction.measured import MeasuredValues
from mlbench.report.reproduction.verdict import PrintVerdict
from tests.report.reproduction.printed import printed_value

NAMES = "ABCDE"
APART = dict(zip(NAMES, (0.1, 0.3, 0.5, 0.7, 0.9), strict=True))


def lines(ours, printed, datasets=("Birds",)):
    """Our means, with a spread of one point, beside printed ones."""
    values = {
        (dataset, method, "macro_auc"): (mean - 0.01, mean, mean + 0.01)
        for dataset in datasets
        for method, mean in ours.items()
    }
    targets = [
        printed_value(name, 100 * mean, dataset)
        for dataset in datasets
        for name, mean in printed.items()
    ]
    return compare_values(MeasuredValues("runs/x", values), "lee", targets).lines


def test_methods_that_lie_apart_are_told_apart():
    rate = base_rate(lines(APART, APART))
    assert (rate.n, rate.n_reproduced, rate.others) == (5, 5, 0.0)
    assert rate.p == pytest.approx(1 / 120, abs=0.005)  # one of the 5! orders has all five
    assert rate.tells_apart


def test_nothing_is_told_apart_where_all_methods_are_equal():
    found = lines(dict.fromkeys(NAMES, 0.5), dict.fromkeys(NAMES, 0.5))
    rate = base_rate(found)
    assert (rate.share, rate.others, rate.p) == (1.0, 1.0, 1.0)
    assert base_rate_notes(found) == [
        "Where a column has scores of three methods or more: 5 of 5 scores are reproduced (100 %). "
        "Numbers of our other methods in their place (same data set and metric) would reproduce "
        "100 %; of 4,000 shuffles of our methods' names, 100 % reproduce as many.",
        '"Reproduced" does not tell the methods apart on Birds (100 % and 100 %, p = 1).',
    ]


def test_it_counts_pairs_as_verdicts_are_given():
    """A and B are alike, and so are C and D; each pair is compared as a line would be."""
    ours = {"A": 0.1, "B": 0.11, "C": 0.5, "D": 0.51, "E": 0.9}
    printed = {"A": 0.11, "B": 0.5, "C": 0.51, "D": 0.7, "E": 0.9}
    rate = base_rate(lines(ours, printed))
    counted = {
        (row, column): lines({row: ours[column]}, {row: printed[row]})[0].verdict
        is PrintVerdict.REPRODUCED
        for row in NAMES
        for column in NAMES
    }
    assert rate.n_reproduced == sum(counted[name, name] for name in NAMES)
    off = [each for (row, column), each in counted.items() if row != column]
    assert rate.others == sum(off) / len(off)
    as_many = [
        sum(counted[pair] for pair in zip(NAMES, order, strict=True)) >= rate.n_reproduced
        for order in permutations(NAMES)
    ]
    assert rate.p == pytest.approx(sum(as_many) / len(as_many), abs=0.02)


def test_data_sets_are_shuffled_on_their_own():
    found = lines(APART, APART, datasets=("Birds", "Yeast"))
    rate = base_rate(found)
    assert (rate.n, rate.others) == (10, 0.0)
    assert rate.p < 0.002
    assert would_be_reproduced(found[:5]).sum() == 5


def test_two_methods_have_no_base_rate():
    two = {name: APART[name] for name in "AB"}
    assert base_rate(lines(two, two)) is None
    assert base_rate_notes(lines(two, two)) == []


def test_a_number_counts_once_in_its_first_reading():
    found = lines({**APART, "A raw": 0.9}, {name: APART[name] for name in "ABC"})
    assert [line.method for line in found] == ["A", "A raw", "B", "C"]
    assert [line.method for line in first_readings(found)] == ["A", "B", "C"]
