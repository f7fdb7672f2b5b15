"""The linear support vector machine of the squared hinge, by Newton's method."""

import numpy as np

from mlbench.methods.svm.gram import BinarySVM, RowProducts
from mlbench.solvers.arrays import Flags, Floats

MAX_STEPS = 200


def squared_hinge_svm(
    rows: RowProducts, y: Floats, C: float, start: BinarySVM | None = None
) -> BinarySVM:
    """Minimize ``1/2 ||w||^2 + C sum max(0, 1 - y (w'z + b))^2`` over w and b.

    A step fits the active rows, those with a margin below 1, by least squares; an exact search
    along it follows. The objective is piecewise quadratic: when the active rows repeat, they
    are those of the minimum.

    Parameters
    ----------
    rows : RowProducts
    y : (n,) array of -1 and 1, both of them present
    C : float
    start : BinarySVM, optional
        Where to start, at the origin by default.

    References
    ----------
    Keerthi & DeCoste (2005), A modified finite Newton method for fast solution of large scale
    linear SVMs, Journal of Machine Learning Research 6.
    """
    n = len(y)
    beta, bias = (np.zeros(n), 0.0) if start is None else (start.beta, start.bias)
    products = rows.products(beta)
    solved: Flags | None = None
    best: BinarySVM | None = None
    for _ in range(MAX_STEPS):
        active = y * (products + bias) < 1
        if solved is not None and np.array_equal(active, solved):
            break
        solved = active
        full, full_bias, full_products = np.zeros(n), bias, np.zeros(n)
        chosen = np.flatnonzero(active)
        if len(chosen):
            full[chosen], full_bias, full_products = rows.ridge(chosen, y[chosen], 0.5 / C)
        fitted = _with_gap(rows, full, full_bias, y, C)
        if best is None or fitted.gap < best.gap:
            best = fitted
        if best.gap < 1e-14:
            break
        move = full_products - products
        slope, curve = float((full - beta) @ products), float((full - beta) @ move)
        step = _search(y * (products + bias), y * (move + full_bias - bias), slope, curve, C)
        beta = beta + step * (full - beta)
        products, bias = products + step * move, bias + step * (full_bias - bias)
    assert best is not None
    return best


def _with_gap(rows: RowProducts, beta: Floats, bias: float, y: Floats, C: float) -> BinarySVM:
    """Return the machine of the nearest dual point, with its duality gap.

    Multipliers below 0 are set to 0, and those of the side that weighs more then shrink.
    """
    alpha = np.maximum(0, y * beta)
    upper, lower = alpha[y > 0].sum(), alpha[y < 0].sum()
    if upper > 0 and lower > 0:
        alpha *= np.where(y > 0, min(1, lower / upper), min(1, upper / lower))
    else:
        alpha[:] = 0
    products = rows.products(y * alpha)
    quadratic = (y * alpha) @ products / 2
    primal = quadratic + C * (np.maximum(0, 1 - y * (products + bias)) ** 2).sum()
    dual = alpha.sum() - quadratic - alpha @ alpha / (4 * C)
    return BinarySVM(y * alpha, bias, float(max(0.0, primal - dual) / primal))


def _search(margins: Floats, move: Floats, slope: float, curve: float, C: float) -> float:
    """Return the step in (0, 1] that minimizes the objective along a direction.

    Its derivative, ``slope + t curve - 2 C sum move max(0, 1 - margins - t move)``, is
    continuous and grows with t: between two of the steps at which a row becomes active or
    stops being so it is linear.
    """

    def derivative(t: float) -> float:
        short = np.maximum(0, 1 - margins - t * move)
        return float(slope + t * curve - 2 * C * (move @ short))

    with np.errstate(divide="ignore", invalid="ignore"):
        bends = (1 - margins) / move
    bends = np.unique(bends[(bends > 0) & (bends < 1)])
    ends = np.concatenate([[0.0], bends, [1.0]])
    if derivative(1.0) <= 0:
        return 1.0
    low, high = 0, len(ends) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if derivative(ends[middle]) <= 0:
            low = middle
        else:
            high = middle
    at_low, at_high = derivative(ends[low]), derivative(ends[high])
    share = -at_low / (at_high - at_low)
    return float(ends[low] + np.clip(share, 0, 1) * (ends[high] - ends[low]))
