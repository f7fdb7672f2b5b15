"""Small dense quadratic programs over the unit simplex, with a duality gap."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv, dpotrs

from mlbench.solvers.arrays import Floats
from mlbench.solvers.jit import compiled

_RIDGE = 1e-12
"""Added to the diagonal, relative to the largest terms, for regularity."""

_REFINEMENTS = 2
"""Steps of iterative refinement, which remove the effect of the ridge."""


def simplex_qp(Q: Floats, h: Floats, start: Floats, tol: float) -> tuple[Floats, float]:
    """Minimize ``1/2 b'Qb - h'b`` over b >= 0 with sum 1.

    An active-set method that solves for the support in every step. If rounding stops it, pairwise
    coordinate steps follow, which never increase the objective.

    Parameters
    ----------
    Q : (m, m) array, positive semidefinite
    h : (m,) array
    start : (m,) array in the simplex
    tol
        The gap to reach.

    Returns
    -------
    b : (m,) array in the simplex
    gap : float
        ``b'g - min g`` for the gradient g at b: the objective is at most this much above its
        minimum. It is above ``tol`` if rounding prevents further progress.
    """
    b = _active_set(Q, h, start, tol)
    gap = _gap(Q, h, b)
    if gap > tol:
        b = move_pairs(Q, h, b, tol, 10_000 + 100 * len(b))
        gap = _gap(Q, h, b)
    return b, gap


def _gap(Q: Floats, h: Floats, b: Floats) -> float:
    gradient = Q @ b - h
    return float(b @ gradient - gradient.min())


def _active_set(Q: Floats, h: Floats, start: Floats, tol: float) -> Floats:
    """Return a point of the simplex at which no coordinate can enter or no step is possible."""
    b = start.copy()
    support = np.flatnonzero(b)
    for _ in range(20 + 10 * len(b)):
        aim = _on_support(Q, h, support)
        if aim is None:
            break
        now = b[support]
        falling = aim <= 0
        if falling.any():
            ratio = now[falling] / (now[falling] - aim[falling])
            step = float(ratio.min())
            if step <= 0:
                break
            now = now + step * (aim - now)
            now[np.flatnonzero(falling)[ratio <= step]] = 0.0
            b[support] = np.maximum(now, 0.0)
            b /= b.sum()
            support = np.flatnonzero(b)
            continue
        b[support] = aim
        gradient = Q @ b - h
        entering = int(np.argmin(gradient))
        if b @ gradient - gradient[entering] <= tol or b[entering] > 0:
            break
        support = np.append(support, entering)
    return b


def _on_support(Q: Floats, h: Floats, support: NDArray[np.intp]) -> Floats | None:
    """Return the minimizer over the support with sum 1, of any sign, or None if singular.

    With a fixed sum, a constant added to all of Q or of h changes nothing. It makes Q regular if
    only a zero column made it singular.
    """
    m = len(support)
    inner = Q[support[:, None], support]
    right = np.ones((m, 2))
    right[:, 0] = h[support] - h[support].mean()
    level = max(float(inner.trace()) / m, float(np.abs(right[:, 0]).max())) or 1.0
    inner += level
    ridged = inner.copy()
    ridged.flat[:: m + 1] += _RIDGE * level
    factor, solved, failed = dposv(ridged, right)
    if failed:
        return None
    for _ in range(_REFINEMENTS):
        solved += dpotrs(factor, right - inner @ solved)[0]
    by_h, by_one = solved.T
    return np.asarray(by_h + (1 - by_h.sum()) / by_one.sum() * by_one)


@compiled
def move_pairs(Q: Floats, h: Floats, start: Floats, tol: float, max_steps: int) -> Floats:
    """Repeatedly move weight from the coordinate with the largest gradient to the smallest one.

    Parameters and result as for `simplex_qp`.
    """
    b = start.copy()
    gradient = Q @ b - h
    for step in range(max_steps):
        if step % 100 == 99:
            gradient = Q @ b - h
        low = int(np.argmin(gradient))
        high = low
        for i in range(len(b)):
            if b[i] > 0 and gradient[i] > gradient[high]:
                high = i
        if np.sum(b * gradient) - gradient[low] <= tol:
            break
        slope = gradient[high] - gradient[low]
        curvature = Q[high, high] + Q[low, low] - 2.0 * Q[high, low]
        amount = b[high]
        if curvature * amount > slope:
            amount = slope / curvature
        b[low] += amount
        b[high] -= amount
        gradient += amount * (Q[:, low] - Q[:, high])
    b /= b.sum()
    return b
