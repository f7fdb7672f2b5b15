from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttest_ind

from mlbench.check import compare_with_reference, reference_of


def moved_by(scores, *steps):
    return [score + step for score, step in zip(scores, np.resize(steps, len(scores)), strict=True)]


def test_the_same_bits_are_the_same(number, ten):
    assert number(ten, ten).verdict == "same"


def test_nothing_changed_and_one_bit_differs(number, ten):
    found = number(ten, [np.nextafter(ten[0], 1), *ten[1:]])
    assert (found.verdict, found.why) == (
        "moved",
        "same key, same environment, other bits on split 0",
    )


@pytest.mark.parametrize("change", ["environment", "code"])
def test_rounding_is_drift_where_something_changed(number, ten, elsewhere, change):
    options = {"environment": elsewhere} if change == "environment" else {"code": "2"}
    found = number(ten, moved_by(ten, 1e-13), **options)
    assert (found.verdict, found.why) == ("drifted", "rounding")
    assert math.isnan(found.p_value)


def test_a_small_difference_on_all_splits_has_moved(number, ten, elsewhere):
    now = moved_by(ten, 0.002, 0.003, 0.001)
    found = number(ten, now, environment=elsewhere)
    assert (found.verdict, found.why) == ("moved", "significant")
    assert found.p_value == pytest.approx(ttest_rel(now, ten).pvalue)
    assert found.difference == pytest.approx(0.002)
    assert found.largest == pytest.approx(0.003)


def test_a_difference_that_no_table_prints_is_drift_however_significant(number, ten, elsewhere):
    found = number(ten, moved_by(ten, 5e-5), environment=elsewhere)
    assert found.verdict == "drifted"
    assert found.p_value < 1e-6


def test_one_split_that_tuned_otherwise_is_drift(number, ten, elsewhere):
    now = [ten[0] + 0.03, *ten[1:]]
    found = number(ten, now, environment=elsewhere)
    assert (found.verdict, found.why) == ("drifted", "not significant")
    assert found.p_value == pytest.approx(ttest_rel(now, ten).pvalue)


def test_other_code_in_the_same_environment_explains_no_difference(number, ten, elsewhere):
    now = [ten[0] + 0.001, *ten[1:]]
    found = number(ten, now, code="2")
    assert (found.verdict, found.why) == (
        "moved",
        "same environment, other code of the same revision: other scores on split 0",
    )
    assert number(ten, now, code="2", environment=elsewhere).verdict == "drifted"


def test_a_large_difference_has_moved_though_no_test_tells(number, ten, elsewhere):
    now = moved_by(ten, 0.2, -0.16)
    found = number(ten, now, environment=elsewhere)
    assert found.p_value > 0.05
    assert (found.verdict, found.why) == ("moved", "the mean differs by more than 0.01")
    assert number(ten, now, environment=elsewhere, tolerance=0.05).verdict == "drifted"


def test_few_splits_are_not_tested(number, elsewhere):
    now = [0.702, 0.702, 0.802, 0.802]
    small = number([0.7, 0.7, 0.8, 0.8], now, environment=elsewhere)
    assert (small.verdict, small.why) == ("drifted", "fewer than 5 pairs, so not tested")
    assert number([0.7], [0.72], environment=elsewhere).verdict == "moved"


@pytest.mark.slow
def test_p_values_are_corrected_for_the_numbers_that_were_tested(check, ten, elsewhere):
    then = dict.fromkeys("ABCDE", ten)
    steps = {"A": 0.001, "B": 0.0015, "C": 0.002, "D": 1e-14, "E": 0.0}
    now = {name: moved_by(ten, step, 3 * step, -step / 2, step / 2) for name, step in steps.items()}
    found = check(then, now, environment=elsewhere)
    tested = [ttest_rel(now[name], ten).pvalue for name in "ABC"]
    expected = multipletests(tested, method="holm")[1]
    assert [each.p_value for each in found.numbers[:3]] == pytest.approx(expected.tolist())
    assert [each.verdict for each in found.numbers[3:]] == ["drifted", "same"]


def test_other_splits_are_not_pairs(number, ten):
    now = moved_by(ten[::-1], 0.004)
    found = number(ten, now, seed=1)
    expected = ttest_ind(now, ten, usevar="unequal")[1]
    assert (found.verdict, found.pairs, found.largest) == ("drifted", 0, None)
    assert found.why == "not significant; other data or splits, so not paired"
    assert found.p_value == pytest.approx(expected)
    assert number(ten, moved_by(ten, 0.1), seed=1).verdict == "moved"


def test_a_score_that_is_no_longer_defined_has_moved(number, ten, elsewhere):
    found = number(ten, [None, *ten[1:]], environment=elsewhere)
    assert (found.verdict, found.why) == ("moved", "defined in one of the two only on split 0")
    assert found.pairs == found.then.n == found.now.n == len(ten) - 1
    assert found.now.mean == found.then.mean == pytest.approx(np.mean(ten[1:]))
    assert number([None, *ten], [None, *ten], environment=elsewhere).verdict == "same"


def test_limits_of_metrics_that_are_no_fractions_grow_with_them(number, elsewhere):
    then = [20.0, 21.0, 19.0, 22.0, 18.0]
    options = {"metric": "coverage", "environment": elsewhere}
    assert number(then, moved_by(then, 0.0015), **options).verdict == "drifted"
    assert number(then, moved_by(then, 0.0025), **options).verdict == "moved"


@pytest.mark.slow
def test_accidents_raise_no_alarm_and_a_change_among_them_does(make_folder, elsewhere):
    """In three splits of ten a label or more flips, of 200 samples; thirty numbers, forty runs."""
    random = np.random.RandomState(0)
    alarms = found = 0
    for _ in range(40):
        then = {f"M{i}": random.uniform(0.4, 0.9, 10).tolist() for i in range(30)}
        flips = random.choice([-2, -1, 0, 1, 2], size=(30, 10), p=[0.05, 0.1, 0.7, 0.1, 0.05])
        now = {
            name: moved_by(then[name], *(flip / 200))
            for name, flip in zip(then, flips, strict=True)
        }
        reference = reference_of(make_folder(then))
        alarms += bool(
            compare_with_reference(reference, make_folder(now, environment=elsewhere)).of("moved")
        )
        now["M7"] = moved_by(then["M7"], *(0.004 + 0.001 * random.randn(10)))
        moved = compare_with_reference(reference, make_folder(now, environment=elsewhere)).of(
            "moved"
        )
        found += "M7" in [each.method for each in moved]
    assert alarms <= 0.05 * 40
    assert found == 40
