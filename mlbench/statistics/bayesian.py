"""Bayesian tests over data sets: how probable it is that a method is better in practice.

Both take the scores of two methods, one pair per data set, arrays of shape (n,), and raise
`mlbench.errors.MlbenchError` if the lengths differ or a score is not finite. They ask in which of
three regions a difference on another data set lies: above `rope`, between -`rope` and `rope`, or
below. Each gives the posterior probability that a region is more probable than both others.

Source: Benavoli, Corani, Demšar & Zaffalon, Time for a change, J. Mach. Learn. Res. 18 (2017),
section 4.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mlbench.errors import MlbenchError
from mlbench.statistics.pairs import TOO_FEW, Differences, differences, rounded

N_SAMPLES = 50_000
"""Samples of the posterior: probabilities have a standard error of at most .0023."""
SIGN_PRIOR, SIGNED_RANK_PRIOR = 1.0, 0.5
"""The weight of the prior observation, a difference of zero, in data sets."""


@dataclass(frozen=True)
class Regions:
    """Probabilities of the three regions; NaN without enough data sets, then `note` says so."""

    higher: float
    same: float
    lower: float
    n: int
    """The number of data sets."""
    note: str = ""


def bayesian_sign(a: ArrayLike, b: ArrayLike, rope: float = 0.0) -> Regions:
    """Bayesian sign test: only the region of each difference matters, not its size.

    With counts (n+, n0, n-) of differences above, within and below, and a prior observation in
    the rope, the shares of the regions have a Dirichlet(n+, n0 + 1, n-) distribution. The
    probability that a share is the largest is that of the largest of three independent gamma
    variables, here by quadrature. Without a rope, zeros and the prior count half on either side,
    and the probability is that of Beta(n+ + (n0 + 1)/2, n- + (n0 + 1)/2) above 1/2.

    Parameters
    ----------
    a, b : array of shape (n,)
    rope : float
        Half the width of the region of practical equivalence, in the unit of the scores.
    """
    pairs = _checked(a, b, rope)
    if pairs.n < 2:
        return _too_few(pairs)
    higher = int(np.count_nonzero(pairs.values > rope))
    lower = int(np.count_nonzero(pairs.values < -rope))
    within = pairs.n - higher - lower + SIGN_PRIOR
    if rope == 0:
        from scipy.special import betainc

        above = 1 - float(betainc(higher + within / 2, lower + within / 2, 0.5))
        return Regions(above, 0.0, 1 - above, pairs.n)
    weights = np.array([higher, within, lower])
    above, same, below = (_probability_of_largest(weights, i) for i in range(3))
    return Regions(above, same, below, pairs.n)


def bayesian_signed_rank(
    a: ArrayLike,
    b: ArrayLike,
    rope: float = 0.0,
    *,
    n_samples: int = N_SAMPLES,
    seed: int = 0,
) -> Regions:
    """Bayesian signed-rank test: of all means of two differences, how many lie in each region.

    The distribution of differences has a Dirichlet process prior, with an observation of zero
    and a weight of 1/2. So weights w of it and of the data sets are Dirichlet(1/2, 1, ..., 1), and
    a region has the share sum w_i w_j [(d_i + d_j) / 2 in region]; a mean on its edge counts
    half. The probability that a share is the largest is estimated by sampling w.

    Parameters
    ----------
    a, b : array of shape (n,)
    rope : float
        Half the width of the region of practical equivalence, in the unit of the scores.
    n_samples : int
        Samples of the weights.
    seed : int
        Of the samples: the same input has the same result.
    """
    pairs = _checked(a, b, rope)
    if pairs.n < 2:
        return _too_few(pairs)
    values = np.concatenate(([0.0], pairs.values))
    sums = values[:, None] + values
    scale = max(float(np.abs(sums).max()), 2 * rope)
    above = (1 + np.sign(rounded(sums - 2 * rope, scale))) / 2
    below = (1 + np.sign(rounded(-sums - 2 * rope, scale))) / 2
    prior = np.concatenate(([SIGNED_RANK_PRIOR], np.ones(pairs.n)))
    weights = np.random.default_rng(seed).dirichlet(prior, n_samples)
    higher = ((weights @ above) * weights).sum(axis=1)
    lower = ((weights @ below) * weights).sum(axis=1)
    shares = np.stack((higher, np.maximum(0.0, 1 - higher - lower), lower))
    if rope == 0:
        shares[1] = 0.0
    largest = np.isclose(shares, shares.max(axis=0), rtol=0, atol=1e-12)
    found = (largest / largest.sum(axis=0)).mean(axis=1)
    return Regions(float(found[0]), float(found[1]), float(found[2]), pairs.n)


def _checked(a: ArrayLike, b: ArrayLike, rope: float) -> Differences:
    if not 0 <= rope < math.inf:
        raise MlbenchError(f"the region of practical equivalence must be 0 or more, not {rope}")
    return differences(a, b)


def _too_few(pairs: Differences) -> Regions:
    return Regions(math.nan, math.nan, math.nan, pairs.n, TOO_FEW)


def _probability_of_largest(weights: NDArray[np.float64], i: int) -> float:
    """Return the probability that share i of a Dirichlet distribution is the largest."""
    from scipy.integrate import quad
    from scipy.special import gammainc, gammaincinv

    if weights[i] == 0:
        return 0.0
    others = np.delete(weights, i)
    others = others[others > 0]

    def others_are_less(quantile: float) -> float:
        return float(np.prod(gammainc(others, gammaincinv(weights[i], quantile))))

    return float(quad(others_are_less, 0, 1)[0])
