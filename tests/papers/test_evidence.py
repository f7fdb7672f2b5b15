"""Evidence against scipy: Welch's test, Student's density, and integrals by quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from mlbench.papers.evidence import evidence, log_density
from mlbench.report.reproduction.verdict import Error, error_of_difference

SPREADS = [(1.0, 10, 2.0, 5), (0.3, 2, 0.7, 150), (2.0, 3, 0.0, 10)]


@pytest.mark.parametrize("spreads", SPREADS)
def test_error_and_freedom_are_those_of_welchs_test(spreads):
    std_a, n_a, std_b, n_b = spreads
    error = error_of_difference(*spreads)
    theirs = stats.ttest_ind_from_stats(71.0, std_a, n_a, 70.0, std_b, n_b, equal_var=False)
    assert 1.0 / error.size == pytest.approx(theirs.statistic)
    assert 2 * stats.t.sf(1.0 / error.size, error.freedom) == pytest.approx(theirs.pvalue)


def test_an_unknown_spread_is_that_of_the_other_side():
    known = Error(2.0 * math.sqrt(1 / 10 + 1 / 5), 9)
    assert error_of_difference(2.0, 10, math.nan, 5) == pytest.approx(known)
    assert error_of_difference(math.nan, 5, 2.0, 10) == pytest.approx(known)
    assert error_of_difference(2.0, 10, 1.0, 1) == pytest.approx((2.0 * math.sqrt(1.1), 9))
    assert error_of_difference(math.nan, 5, math.nan, 5) is None


def test_the_density_is_students_with_the_variance_of_rounding():
    scale = math.sqrt(0.4**2 + 0.05**2 / 3)
    assert log_density(0.7, Error(0.4, 6.0), 0.05) == pytest.approx(
        stats.t.logpdf(0.7 / scale, 6.0) - math.log(scale)
    )
    alone = log_density(0.02, Error(0.0, math.inf), 0.05)
    assert alone == pytest.approx(stats.norm.logpdf(0.02, scale=0.05 / math.sqrt(3)))


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_evidence_is_the_integral_over_the_share(n):
    log_ratios = np.random.default_rng(n).normal(0, 3, n)

    def product(share: float) -> float:
        return float(np.prod(1 - share + share * np.exp(log_ratios)))

    whole = integrate.quad(product, 0, 1, limit=200)[0]
    mean = integrate.quad(lambda share: share * product(share), 0, 1, limit=200)[0] / whole
    found = evidence(list(log_ratios))
    assert found.log10 == pytest.approx(math.log10(whole), abs=1e-8)
    assert found.share == pytest.approx(mean, rel=1e-7)


@pytest.mark.parametrize("n", [1, 5, 600])
def test_evidence_of_numbers_that_are_all_far_off_all_explained_or_all_indifferent(n):
    assert evidence([-1e6] * n).log10 == pytest.approx(-math.log10(n + 1))
    assert evidence([0.0] * n).log10 == pytest.approx(0.0, abs=1e-9)
    explained = evidence([100.0] * n)
    assert explained.log10 == pytest.approx(n * 100 / math.log(10) - math.log10(n + 1))
    assert explained.share == pytest.approx((n + 1) / (n + 2))


def test_a_number_far_off_costs_a_bounded_amount():
    explained = [4.0] * 20
    costs = [evidence(explained).log10 - evidence([*explained, far]).log10 for far in (-10, -1e5)]
    assert costs[0] == pytest.approx(costs[1], abs=1e-3)
    assert 1.0 < costs[1] < 1.5


def test_no_number_is_no_evidence():
    assert evidence([]).log10 == 0.0
    assert math.isnan(evidence([]).share)
