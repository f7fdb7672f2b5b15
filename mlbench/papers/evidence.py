"""How likely printed numbers are under an interpretation of the protocol.

An interpretation explains a share of the printed numbers, and the others come from anywhere. Let d
be ours minus the printed mean of a number, and let the interpretation be right about it. Then d
comes from the drawing of splits and from rounding alone, and has the density f of Student's t with
the standard error and the degrees of freedom of Welch's interval,

    error^2 = s_printed^2 / R_printed + s_ours^2 / R_ours,    scale^2 = error^2 + rounding^2 / 3,

where rounding, half a unit of the last printed digit, is the half width of a uniform error. A
number that the interpretation does not explain has the uniform density g over the range of its
metric. With the ratios r = f / g, and a share that may be anything between 0 and 1 with equal
chances, the evidence for the interpretation against "anything" is

    E = integral over q from 0 to 1 of the product over numbers of (1 - q + q r) dq.

The product is a polynomial in q, so Gauss-Legendre quadrature with enough nodes is exact. A number
that is far off costs little more than one that is just outside of its interval, which a paper with
a few misprints or one undocumented method needs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats
from scipy.special import logsumexp

from mlbench.published.csv_file import metric_range
from mlbench.report.reproduction.comparison import ComparedValue
from mlbench.statistics.welch import MeanDifference, Sample, welch


@dataclass(frozen=True)
class Evidence:
    """Evidence for an interpretation."""

    log10: float
    """Decimal logarithm of E; 0 without numbers."""
    share: float
    """The mean share of numbers that it explains, given the numbers; NaN without numbers."""


def log_ratio(line: ComparedValue) -> float:
    """Return the natural logarithm of f / g for a number.

    NaN if no deviation is known on either side, or the metric has no finite range.
    """
    target = line.printed
    low, high = metric_range(target.ours)
    ours = Sample(line.mean, line.std, line.n)
    found = welch(ours, Sample(target.mean, target.std, target.n_splits or line.n))
    if math.isnan(found.error) or not math.isfinite(high - low):
        return math.nan
    scale = 100.0 if target.unit == "percent" else 1.0
    return log_density(found, target.rounding) + math.log(scale * (high - low))


def log_density(found: MeanDifference, rounding: float) -> float:
    """Return the logarithm of f: how likely a difference is if an interpretation is right."""
    scale = math.hypot(found.error, rounding / math.sqrt(3))
    if math.isinf(found.freedom):
        return float(stats.norm.logpdf(found.value, scale=scale))
    return float(stats.t.logpdf(found.value, found.freedom, scale=scale))


def evidence(log_ratios: Sequence[float]) -> Evidence:
    """Return E and the share of the numbers with these logarithms of f / g."""
    if not log_ratios:
        return Evidence(0.0, math.nan)
    nodes, log_weights = _quadrature(len(log_ratios) // 2 + 2)
    products = np.zeros_like(nodes)
    for ratio in log_ratios:
        products += np.logaddexp(np.log1p(-nodes), np.log(nodes) + ratio)
    total = logsumexp(products + log_weights)
    share = math.exp(logsumexp(products + log_weights + np.log(nodes)) - total)
    return Evidence(float(total) / math.log(10), share)


@cache
def _quadrature(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes in (0, 1) and the logarithms of their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, np.log(weights / 2)
