"""The compiled parts of the equicorrelated elastic net: its certificate and coordinate descent."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mlbench.solvers.arrays import Flags, Floats, Ints
from mlbench.solvers.jit import compiled_sums

_SWEEPS = 5
"""The number of sweeps between two Newton steps."""

_ITERATIONS = 20
_ACCURACY = 0.1
"""When conjugate gradients stop: the number of iterations, and the relative residual."""

_TRIALS = 3
"""How many lengths of a Newton step are tried, each a quarter of the one before."""


class ColumnArrays(NamedTuple):
    """The arrays of `CenteredColumns`, for the compiled functions."""

    data: Floats
    indices: NDArray[np.int32]
    indptr: Ints
    shift: Floats
    squares: Floats


class NetPenalty(NamedTuple):
    """The penalty ``lam1 ||b||_1 + lam2 ((1 - rho) ||b||^2 + rho (1'b)^2)``."""

    lam1: float
    lam2: float
    rho: float


class SearchState(NamedTuple):
    """What a check of the optimality conditions writes, by target."""

    objectives: Floats
    """(q,) arrays."""
    gaps: Floats
    inside: Flags
    """(p, q) bool array: the working sets."""
    joined: Flags
    """(q,) bool array: whether a column joined the working set."""


@compiled_sums
def certify(
    G: Floats,
    B: Floats,
    squared: Floats,
    todo: Ints,
    penalty: NetPenalty,
    threshold: float,
    strength: float,
    state: SearchState,
) -> None:
    """Write the objective and gap of the targets in todo, and update their working sets.

    G (p, t) holds A'r of these targets and is overwritten; ``squared`` their ||r||^2.
    """
    lam1, lam2, rho = penalty.lam1, penalty.lam2, penalty.rho
    inside, joined = state.inside, state.joined
    p, t = G.shape
    total, square, absolute = np.zeros(t), np.zeros(t), np.zeros(t)
    fit, largest, shortest = np.zeros(t), np.zeros(t), np.zeros(t)
    for column in range(p):
        for place in range(t):
            value = B[column, todo[place]]
            if value != 0:
                total[place] += value
                square[place] += value * value
                absolute[place] += abs(value)
                fit[place] += value * G[column, place]
    for place in range(t):
        joined[todo[place]] = False
    for column in range(p):
        for place in range(t):
            target = todo[place]
            value = B[column, target]
            slope = 2 * (G[column, place] - lam2 * ((1 - rho) * value + rho * total[place]))
            size = abs(slope)
            largest[place] = max(largest[place], size)
            if value > 0:
                shortest[place] += (slope - lam1) ** 2
            elif value < 0:
                shortest[place] += (slope + lam1) ** 2
            elif size > lam1:
                shortest[place] += (size - lam1) ** 2
            belongs = value != 0 or size > threshold
            if belongs and not inside[column, target]:
                joined[target] = True
            inside[column, target] = belongs
    for place in range(t):
        ridge = (1 - rho) * square[place] + rho * total[place] ** 2
        smooth = squared[place] + lam2 * ridge
        objective = smooth + lam1 * absolute[place]
        gap = shortest[place] / (4 * strength)
        if smooth > 0:
            inner = squared[place] + fit[place]
            alpha = inner / smooth
            if largest[place] > 0:
                alpha = max(-lam1 / largest[place], min(lam1 / largest[place], alpha))
            gap = min(gap, objective - alpha * (2 * inner - alpha * smooth))
        state.objectives[todo[place]] = objective
        state.gaps[todo[place]] = max(gap, 0.0)


@compiled_sums
def descend(
    columns: ColumnArrays,
    working: Ints,
    r: Floats,
    b: Floats,
    penalty: NetPenalty,
    enough: float,
    done: int,
    most: int,
) -> tuple[int, float]:
    """Sweep until a sweep lowers the objective by less than ``enough``; b and r change in place.

    After every few sweeps, conjugate gradients minimize over the nonzero coefficients with their
    signs; coefficients that change sign become 0. The step is taken if it lowers the objective.
    """
    first, moved = done, 0.0
    while done < most:
        moved = _sweep(columns, working, r, b, penalty)
        done += 1
        if moved <= enough:
            break
        if (done - first) % _SWEEPS == 0:
            _newton_step(columns, working, r, b, penalty)
    return done, moved


@compiled_sums
def _newton_step(
    columns: ColumnArrays, working: Ints, r: Floats, b: Floats, penalty: NetPenalty
) -> None:
    """Minimize roughly over the nonzero coefficients; b and r change if the objective falls."""
    places = np.flatnonzero(b)
    support, old = working[places], b[places]
    ridge, coupling = penalty.lam2 * (1 - penalty.rho), penalty.lam2 * penalty.rho
    rest = _adjoint(columns, support, r) - ridge * old - coupling * old.sum()
    rest -= penalty.lam1 / 2 * np.sign(old)
    step, direction = np.zeros(len(old)), rest.copy()
    size = rest @ rest
    enough = _ACCURACY**2 * size
    for _ in range(_ITERATIONS):
        if size <= enough:
            break
        # conjugate gradients for H step = rest with H = A'A + ridge I + coupling 1 1'
        image = _image(columns, support, direction, len(r))
        curved = _adjoint(columns, support, image) + ridge * direction + coupling * direction.sum()
        length = size / (direction @ curved)
        step += length * direction
        rest -= length * curved
        before, size = size, rest @ rest
        direction = rest + size / before * direction
    # The signs were held fixed: where one changes, the coefficient is 0, and the step is taken
    # only if the objective falls all the same.
    value = _value(r, old, penalty)
    for _ in range(_TRIALS):
        new = old + step
        new[new * old < 0] = 0
        other = r - _image(columns, support, new - old, len(r))
        if _value(other, new, penalty) < value:
            b[places] = new
            r[:] = other
            break
        step /= 4


@compiled_sums
def _image(columns: ColumnArrays, chosen: Ints, d: Floats, m: int) -> Floats:
    """Return ``A d`` for d of the chosen columns."""
    data, indices, indptr, shift = columns.data, columns.indices, columns.indptr, columns.shift
    found: Floats = np.zeros(m)
    common = 0.0
    for place in range(len(chosen)):
        column = chosen[place]
        start, stop = indptr[column], indptr[column + 1]
        value = d[place]
        common += value * shift[column]
        if len(indices) == 0:
            for row in range(m):
                found[row] += value * data[start + row]
        else:
            for entry in range(start, stop):
                found[indices[entry]] += value * data[entry]
    found -= common
    return found


@compiled_sums
def _adjoint(columns: ColumnArrays, chosen: Ints, r: Floats) -> Floats:
    """Return ``A'r`` of the chosen columns, for a centered r where they have a shift."""
    data, indices, indptr = columns.data, columns.indices, columns.indptr
    found: Floats = np.zeros(len(chosen))
    for place in range(len(chosen)):
        column = chosen[place]
        start, stop = indptr[column], indptr[column + 1]
        total = 0.0
        if len(indices) == 0:
            for row in range(len(r)):
                total += data[start + row] * r[row]
        else:
            for entry in range(start, stop):
                total += data[entry] * r[indices[entry]]
        found[place] = total
    return found


@compiled_sums
def _value(r: Floats, b: Floats, penalty: NetPenalty) -> float:
    lam1, lam2, rho = penalty.lam1, penalty.lam2, penalty.rho
    squared, total, square, absolute = 0.0, 0.0, 0.0, 0.0
    for place in range(len(r)):
        squared += r[place] ** 2
    for place in range(len(b)):
        total += b[place]
        square += b[place] ** 2
        absolute += abs(b[place])
    return squared + lam2 * ((1 - rho) * square + rho * total**2) + lam1 * absolute


@compiled_sums
def _sweep(
    columns: ColumnArrays, working: Ints, r: Floats, b: Floats, penalty: NetPenalty
) -> float:
    """Take one step in every coefficient of the working set; b and r change in place.

    The centered residual is ``r + common`` on the way: a step changes r where the column has
    entries, and a scalar for all rows.

    Returns
    -------
    float
        A lower bound on the decrease of the objective.
    """
    data, indices, indptr = columns.data, columns.indices, columns.indptr
    shift, squares = columns.shift, columns.squares
    lam1, lam2, rho = penalty.lam1, penalty.lam2, penalty.rho
    m, dense = len(r), len(indices) == 0
    s, common, moved = b.sum(), 0.0, 0.0
    for place in range(len(working)):
        column = working[place]
        start, stop = indptr[column], indptr[column + 1]
        old, a = b[place], squares[column]
        # z = A_l'(r + common) + a b_l - lam2 rho (s - b_l) for the column A_l = stored_l - shift_l.
        # r + common sums to 0 and stored_l to m shift_l, so the product is
        # stored_l'r + common m shift_l.
        z = common * m * shift[column]
        if dense:
            for row in range(m):
                z += data[start + row] * r[row]
        else:
            for entry in range(start, stop):
                z += data[entry] * r[indices[entry]]
        z += a * old - lam2 * rho * (s - old)
        # soft thresholding: b_l = sign(z) max(0, |z| - lam1 / 2) / (a + lam2)
        size = abs(z) - lam1 / 2
        new = 0.0
        if size > 0:
            new = (size if z > 0 else -size) / (a + lam2)
        if new != old:
            step = new - old
            b[place] = new
            s += step
            common += step * shift[column]
            if dense:
                for row in range(m):
                    r[row] -= step * data[start + row]
            else:
                for entry in range(start, stop):
                    r[indices[entry]] -= step * data[entry]
            moved += (a + lam2) * step * step
    for row in range(m):
        r[row] += common
    return moved
