"""Which difference splits can show, against simulated tests and an integral."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import chdtri, ndtr, stdtrit

from mlbench.errors import MlbenchError
from mlbench.statistics import corrected_t, resolution

TABLE = {
    3: (5.65, 4.93, 3.77),
    5: (3.50, 2.98, 2.10),
    10: (2.76, 2.29, 1.45),
    20: (2.50, 2.04, 1.19),
    50: (2.37, 1.91, 1.03),
}
"""In standard deviations of the differences, for 60:40, 70:30, and 90:10 splits."""
RATIOS = (40 / 60, 30 / 70, 10 / 90)


@pytest.mark.parametrize("n_splits", TABLE)
def test_more_splits_and_smaller_test_parts_show_smaller_differences(n_splits):
    shown = [resolution(1.0, n_splits, ratio).detectable for ratio in RATIOS]
    assert shown == pytest.approx(TABLE[n_splits], abs=0.005)


def test_no_number_of_splits_gets_below_the_floor():
    floors = [resolution(1.0, 10, ratio).floor for ratio in RATIOS]
    assert floors == pytest.approx((2.29, 1.83, 0.93), abs=0.005)
    many = [resolution(1.0, 10**6, ratio).detectable for ratio in RATIOS]
    assert many == pytest.approx(floors, rel=1e-5)


@pytest.mark.parametrize(
    ("n_splits", "ratio", "alpha", "power"),
    [(3, 2 / 3, 0.05, 0.8), (10, 1 / 9, 0.05, 0.8), (5, 1.5, 0.2, 0.5), (10, 2 / 3, 0.3, 0.4)],
)
def test_the_test_finds_such_a_difference_with_the_power_asked_for(n_splits, ratio, alpha, power):
    """Differences of equal covariance ratio / (1/1 + ratio), for which the correction is exact."""
    rng, tries = np.random.default_rng(5), 4000
    correlation = ratio / (1 + ratio)
    # s^2 estimates variance (1 - correlation): scale it to 1.
    common = rng.normal(size=(tries, 1)) * math.sqrt(correlation / (1 - correlation))
    shown = resolution(1.0, n_splits, ratio, alpha=alpha, power=power).detectable
    scores = shown + common + rng.normal(size=(tries, n_splits))
    nothing = np.zeros(n_splits)
    found = [corrected_t(each, nothing, 1.0, ratio).p_value < alpha for each in scores]
    assert np.mean(found) == pytest.approx(power, abs=4 * math.sqrt(power * (1 - power) / tries))


@pytest.mark.parametrize("n_splits", [2, 3, 10, 1000])
@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (1e-3, 0.95), (0.5, 0.51)])
def test_power_is_the_integral_over_the_estimated_deviation(n_splits, alpha, power):
    ratio, freedom = 0.5, n_splits - 1
    shown = resolution(1.0, n_splits, ratio, alpha=alpha, power=power).detectable
    delta = shown / math.sqrt(1 / n_splits + ratio)
    critical = stdtrit(freedom, 1 - alpha / 2)

    def accepted(share: float) -> float:
        scaled = critical * math.sqrt(chdtri(freedom, share) / freedom)
        return ndtr(scaled - delta) - ndtr(-scaled - delta)

    assert 1 - quad(accepted, 0, 1, limit=500)[0] == pytest.approx(power, abs=1e-4)


def test_there_is_none_where_the_test_is_too_careful_or_sizes_are_unknown():
    for none in (resolution(1.0, 10, 2.01), resolution(1.0, 10, None), resolution(1.0, 1, 0.5)):
        assert math.isnan(none.detectable)
        assert math.isnan(none.floor)


@pytest.mark.parametrize(
    "wrong",
    [
        {"power": 0.05},
        {"power": 1.0},
        {"alpha": 0.0},
        {"std": -1.0},
        {"std": math.nan},
        {"ratio": 0.0},
    ],
)
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(MlbenchError):
        resolution(**{"std": 1.0, "n_splits": 10, "ratio": 0.5, **wrong})
