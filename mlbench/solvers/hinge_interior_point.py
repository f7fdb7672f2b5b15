"""The hinge with a quadratic penalty and a free bias, by an interior-point method."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

Floats = NDArray[np.float64]

MAX_STEPS = 100


def hinge_multipliers(
    Z: Any, y: Floats, C: float, tolerance: float = 1e-13
) -> tuple[Floats, Floats]:
    """Find the multipliers of ``min 1/2 ||w||^2 + C sum max(0, 1 - y (w'z + b))``.

    Mehrotra's predictor and corrector on the primal and the dual problem together. A step costs
    O(n r^2), and their number hardly depends on n or C: made for many rows of few features.

    Parameters
    ----------
    Z : (n, r) array or CSR matrix
    y : (n,) array of -1 and 1
    C : float
    tolerance : float
        Of the mean complementarity, relative to that of the start.

    Returns
    -------
    inner : (n,) array
        Multipliers within (0, C), as exact as the tolerance.
    ends : (n,) array
        The same, but those that tend to 0 or to C are there already.

    References
    ----------
    Ferris & Munson (2002), Interior-point methods for massive support vector machines, SIAM
    Journal on Optimization 13.
    """
    n, r = Z.shape
    w, b = np.zeros(r), 0.0
    alpha, short, slack = np.full(n, C / 2), np.full(n, 2.0), np.ones(n)
    start = C
    for _ in range(MAX_STEPS):
        room = C - alpha
        mean = (alpha @ slack + room @ short) / (2 * n)
        if mean <= tolerance * start:
            break
        gap_margin = y * (Z @ w + b) + short - 1 - slack
        gap_w = Z.T @ (y * alpha) - w
        gap_b = y @ alpha
        weight = 1 / (short / room + slack / alpha)
        solve = _normal_equations(Z, weight)

        def direction(one: Floats, two: Floats) -> tuple[Floats, ...]:
            q = one / alpha - two / room - gap_margin
            pulled = y * weight * q
            found = solve(np.append(gap_w + Z.T @ pulled, gap_b + pulled.sum()))
            move = weight * (q - y * (Z @ found[:r] + found[r]))
            return found, move, (one - slack * move) / alpha, (two + short * move) / room

        one, two = -alpha * slack, -room * short
        found, move, d_slack, d_short = direction(one, two)
        step = min(_longest(alpha, move), _longest(room, -move))
        step = min(step, _longest(slack, d_slack), _longest(short, d_short))
        ahead = (alpha + step * move) @ (slack + step * d_slack)
        ahead += (room - step * move) @ (short + step * d_short)
        target = mean * (ahead / (2 * n * mean)) ** 3
        found, move, d_slack, d_short = direction(
            one + target - move * d_slack, two + target + move * d_short
        )
        step = min(_longest(alpha, move), _longest(room, -move))
        step = min(step, _longest(slack, d_slack), _longest(short, d_short))
        step = min(1.0, 0.995 * step)
        w, b = w + step * found[:r], b + step * found[r]
        alpha, slack, short = alpha + step * move, slack + step * d_slack, short + step * d_short
    at_zero, at_end = alpha / C < slack, (C - alpha) / C < short
    return alpha, np.where(at_zero, 0.0, np.where(at_end, C, alpha))


def _normal_equations(Z: Any, weight: Floats) -> Any:
    r = Z.shape[1]
    weighted = Z.multiply(weight[:, None]).tocsr() if sparse.issparse(Z) else Z * weight[:, None]
    product = Z.T @ weighted
    H = np.empty((r + 1, r + 1))
    H[:r, :r] = product.toarray() if sparse.issparse(product) else product
    H[:r, r] = H[r, :r] = np.asarray(weighted.sum(axis=0)).ravel()
    H[r, r] = weight.sum()
    H.flat[: r * (r + 1) : r + 2] += 1
    factor = linalg.cho_factor(H, overwrite_a=True)
    return lambda right: linalg.cho_solve(factor, right)


def _longest(value: Floats, change: Floats) -> float:
    falling = change < 0
    return float(np.min(-value[falling] / change[falling], initial=1.0))
