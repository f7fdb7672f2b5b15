"""The t-test with a jackknife over rows, against closed forms and a simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mlbench.errors import MlbenchError
from mlbench.statistics import RowVariance, corrected_t, jackknife_difference, jackknife_t

A = (0.712, 0.705, 0.731, 0.698, 0.720)
B = (0.701, 0.709, 0.718, 0.700, 0.711)


def test_blocks_of_one_row_give_the_variance_of_a_mean():
    gains = np.random.default_rng(1).normal(size=12)
    without = (gains.sum() - gains) / 11
    found = RowVariance.of([without], [np.zeros(12)])
    assert found.value == pytest.approx(gains.var(ddof=1) / 12)
    assert found.n_blocks == 12


def test_without_variance_of_rows_splits_count_with_their_overlap_in_training():
    found = jackknife_t(A, B, 20, 80, RowVariance(0.0, 20))
    plain = stats.ttest_rel(A, B)
    statistic = plain.statistic / math.sqrt(1 + 5 / 4)
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(2 * stats.t(4).sf(abs(statistic)))


def test_standard_deviations_of_both_effects_are_added():
    """s = 0.01 and n_test/n_train = 4, so that training rows have 0.005, and test rows 0.003."""
    a = 0.5 + 0.01 * stats.zscore(A, ddof=1)
    found = jackknife_t(a + 0.02, np.full(5, 0.5), 1, 4, RowVariance(0.003**2, 20))
    assert found.mean_difference / found.statistic == pytest.approx(
        math.sqrt(0.01**2 / 5 + (0.005 + 0.003) ** 2)
    )


@pytest.mark.parametrize("rows", [0.0, 1e-5, 1e-3])
@pytest.mark.parametrize("shift", [0.0, 0.01, 0.02])
def test_the_interval_excludes_zero_where_the_test_rejects(rows, shift):
    a, rows = np.add(A, shift), RowVariance(rows, 20)
    interval = jackknife_difference(a, B, 1, 4, rows, confidence=0.9)
    assert (interval.low > 0 or interval.high < 0) == (jackknife_t(a, B, 1, 4, rows).p_value < 0.1)


def test_rows_alone_have_the_freedom_of_blocks():
    found = jackknife_t([0.6, 0.6], [0.5, 0.5], 1, 4, RowVariance(0.05**2, 20))
    assert found.p_value == pytest.approx(2 * stats.t(19).sf(2))


def test_the_variance_is_enough_up_to_the_correlation_stated():
    q, y = np.array([2.0, 4.0, 11.0])[:, None], np.geomspace(1e-3, 1e3, 2001)
    most = np.sqrt(1 / 2 - 1 / (4 * q))
    for correlation, is_enough in ((-1, True), (0, True), (most, True), (1.01 * most, False)):
        splits = np.sqrt(q + y**2 / q - 2 * correlation * y)
        taken, actual = (splits / np.sqrt(q) + y) ** 2, 1 + y**2 + 2 * correlation * y
        assert (taken >= actual * (1 - 1e-9)).all() == is_enough


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [-1, 0, 0.6])
def test_its_size_is_kept_where_both_effects_are_not_nearly_the_same(correlation):
    """Linear effects of 96 rows; 8 train and 88 test, where the corrected t-test never rejects."""
    rng, tries, n, n_train, n_splits = np.random.default_rng(11), 400, 96, 8, 10
    rejected, by_corrected = 0, 0
    for trained in rng.normal(size=(tries, n)):
        tested = correlation * trained + math.sqrt(1 - correlation**2) * rng.normal(size=n)
        scores, without = [], []
        for _ in range(n_splits):
            order = rng.permutation(n)
            test = np.isin(np.arange(n), order[n_train:])
            base = trained[order[:n_train]].mean()
            scores.append(base + tested[test].mean())
            blocks = np.arange(n) % 16
            without.append([base + tested[test & (blocks != g)].mean() for g in range(16)])
        rows = RowVariance.of(without, np.zeros((n_splits, 16)))
        rejected += (
            jackknife_t(scores, np.zeros(n_splits), n_train, n - n_train, rows).p_value < 0.05
        )
        by_corrected += corrected_t(scores, np.zeros(n_splits), n_train, n - n_train).p_value < 0.05
    assert rejected / tries < 0.05 + 3 * math.sqrt(0.05 * 0.95 / tries)
    assert by_corrected == 0


def test_what_does_not_vary_is_said():
    rows = RowVariance(0.0, 20)
    same = jackknife_t(A, A, 1, 4, rows)
    assert (same.p_value, same.note) == (1.0, "all differences zero")
    shifted = jackknife_t([0.6, 0.6], [0.5, 0.5], 1, 4, rows)
    assert (shifted.p_value, shifted.note) == (
        0.0,
        "differences vary neither over splits nor over rows",
    )
    assert math.isnan(jackknife_difference([0.6, 0.6], [0.5, 0.5], 1, 4, rows).low)
    assert jackknife_t([0.6], [0.5], 1, 4, rows).note == "fewer than 2 pairs"


@pytest.mark.parametrize(
    ("a", "b"),
    [([[1.0, 2.0]], [[1.0, 2.0, 3.0]]), ([[1.0]], [[2.0]]), ([[1.0, math.nan]], [[1.0, 2.0]])],
)
def test_a_jackknife_of_other_shapes_or_undefined_scores_is_refused(a, b):
    with pytest.raises(MlbenchError, match="a jackknife needs two finite arrays"):
        RowVariance.of(a, b)
