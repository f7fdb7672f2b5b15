"""The rule of `reproduced`: against scipy, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from mlbench.report.reproduction.verdict import (
    PrintVerdict,
    allowed_difference,
    margin,
    verdict_on_score,
    verdict_on_time,
)
from mlbench.statistics import Sample

NAN = math.nan


def allowed(ours, n_ours, printed, n_printed, rounding=0.0):
    return allowed_difference(Sample(0.0, ours, n_ours), Sample(0.0, printed, n_printed), rounding)


def test_with_one_spread_it_is_the_interval_of_a_mean_of_so_many_further_runs():
    assert allowed(NAN, 1, 2.0, 10) == pytest.approx(
        stats.t.ppf(0.975, 9) * 2.0 * math.sqrt(1 + 1 / 10)
    )
    assert allowed(2.0, 10, NAN, 1) == allowed(NAN, 1, 2.0, 10)


def test_without_spreads_only_the_rounding_is_allowed():
    assert allowed(NAN, 1, NAN, 5, rounding=0.05) == 0.05
    assert allowed(0.0, 4, 0.0, 5, rounding=0.05) == 0.05


@pytest.mark.parametrize(
    ("n_ours", "n_theirs", "spread", "prints_spread"),
    [
        (10, 10, 1.0, True),
        (3, 10, 1.0, True),
        (1, 10, 1.0, True),
        (10, 10, 3.0, True),
        (20, 150, 1.0, False),
    ],
)
def test_runs_of_the_same_method_are_reproduced_in_95_of_100_cases(
    n_ours, n_theirs, spread, prints_spread
):
    """Means printed to two digits; the paper's spread may be larger than ours."""
    rng = np.random.default_rng(5)
    repeats, kept = 2000, 0
    for _ in range(repeats):
        ours, theirs = rng.normal(70, 1, n_ours), rng.normal(70, spread, n_theirs)
        std_ours = ours.std(ddof=1) if n_ours > 1 else NAN
        std_theirs = theirs.std(ddof=1) if prints_spread else NAN
        width = allowed(std_ours, n_ours, std_theirs, n_theirs, rounding=0.005)
        verdict = verdict_on_score(ours.mean(), round(theirs.mean(), 2), width, 100)
        kept += verdict is PrintVerdict.REPRODUCED
    error = math.sqrt(0.05 * 0.95 / repeats)
    assert 0.95 - 4 * error < kept / repeats < 0.95 + 4 * error + 0.01  # rounding widens it


def test_a_method_two_spreads_better_is_seldom_reproduced():
    rng = np.random.default_rng(6)
    kept = 0
    for _ in range(500):
        ours, theirs = rng.normal(72, 1, 10), rng.normal(70, 1, 10)
        width = allowed(ours.std(ddof=1), 10, theirs.std(ddof=1), 10, 0.005)
        kept += verdict_on_score(ours.mean(), theirs.mean(), width, 100) is PrintVerdict.REPRODUCED
    assert kept / 500 < 0.05


@pytest.mark.parametrize(
    ("ours", "printed", "allowed", "scale", "verdict"),
    [
        (68.0, 70.0, 2.0, 100, PrintVerdict.REPRODUCED),
        (71.0, 70.0, 0.5, 100, PrintVerdict.CLOSE),
        (68.99, 70.0, 0.5, 100, PrintVerdict.DIFFERS),
        (0.71, 0.70, 0.005, 1, PrintVerdict.CLOSE),
        (0.72, 0.70, 0.005, 1, PrintVerdict.DIFFERS),
    ],
)
def test_a_point_more_than_chance_allows_is_close(ours, printed, allowed, scale, verdict):
    assert verdict_on_score(ours, printed, allowed, scale) is verdict


@pytest.mark.parametrize(
    ("score", "expected"), [(0.5, 0.01), (0.98, 0.002), (0.04, 0.004), (1.0, 0), (1.2, 0)]
)
def test_close_is_narrower_at_both_ends(score, expected):
    assert margin(score) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("relative", "verdict"),
    [
        (1.0, PrintVerdict.CLOSE),
        (0.5, PrintVerdict.CLOSE),
        (2.1, PrintVerdict.DIFFERS),
        (0.4, PrintVerdict.DIFFERS),
    ],
)
def test_a_ratio_of_times_within_a_factor_of_two_is_close(relative, verdict):
    assert verdict_on_time(relative) is verdict
