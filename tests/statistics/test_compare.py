"""One comparison of two methods, against the statistics it is made of."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mlbench.errors import MlbenchError
from mlbench.statistics import (
    PairedScores,
    RowVariance,
    a12,
    compare,
    corrected,
    corrected_t,
    holm,
    jackknife_difference,
    jackknife_t,
    mean_difference,
    paired_t,
    rank_test,
    resolution,
    smallest_p,
    wilcoxon,
)

RATIO = 2 / 3
SCORES = np.random.default_rng(7).normal([[0.7], [0.66], [0.69]], 0.02, (3, 10))


def paired(a, b):
    return PairedScores.of(dict(enumerate(SCORES[a].tolist())), dict(enumerate(SCORES[b].tolist())))


def same(one, other):
    """Tell whether all fields are equal, NaN to NaN."""
    return repr(one) == repr(other)


def test_the_corrected_test_stands_with_the_plain_one_where_sizes_are_known():
    a, b, _ = SCORES
    known = compare(paired(0, 1), ["t", "wilcoxon"], RATIO)
    assert known.tests == {
        "t": paired_t(a, b),
        "corrected_t": corrected_t(a, b, 1.0, RATIO),
        "wilcoxon": wilcoxon(a, b),
    }
    assert known.headline == "corrected_t"
    assert same(known.difference, mean_difference(a, b, 1.0, RATIO))
    unknown = compare(paired(0, 1), ["t", "corrected_t"])
    assert list(unknown.tests) == ["t"]
    assert math.isnan(unknown.difference.low)


def test_where_less_is_better_effects_and_decision_turn_round():
    a, b, _ = SCORES
    more = compare(paired(0, 1), ["wilcoxon"], effects=["a12"])
    less = compare(paired(0, 1), ["wilcoxon"], effects=["a12"], greater_is_better=False)
    assert (more.decision(), less.decision()) == (1, -1)
    assert same(more.effects["a12"], a12(a, b))
    assert less.effects["a12"].value == pytest.approx(1 - more.effects["a12"].value)


def test_the_level_is_that_of_decision_and_interval():
    a, b, _ = SCORES
    p = corrected_t(a, b, 1.0, RATIO).p_value
    strict, lax = (compare(paired(0, 1), ["t"], RATIO, alpha=share * p) for share in (0.9, 1.1))
    assert (strict.decision(), lax.decision()) == (0, 1)
    assert same(strict.difference, mean_difference(a, b, 1.0, RATIO, 1 - 0.9 * p))
    assert strict.difference.low < 0 < lax.difference.low


def test_holm_goes_over_the_findings_test_by_test():
    found = corrected([compare(paired(0, i), ["wilcoxon"], RATIO) for i in (1, 2)])
    plain = [each.tests["wilcoxon"].p_value for each in found]
    assert [each.adjusted["wilcoxon"] for each in found] == holm(plain).tolist()
    alone = corrected(found, "none")
    assert alone == found


def test_fewer_than_two_pairs_are_not_tested():
    one = PairedScores.of({0: 0.5}, {0: 0.4, 1: 0.3})
    found = compare(one, ["corrected_t"], RATIO)
    assert not found.is_tested
    assert found.decision() == 0


def test_resolution_is_in_the_unit_of_the_metric_and_at_the_level_of_the_tests():
    a, b, _ = SCORES
    found = compare(paired(0, 1), ["corrected_t"], RATIO, alpha=0.1)
    expected = resolution(float(np.std(a - b, ddof=1)), 10, RATIO, alpha=0.1, power=0.9)
    shown = found.resolution(power=0.9)
    assert (shown.detectable, shown.floor) == pytest.approx((expected.detectable, expected.floor))


@pytest.mark.parametrize(("other", "ratio"), [(0, RATIO), (1, None)])
def test_resolution_is_unknown_without_differences_or_sizes(other, ratio):
    assert math.isnan(compare(paired(0, other), ["t"], ratio).resolution().detectable)


def test_methods_are_equal_within_what_covers_the_whole_interval():
    found = compare(paired(0, 1), ["corrected_t"], RATIO)
    reach = max(-found.difference.low, found.difference.high)
    assert found.is_within(reach)
    assert not found.is_within(0.999 * reach)
    assert not compare(paired(0, 1), ["t"]).is_within(1.0)


ROWS = RowVariance(1e-5, 20)


def test_the_jackknife_t_test_decides_where_test_parts_are_large():
    a, b, _ = SCORES
    found = compare(paired(0, 1), ["jackknife_t"], 4.0, rows=ROWS)
    assert list(found.tests) == ["jackknife_t", "corrected_t"]
    assert found.headline == "jackknife_t"
    assert same(found.tests["jackknife_t"], jackknife_t(a, b, 1.0, 4.0, ROWS))
    assert same(found.difference, jackknife_difference(a, b, 1.0, 4.0, ROWS))


@pytest.mark.parametrize(("ratio", "rows"), [(2.0, ROWS), (4.0, None)])
def test_elsewhere_or_without_predictions_the_corrected_t_test_takes_its_place(ratio, rows):
    a, b, _ = SCORES
    found = compare(paired(0, 1), ["jackknife_t"], ratio, rows=rows)
    assert list(found.tests) == ["corrected_t"]
    assert same(found.difference, mean_difference(a, b, 1.0, ratio))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: compare(paired(0, 1), ["sign"], RATIO), "there is no test 'sign'"),
        (lambda: compare(paired(0, 1), ["t"], effects=["g"]), "there is no effect size 'g'"),
        (lambda: corrected([], "bonferroni"), "there is no correction 'bonferroni'; known: holm"),
        (lambda: rank_test(SCORES, all_pairs="holm"), "no procedure for all pairs 'holm'"),
        (lambda: smallest_p(3, "foo"), "wilcoxon has no distribution 'foo'"),
        (lambda: RowVariance(0.1, 1), "from two or more blocks, not 0.1 from 1"),
    ],
)
def test_a_word_that_is_not_known_is_refused(call, words):
    with pytest.raises(MlbenchError, match=words):
        call()


def test_a_test_alone_needs_no_list():
    assert list(compare(paired(0, 1), "corrected_t", RATIO).tests) == ["corrected_t"]


def test_equal_scores_are_within_any_margin():
    same = compare(PairedScores.of({0: 0.5, 1: 0.6}, {0: 0.5, 1: 0.6}), ["corrected_t"], 0.5)
    assert same.is_within(1e-9)
    once = compare(PairedScores.of({0: 0.5}, {0: 0.5}), ["corrected_t"], 0.5)
    assert not once.is_within(0.1)
