"""Evidence against scipy: Student's density, and integrals by quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, stats

from mlbench.papers.evidence import evidence, log_density
from mlbench.statistics.welch import MeanDifference


def test_the_density_is_students_with_the_variance_of_rounding():
    scale = math.sqrt(0.4**2 + 0.05**2 / 3)
    assert log_density(MeanDifference(0.7, 0.4, 6.0), 0.05) == pytest.approx(
        stats.t.logpdf(0.7 / scale, 6.0) - math.log(scale)
    )
    alone = log_density(MeanDifference(0.02, 0.0, math.inf), 0.05)
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
