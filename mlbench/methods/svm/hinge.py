"""The linear support vector machine of the hinge: libsvm, and an exact finish."""

import warnings
from collections.abc import Iterator

import numpy as np
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from mlbench.methods.svm.gram import BinarySVM, FeatureProducts, RowProducts
from mlbench.solvers.arrays import Floats
from mlbench.solvers.hinge.interior_point import hinge_multipliers

TOLERANCES = (1e-3, 1e-6)
"""libsvm's: the next one is tried if the active rows that it leaves are not the right ones."""

MAX_STEPS = 10_000_000
"""Of libsvm, at one tolerance."""

MAX_ROUNDS = 20
EXACT = 1e-10


def hinge_svm(rows: RowProducts, y: Floats, C: float) -> BinarySVM:
    """Minimize ``1/2 ||w||^2 + C sum max(0, 1 - y (w'z + b))`` over w and b.

    libsvm finds which multipliers are 0, which are C, and which are between. An interior-point
    method does so for tall data, and where libsvm fails. The multipliers between 0 and C then
    solve the equations ``y (w'z + b) = 1`` exactly. Where there are none, b is the middle of the
    optimal interval.

    Parameters
    ----------
    rows : RowProducts
    y : (n,) array of -1 and 1, both of them present
    C : float
    """
    best: BinarySVM | None = None
    for alpha in _approximations(rows, y, C):
        found = _polished(rows, y, C, alpha)
        if best is None or found.gap < best.gap:
            best = found
        if best.gap <= EXACT:
            break
    assert best is not None
    return best


def _approximations(rows: RowProducts, y: Floats, C: float) -> Iterator[Floats]:
    """Yield multipliers, better and better ones.

    libsvm is the quicker one for a Gram matrix. It ends short of the optimum where its single
    precision does not tell the rows on the margin from others.
    """
    if not isinstance(rows, FeatureProducts) or rows.features is None:
        yield from _by_libsvm(rows, y, C)
    if rows.features is not None:
        inner, ends = hinge_multipliers(rows.features, y, C)
        yield ends
        yield inner


def _by_libsvm(rows: RowProducts, y: Floats, C: float) -> Iterator[Floats]:
    for tolerance in TOLERANCES:
        machine = SVC(C=C, kernel=rows.kernel, tol=tolerance, max_iter=MAX_STEPS, cache_size=500)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the gap shows it
            machine.fit(rows.data, y)
        alpha = np.zeros(len(y))
        dual = machine.dual_coef_
        alpha[machine.support_] = abs(dual.toarray() if sparse.issparse(dual) else dual).ravel()
        yield alpha


def _polished(rows: RowProducts, y: Floats, C: float, alpha: Floats) -> BinarySVM:
    """Solve for the multipliers of the rows on the margin until no row goes there or leaves it."""
    svm, products = _with_gap(rows, y, C, alpha)
    best, solved = svm, None
    for _ in range(MAX_ROUNDS):
        # Multipliers are 0 above the margin (short < 0), C below it, and in between on it.
        short = 1 - y * (products + svm.bias)
        slack = 1e-9 * (1 + np.abs(products).max())
        between = ((alpha > 0) | (short > slack)) & ((alpha < C) | (short < -slack))
        free = np.flatnonzero(between)
        if solved is not None and np.array_equal(free, solved):
            return best
        if not 0 < len(free) <= rows.max_free_vectors:
            break
        change = _equations(rows.block(free), y[free] - products[free], -float(y @ alpha))
        alpha, solved = alpha.copy(), free
        alpha[free] = np.clip(alpha[free] + y[free] * change, 0, C)
        svm, products = _with_gap(rows, y, C, alpha)
        if svm.gap < best.gap:
            best = svm
    return best


def _equations(K: Floats, right: Floats, total: float) -> Floats:
    """Solve ``K beta + b 1 = right, 1'beta = total`` for beta, the shortest if there are many."""
    m = len(K)
    system = np.ones((m + 1, m + 1))
    system[:m, :m] = K
    system[m, m] = 0
    target = np.append(right, total)
    with warnings.catch_warnings():
        warnings.simplefilter("error", linalg.LinAlgWarning)
        try:
            return np.asarray(linalg.solve(system, target, assume_a="sym")[:m])
        except (linalg.LinAlgError, linalg.LinAlgWarning):
            return np.asarray(linalg.lstsq(system, target)[0][:m])


def _with_gap(rows: RowProducts, y: Floats, C: float, alpha: Floats) -> tuple[BinarySVM, Floats]:
    """Return the machine of some multipliers, with the best bias and its gap, and its products."""
    products = rows.products(y * alpha)
    bias = _best_bias(products, y)
    short = np.maximum(0, 1 - y * (products + bias))
    quadratic = (y * alpha) @ products / 2
    primal = quadratic + C * short.sum()
    # The dual needs y'alpha = 0. To shrink multipliers until it holds costs about
    # |y'alpha| (1 + |b|).
    uneven = abs(y @ alpha)
    dual = alpha.sum() - quadratic - uneven * (1 + abs(bias))
    return BinarySVM(y * alpha, bias, float(max(0.0, primal - dual) / primal)), products


def _best_bias(products: Floats, y: Floats) -> float:
    """Return the bias that minimizes the hinge: the middle one, where there are several.

    The loss is piecewise linear in the bias, and bends at ``y - products``. Below all bends
    every positive row is short of its margin and no negative one; with each bend, of either
    kind, the slope grows by 1.
    """
    bends = np.sort(y - products)
    positives = int((y > 0).sum())
    return float((bends[positives - 1] + bends[positives]) / 2)
