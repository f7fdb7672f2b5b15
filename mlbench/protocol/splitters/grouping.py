"""Groups of rows divided whole: the rows of one patient, or of one album, stay in one part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from mlbench.errors import DataError
from mlbench.number_text import counted
from mlbench.options import Stratify
from mlbench.protocol.arrays import Indices
from mlbench.protocol.splitters.stratification import spread_by
from mlbench.solvers.arrays import Floats, Ints

HONOURED = ("labels", "label_pairs")
"""What can be spread evenly over parts that divide no group."""
MAX_STEPS = 1000
"""Groups for which an exchange is looked for."""
SWEEPS = 3
"""How often it is looked for all groups, as long as there are not too many."""
LEAST = 1e-9
ROUNDING = 1e-10
"""What a thousand updates may round, as a part of the largest numbers."""


def grouped_parts(
    groups: Ints,
    sizes: Sequence[int],
    rng: np.random.RandomState,
    dataset: str,
    Y: Ints | None = None,
    stratify: Stratify | None = None,
    tasks: Indices | None = None,
) -> Ints:
    """Return the part of each row: groups in a random order, cut where the sizes are nearest.

    A group is in the test part about as often as its rows would be. With `stratify`, or with
    tasks, parts then exchange groups where that spreads labels, and the rows of tasks, more
    evenly.

    Parameters
    ----------
    groups : (n,) int array
        The group of each row.
    sizes : sequence of int
        Rows that the parts should have; where these are fewer than all, the rest is one more part.
    rng : RandomState
    dataset : str
    Y, stratify, tasks
        See :func:`mlbench.protocol.splitters.rows.tuning_folds`.

    Raises
    ------
    DataError
        If there are fewer groups than parts, or if `stratify` cannot be honoured.
    """
    member, counts = _numbered(groups)
    _refuse(len(counts), len(sizes), dataset, stratify)
    order = rng.permutation(len(counts))
    reached = np.cumsum(counts[order])
    part = np.full(len(counts), len(sizes), dtype=np.int64)
    start = 0
    for place, end in enumerate(np.cumsum(sizes)):
        left = len(sizes) - 1 - place
        last = len(counts) - left
        stop = start + 1 + int(np.argmin(np.abs(reached[start:last] - end)))
        if not left and end == len(groups):
            stop = len(counts)
        part[order[start:stop]] = place
        start = stop
    spread = _spread(Y, stratify, tasks)
    if spread is not None:
        shares = np.array([*sizes, len(groups) - sum(sizes)]) / len(groups)
        _exchange(part, _by_group(member, spread), shares, rng)
    return part[member]


def grouped_folds(
    groups: Ints,
    folds: int,
    rng: np.random.RandomState,
    dataset: str,
    Y: Ints | None = None,
    stratify: Stratify | None = None,
    tasks: Indices | None = None,
) -> Ints:
    """Return the fold of each row: the largest group first, each to the fold with fewest rows.

    Groups of one size come in a random order. With `stratify`, or with tasks, folds then exchange
    groups; see :func:`grouped_parts`, also for the parameters.
    """
    member, counts = _numbered(groups)
    _refuse(len(counts), folds, dataset, stratify)
    order = rng.permutation(len(counts))
    part = np.empty(len(counts), dtype=np.int64)
    rows = np.zeros(folds, dtype=np.int64)
    for group in order[np.argsort(-counts[order], kind="stable")]:
        part[group] = int(np.argmin(rows))
        rows[part[group]] += counts[group]
    spread = _spread(Y, stratify, tasks)
    if spread is not None:
        _exchange(part, _by_group(member, spread), np.full(folds, 1 / folds), rng)
    return part[member]


def _numbered(groups: Ints) -> tuple[Ints, Ints]:
    """Return the number of each row's group among those that occur, and the sizes of groups."""
    _, member, counts = np.unique(groups, return_inverse=True, return_counts=True)
    return member.ravel(), counts


def _refuse(n_groups: int, parts: int, dataset: str, stratify: Stratify | None) -> None:
    if n_groups == 1:
        raise DataError(
            f"{dataset}: all rows are of one group, so no part can be without it; leave `groups` "
            "out, or name a column that tells groups apart"
        )
    if n_groups < parts:
        raise DataError(
            f"{dataset}: {counted(n_groups, 'group')} cannot be divided into {parts} parts or "
            "folds, of which each needs a group; with fewer folds, of the splits or of tuning, "
            "they can"
        )
    if stratify is not None and stratify not in HONOURED:
        raise DataError(
            f"{dataset}: stratify: {stratify} cannot keep groups together; write "
            f"{' or '.join(HONOURED)}"
        )


def _spread(
    Y: Ints | None, stratify: Stratify | None, tasks: Indices | None
) -> sparse.csr_array | None:
    """Return what is to be spread evenly, by row: labels, and tasks where there are some."""
    labels = None if Y is None or stratify is None else spread_by(Y, stratify)
    if tasks is None:
        return labels
    ones = np.ones(len(tasks), dtype=np.int64)
    of_tasks = sparse.csr_array((ones, (np.arange(len(tasks)), tasks)))
    if labels is None or Y is None:
        return of_tasks
    return sparse.csr_array(sparse.hstack([of_tasks, of_tasks.multiply(Y[:, :1])]))


def _by_group(member: Ints, spread: sparse.csr_array) -> sparse.csr_array:
    """Return how much of each property a group has, scaled, with its rows as the first property.

    The distance of a part from its share is chi-squared: the square of what it has too much or
    too little of a property, over all there is of it. Rows count as much as all else together.
    """
    n, n_properties = spread.shape
    whole = sparse.csr_array(sparse.hstack([np.ones((n, 1)), spread]))
    of_rows = sparse.csr_array((np.ones(n), (member, np.arange(n))))
    has = sparse.csr_array(of_rows @ whole)
    weights = 1 / np.maximum(np.asarray(has.sum(axis=0)).ravel(), 1)
    weights[0] *= max(n_properties, 1)
    return sparse.csr_array(has @ sparse.diags_array(np.sqrt(weights)))


def _exchange(
    part: Ints, has: sparse.csr_array, shares: Floats, rng: np.random.RandomState
) -> None:
    """Exchange groups of parts, or move them, in place, while that lowers the sum of squares.

    Let o_p be what part p has more than its share. If p gives d to q, the sum of squares changes
    by 2 d (o_q - o_p) + 2 |d|^2. An exchange of the groups a and b is d = a - b, a move is d = a.
    No part loses its last group.

    The products of all groups with o_p are kept up to date by those with d, which has few
    properties. That rounds, so what is best up to rounding is compared by products made afresh.
    """
    n, n_parts = len(part), len(shares)
    total = np.asarray(has.sum(axis=0)).ravel()
    off = np.column_stack([has[part == p].sum(axis=0) for p in range(n_parts)])
    off -= np.outer(total, shares)
    of_property = sparse.csr_array(has.T)
    onto = np.asfortranarray(has @ off)
    norms = np.asarray(has.multiply(has).sum(axis=1)).ravel()
    largest = float(norms.max())
    rounding = ROUNDING * (largest + np.sqrt(largest * (off**2).sum()))
    members = np.bincount(part, minlength=n_parts)
    steps = np.concatenate([rng.permutation(n) for _ in range(SWEEPS)])[:MAX_STEPS]
    for a in steps:
        p = part[a]
        may_take = (shares > 0) & (members[p] > 1)
        own = has[[a]]
        dots: Floats = (own @ of_property).toarray()[0]
        swaps = _swaps(onto[a], p, onto, part, (norms[a], norms, dots))
        moves = _moves(onto[a], p, may_take, norms[a])
        least = min(swaps.min(), moves.min())
        if least >= rounding:
            continue
        near = np.flatnonzero(swaps <= least + rounding)
        others, given = has[near], own.toarray()[0]
        onto_a = (own @ off)[0]
        products = norms[a], norms[near], others @ given
        swaps = _swaps(onto_a, p, others @ off, part[near], products)
        moves = _moves(onto_a, p, may_take, norms[a])
        q, swap = int(np.argmin(moves)), swaps.min(initial=np.inf)
        if min(swap, moves[q]) >= -LEAST:
            continue
        if swap < moves[q]:
            b = near[np.argmin(swaps)]
            q = int(part[b])
            given -= has[[b]].toarray()[0]
            dots -= (has[[b]] @ of_property).toarray()[0]
            part[b] = p
        else:
            members[p] -= 1
            members[q] += 1
        part[a] = q
        off[:, p] -= given
        off[:, q] += given
        onto[:, p] -= dots
        onto[:, q] += dots


def _swaps(
    onto_a: Floats, p: int, onto: Floats, part: Ints, products: tuple[float, Floats, Floats]
) -> Floats:
    """Return by what exchanges of a group a of part p for others change the sum of squares.

    Parameters
    ----------
    onto_a : (n_parts,) float array
        The products of a with what each part has more than its share.
    p : int
    onto : (m, n_parts) float array
        Those of the other groups.
    part : (m,) int array
        Their parts.
    products : tuple of float and two (m,) float arrays
        Of a with itself, of each other group with itself, and of a with each.
    """
    of_a, of_others, of_both = products
    change = (onto_a[part] - onto[np.arange(len(part)), part]) - (onto_a[p] - onto[:, p])
    change = 2 * (change + of_a + of_others - 2 * of_both)
    return np.where(part == p, np.inf, change)


def _moves(onto_a: Floats, p: int, may_take: np.ndarray, norm: float) -> Floats:
    """Return by what a move of a group of part p to each part changes the sum of squares."""
    change = 2 * (onto_a - onto_a[p] + norm)
    change[p] = np.inf
    return np.where(may_take, change, np.inf)
