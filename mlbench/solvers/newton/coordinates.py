"""Rounds for penalties of entries (`l11`) and of features (`l21`), on the Gram matrix.

A round goes through the features that can matter a few times, which finds the ones that are not 0,
and then takes Newton steps over these. Gradient steps need as many iterations as the Gram matrix
is ill-conditioned; a Newton step does not depend on that.

References
----------
Friedman, Hastie & Tibshirani (2010), Regularization paths for generalized linear models via
coordinate descent, Journal of Statistical Software 33(1). Lee, Battle, Raina & Ng (2007), Efficient
sparse coding algorithms, NIPS 19 (Newton steps that end at a change of sign).
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse.linalg import LinearOperator, cg

from mlbench.solvers.arrays import Floats
from mlbench.solvers.jit import compiled_sums

_SWEEPS = 5
"""How often a round goes through the features before its Newton steps."""

_NEWTON_STEPS = 5
"""The most Newton steps of a round for one task, each of which ends at a change of sign."""

_SINGULAR = 1e-10
"""A Hessian with a smaller ratio of its extreme eigenvalues is not inverted."""

_RIDGE = 1e-12
"""What keeps a preconditioner regular, relative to its diagonal."""

_FLAT_SLOPE = 1e-3
"""The share of the gradient along flat directions from which they are followed first."""

_MIN_CURVATURE = 1e-300

_ACCURACY, _PRODUCTS = 1e-3, 50
"""When conjugate gradients stop: the relative residual, and the number of products."""

_TRIALS = 4
"""How many lengths of a Newton step are tried, each a quarter of the one before."""


class CoordinateRounds:
    """The part that both penalties share.

    Parameters
    ----------
    gram : (d, d) array
        The Hessian of every task.
    """

    together: bool
    """Whether the penalty is of features, for all tasks together."""

    def __init__(self, gram: Floats) -> None:
        self.gram = gram
        self._filled = np.diag(gram) > 0

    def improve(self, alpha: float, W: Floats, V: Floats) -> Floats:
        """Return coefficients (k, d) of a lower objective; V is the negative gradient at W."""
        steepness = np.linalg.norm(V, axis=0) if self.together else np.abs(V).max(axis=0)
        working = np.flatnonzero(((W != 0).any(axis=0) | (steepness > alpha)) & self._filled)
        gram = self.gram[np.ix_(working, working)]
        B, R = np.ascontiguousarray(W.T[working]), np.ascontiguousarray(V.T[working])
        for _ in range(_SWEEPS):
            sweep(gram, B, R, alpha, self.together)
        new = np.zeros_like(W)
        new[:, working] = self._newton(gram, B, R, alpha).T
        return new

    def _newton(self, gram: Floats, B: Floats, R: Floats, alpha: float) -> Floats:
        """Return better coefficients (d, k) than B, where the negative gradient is R."""
        raise NotImplementedError


class EntryRounds(CoordinateRounds):
    """Rounds for the sum of absolute values: tasks are apart, and Newton steps exact."""

    together = False

    def _newton(self, gram: Floats, B: Floats, R: Floats, alpha: float) -> Floats:
        return np.column_stack(
            [_signed_steps(gram, b, r, alpha) for b, r in zip(B.T, R.T, strict=True)]
        )


class FeatureRounds(CoordinateRounds):
    """Rounds for the sum over features of the 2-norm over tasks."""

    together = True

    def _newton(self, gram: Floats, B: Floats, R: Floats, alpha: float) -> Floats:
        C = R + gram @ B
        value = _feature_value(gram, C, B, alpha)
        for _ in range(_NEWTON_STEPS):
            step = _feature_step(gram, B, C - gram @ B, alpha)
            candidates = [B + step / 4**trial for trial in range(_TRIALS)]
            first_zero = _to_first_zero(B, step)
            if first_zero is not None:
                candidates.insert(0, first_zero)
            for candidate in candidates:
                if (lower := _feature_value(gram, C, candidate, alpha)) < value:
                    B, value = candidate, lower
                    break
            else:
                break
            if first_zero is None:
                break
        return B


@compiled_sums
def sweep(gram: Floats, B: Floats, R: Floats, alpha: float, together: bool) -> None:
    """Minimize over one feature after the other; B and R (d, k) change in place.

    Parameters
    ----------
    B, R
        The coefficients, and the negative gradient of the quadratic there.
    together
        Whether alpha bounds the 2-norm of a row of R, or its entries.
    """
    d, k = B.shape
    step = np.empty(k)
    for j in range(d):
        # The minimum in feature j without the penalty is step = b_j + r_j / curvature. The penalty
        # shrinks it: its norm (together) or each entry by alpha / curvature, down to 0.
        curvature = gram[j, j]
        threshold = alpha / curvature
        length, moves = 0.0, False
        for i in range(k):
            step[i] = B[j, i] + R[j, i] / curvature
            length += step[i] * step[i]
        length = np.sqrt(length)
        kept = 1.0 - threshold / length if length > threshold else 0.0
        for i in range(k):
            value = step[i]
            if together:
                value *= kept
            elif value > threshold:
                value -= threshold
            elif value < -threshold:
                value += threshold
            else:
                value = 0.0
            step[i] = value - B[j, i]
            moves = moves or step[i] != 0.0
        if moves:
            for i in range(k):
                B[j, i] += step[i]
            for m in range(d):
                for i in range(k):
                    R[m, i] -= gram[m, j] * step[i]


def _signed_steps(gram: Floats, b: Floats, r: Floats, alpha: float) -> Floats:
    """Return better coefficients (d,) of one task than b, where the negative gradient is r.

    A step solves for the coefficients that are not 0 with their signs, and goes to the minimum
    of the objective on its way: beyond some changes of sign, or to one, which becomes 0.
    """
    b, r = b.copy(), r.copy()
    for _ in range(_NEWTON_STEPS):
        support = np.flatnonzero(b)
        if len(support) == 0:
            break
        old = b[support]
        downhill = r[support] - alpha * np.sign(old)
        step = _descent(gram[np.ix_(support, support)], downhill)
        change = gram[:, support] @ step
        curved, slope = float(step @ change[support]), float(downhill @ step)
        length, ended = _line_minimum(old, step, curved, slope, alpha)
        if not length > 0:
            break
        new = old + length * step
        if ended is not None:
            new[ended] = 0.0
        b[support] = new
        r -= length * change
        if np.array_equal(np.sign(new), np.sign(old)):
            break
    return b


def _descent(hessian: Floats, downhill: Floats) -> Floats:
    """Return the Newton step; where the Hessian is singular, a direction along which it is 0.

    Where the gradient has no part along such directions, the step is the shortest one.
    """
    try:
        factor = cho_factor(hessian)
        if np.diag(factor[0]).min() ** 2 > _SINGULAR * np.diag(hessian).max():
            return np.asarray(cho_solve(factor, downhill))
    except LinAlgError:
        pass  # singular, as below
    values, vectors = np.linalg.eigh(hessian)
    flat = values <= _SINGULAR * values[-1]
    slopes = vectors.T @ downhill
    if np.linalg.norm(slopes[flat]) > _FLAT_SLOPE * np.linalg.norm(slopes):
        return np.asarray(vectors[:, flat] @ slopes[flat])
    return np.asarray(vectors[:, ~flat] @ (slopes[~flat] / values[~flat]))


def _line_minimum(
    old: Floats, step: Floats, curved: float, downhill: float, alpha: float
) -> tuple[float, int | None]:
    """Return where a convex objective is least along a step, and the entry that is 0 there.

    The derivative at t is ``curved t - downhill``, and ``2 alpha |step_j|`` more from where entry
    j changes its sign.

    Returns
    -------
    length : float
        0 if the step leads nowhere.
    ended : int or None
        The entry that is 0 there; None if the minimum is between changes of sign.
    """
    if not downhill > 0:
        return 0.0, None
    curved = max(curved, _MIN_CURVATURE)
    with np.errstate(divide="ignore", invalid="ignore"):
        zeros = -old / step
    crossed = np.flatnonzero(zeros > 0)
    crossed = crossed[np.argsort(zeros[crossed])]
    # On piece p, after p changes of sign, the derivative is curved t + slopes[p]; it vanishes at
    # minima[p]. The minimum is on the first piece that does not end before its zero.
    slopes = np.concatenate([[0.0], np.cumsum(2 * alpha * np.abs(step[crossed]))]) - downhill
    minima, ends = -slopes / curved, np.append(zeros[crossed], np.inf)
    piece = int(np.argmax(minima <= ends))
    if piece == 0:
        return float(minima[0]), None
    last = int(crossed[piece - 1])
    if minima[piece] > zeros[last]:
        return float(minima[piece]), None
    return float(zeros[last]), last


def _feature_step(gram: Floats, B: Floats, R: Floats, alpha: float) -> Floats:
    """Return the Newton step (d, k) over the features that are not 0, by conjugate gradients.

    The norm of a row curves by alpha / norm across the row, and not along it. With alpha / norm in
    all directions, one (d, d) matrix serves all tasks: the preconditioner.
    """
    norms = np.linalg.norm(B, axis=1)
    alive = np.flatnonzero(norms)
    step = np.zeros_like(B)
    if not len(alive):
        return step
    rows, curvature = B[alive] / norms[alive, None], alpha / norms[alive]
    upper = gram[np.ix_(alive, alive)] + np.diag(curvature)
    factor = cho_factor(upper + np.diag(_RIDGE * np.diag(upper)))

    def hessian(flat: Floats) -> Floats:
        Z = flat.reshape(rows.shape)
        along = curvature * np.einsum("ij,ij->i", rows, Z)
        return np.asarray(upper @ Z - along[:, None] * rows).ravel()

    def preconditioner(flat: Floats) -> Floats:
        return np.asarray(cho_solve(factor, flat.reshape(rows.shape))).ravel()

    shape = (rows.size, rows.size)
    found, _ = cg(
        LinearOperator(shape, hessian, dtype=float),
        (R[alive] - alpha * rows).ravel(),
        rtol=_ACCURACY,
        maxiter=_PRODUCTS,
        M=LinearOperator(shape, preconditioner, dtype=float),
    )
    step[alive] = found.reshape(rows.shape)
    return step


def _to_first_zero(B: Floats, step: Floats) -> Floats | None:
    """Return where the first row of B would turn around along a step, with that row 0."""
    squares = np.einsum("ij,ij->i", B, B)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = -np.einsum("ij,ij->i", B, step) / squares
    shares[squares == 0] = 0.0
    first = int(np.argmax(shares))
    if not shares[first] > 1:
        return None
    found: Floats = B + step / float(shares[first])
    found[first] = 0.0
    return found


def _feature_value(gram: Floats, C: Floats, B: Floats, alpha: float) -> float:
    """Return the objective up to a constant; C (d, k) is the negative gradient at 0."""
    squares = 0.5 * float(np.vdot(B, gram @ B)) - float(np.vdot(C, B))
    return squares + alpha * float(np.linalg.norm(B, axis=1).sum())
