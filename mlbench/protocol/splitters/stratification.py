"""Rows in an order of which consecutive blocks have much the same labels: stratified parts."""

import heapq
from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy import sparse

from mlbench.options import Stratify
from mlbench.protocol.arrays import Indices
from mlbench.solvers.arrays import Floats, Ints

MAX_EXCHANGES, MAX_TRIED = 1000, 100
"""Exchanges of rows in all, and the rows of a part that are tried for each."""

REVISION = 2
"""Raised when rows are divided otherwise."""

TIE = 0.05
"""Parts that lack nearly as many rows are treated alike: folds differ in size by one row."""


def shuffled(
    rows: Indices,
    sizes: Sequence[int],
    rng: np.random.RandomState,
    Y: Ints | None = None,
    stratify: Stratify | None = None,
) -> Indices:
    """Return rows in a random order, to be cut into parts of the given sizes.

    Without `stratify` every order is equally likely. With it, what is named occurs in each part as
    nearly as possible in proportion to the part's size: rarest first, every row with the rarest
    goes to the part that lacks it most (Sechidis, Tsoumakas & Vlahavas, On the stratification of
    multi-label data, ECML PKDD 2011; for pairs Szymański & Kajdanowicz, A network perspective on
    stratification of multi-label data, PMLR 74, 2017). Of a label that most rows have, the rows
    without it count. Then parts exchange rows where that helps. Sizes are exact.

    Parameters
    ----------
    rows : (n,) int array
        Rows of `Y` to divide.
    sizes : sequence of int
        Sizes of the parts; they add up to n or less, and what is left comes last.
    rng : RandomState
    Y : (N, k) int array of 0/1, optional
        Labels; without them rows cannot be stratified.
    stratify : {"labels", "label_pairs", "labelsets", "every_label"}, optional
        Whether labels, labels and pairs of labels, or sets of labels are to be spread evenly. With
        ``every_label``, each part also wants both classes of each label that has enough rows.
    """
    rows = rng.permutation(rows)
    if stratify is None or Y is None:
        return rows
    every = [*sizes, len(rows) - sum(sizes)]
    parts = sum(size > 0 for size in sizes) if stratify == "every_label" else None
    if stratify == "labelsets":
        part = _dealt(Y[rows], every, rng)
    else:
        part = _iterative(spread_by(Y[rows], stratify), every, rng, parts)
    return np.asarray(rows[np.argsort(part, kind="stable")])


def spread_by(Y: Ints, stratify: Stratify) -> sparse.csr_array:
    """Return which of what is to be spread evenly each row has."""
    labels = sparse.csr_array(_rarer(Y), dtype=np.int64)
    return _with_pairs(labels) if stratify == "label_pairs" else labels


def revision_of(stratify: object) -> dict[str, object]:
    """Return what the identity of a division says of how it is stratified, besides by what."""
    by_counts = stratify in ("labels", "label_pairs", "every_label")
    return {"stratification": REVISION} if by_counts else {}


def _rarer(Y: Ints) -> Ints:
    """Return 1 where a row has the rarer class of a label.

    A part with its share of one class has its share of the other.
    """
    common = 2 * Y.sum(axis=0) > len(Y)
    return np.where(common, 1 - Y, Y) if common.any() else Y


def _dealt(Y: Ints, sizes: Sequence[int], rng: np.random.RandomState) -> Ints:
    """Return the part of each row: rows with one set of labels after the other are dealt out."""
    _, labelset = np.unique(Y, axis=0, return_inverse=True)
    order = np.argsort(rng.permutation(labelset.max() + 1)[labelset.ravel()], kind="stable")
    turns = [(np.arange(size) + rng.random_sample()) / max(size, 1) for size in sizes]
    part = np.empty(len(Y), dtype=np.int64)
    part[order] = np.repeat(np.arange(len(sizes)), sizes)[np.argsort(np.concatenate(turns))]
    return part


def _with_pairs(labels: sparse.csr_array) -> sparse.csr_array:
    """Return which labels and which pairs of labels each row has."""
    labels.sort_indices()
    k = labels.shape[1]
    own = np.split(labels.indices.astype(np.int64), labels.indptr[1:-1])
    upper = cache(np.triu_indices)
    pairs = [(each[:, None] * k + each)[upper(len(each))] for each in own]
    found, columns = np.unique(np.concatenate(pairs), return_inverse=True)
    starts = np.concatenate([[0], np.cumsum([len(each) for each in pairs])])
    ones = np.ones(len(columns), dtype=np.int64)
    return sparse.csr_array((ones, columns.ravel(), starts), shape=(len(own), len(found)))


def _iterative(
    has: sparse.csr_array,
    sizes: Sequence[int],
    rng: np.random.RandomState,
    parts: int | None = None,
) -> Ints:
    """Return the part of each row, by iterative stratification.

    If `parts` is given, each of as many parts wants one row at least of what as many rows have.
    """
    n, n_properties = has.shape
    rows_with = has.tocsc()
    capacity = np.array(sizes, dtype=np.int64)
    left = np.asarray(has.sum(axis=0)).ravel()
    wanted = np.multiply.outer(capacity / max(n, 1), left)
    if parts is not None:
        least = np.multiply.outer(capacity[:-1] > 0, left >= parts)
        wanted[:-1] = np.maximum(wanted[:-1], least)
    shares = wanted.copy()
    part = np.full(n, -1, dtype=np.int64)
    ties = rng.permutation(n_properties)
    rarest = list(zip(left, ties, range(n_properties), strict=True))
    heapq.heapify(rarest)
    while rarest:
        count, _, place = heapq.heappop(rarest)
        if count != left[place] or count == 0:
            continue
        members = rows_with.indices[rows_with.indptr[place] : rows_with.indptr[place + 1]]
        members = members[part[members] < 0]
        properties = [has.indices[has.indptr[row] : has.indptr[row + 1]] for row in members]
        for row, own in zip(members, properties, strict=True):
            chosen = _neediest(wanted[:, place], capacity, rng)
            part[row] = chosen
            capacity[chosen] -= 1
            wanted[chosen, own] -= 1
        others, numbers = np.unique(np.concatenate(properties), return_counts=True)
        left[others] -= numbers
        for other in others:
            heapq.heappush(rarest, (left[other], ties[other], other))
    unassigned = np.flatnonzero(part < 0)
    part[unassigned] = rng.permutation(np.repeat(np.arange(len(capacity)), capacity))
    _exchange(part, has, shares, rng)
    return part


def _exchange(
    part: Ints, has: sparse.csr_array, shares: Floats, rng: np.random.RandomState
) -> None:
    """Exchange rows of parts, in place, while that lowers the squared distances from the shares.

    Let v be how much more of each property a part has than another, compared with their shares,
    and d the properties of the row it takes minus those of the row it gives. An exchange adds
    2 (v d + d^2) to the sum of squares. Each one is tried for the property that is spread worst.
    """
    off = np.array([has[part == p].sum(axis=0) for p in range(len(shares))]) - shares
    sizes = np.bincount(part, minlength=len(shares))
    off = np.where(sizes[:, None] > 0, off, np.nan)
    hopeless = np.zeros(has.shape[1], dtype=bool)
    columns = has.tocsc()
    if not has.shape[1] or not len(part):
        return
    for _ in range(MAX_EXCHANGES):
        gaps = np.where(hopeless, 0, np.nanmax(off, axis=0) - np.nanmin(off, axis=0))
        place = int(np.argmax(gaps))
        if gaps[place] <= 1:
            return
        giver, taker = int(np.nanargmax(off[:, place])), int(np.nanargmin(off[:, place]))
        members = np.zeros(len(part), dtype=bool)
        members[columns.indices[columns.indptr[place] : columns.indptr[place + 1]]] = True
        given = rng.permutation(np.flatnonzero(members & (part == giver)))[:MAX_TRIED]
        taken = rng.permutation(np.flatnonzero(~members & (part == taker)))[:MAX_TRIED]
        give, take = has[given], has[taken]
        more = off[giver] - off[taker]
        change = (take @ more + take.sum(axis=1))[None] + (give.sum(axis=1) - give @ more)[:, None]
        change -= 2 * (give @ take.T).toarray()
        if not change.size or change.min() >= -TIE:
            hopeless[place] = True
            continue
        first, second = np.unravel_index(int(np.argmin(change)), change.shape)
        part[given[first]], part[taken[second]] = taker, giver
        moved = (take[[second]] - give[[first]]).toarray()[0]
        off[giver] += moved
        off[taker] -= moved
        hopeless[:] = False


def _neediest(wanted: Floats, capacity: Ints, rng: np.random.RandomState) -> int:
    """Return the part that lacks most; ties go to the largest capacity, then at random."""
    open_parts = np.flatnonzero(capacity > 0)
    most = open_parts[wanted[open_parts] >= wanted[open_parts].max() - TIE]
    most = most[capacity[most] == capacity[most].max()]
    return int(most[0] if len(most) == 1 else rng.choice(most))
