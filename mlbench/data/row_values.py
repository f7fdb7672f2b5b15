"""Values of rows as numbers: the groups that belong together, and ranks in time."""

import contextlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import ArrayLike

from mlbench.errors import DataError
from mlbench.number_text import row_from_one
from mlbench.solvers.arrays import Floats, Ints

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def numbered_groups(groups: ArrayLike, source: str) -> Ints:
    """Return the number of the group of each row, in the order in which groups first occur.

    Raises
    ------
    DataError
        If there are several values for a row, or none.
    """
    values = np.asarray(groups)
    if values.ndim != 1:
        raise DataError(
            f"{source}: groups have the shape {values.shape}; one value a row is needed"
        )
    numbers: dict[object, int] = {}
    for row, value in enumerate(values.tolist()):
        if value is None or value != value or value == "":
            raise DataError(
                f"{source}: there is no group in {row_from_one(row)}; each row needs one"
            )
        numbers.setdefault(value, len(numbers))
    return np.array([numbers[value] for value in values.tolist()], dtype=np.int64)


def ranked_times(times: ArrayLike, source: str, place: Callable[[int], str] | None = None) -> Ints:
    """Return the rank of each row in time, from 0; equal times share one.

    Parameters
    ----------
    times : (n,) array-like
        Numbers, dates, or text: all numbers, or all ISO dates such as ``2020-12-31T23:59``.
    source : str
        What messages begin with.
    place : callable, optional
        Says where the row of an index stands; by default its number in `source`.

    Raises
    ------
    DataError
        If a row has no time, or one that is neither a number nor a date.
    """
    values = np.asarray(times)
    if values.ndim != 1:
        raise DataError(f"{source}: times have the shape {values.shape}; one a row is needed")
    if values.dtype.kind in "OUS":
        texts = [str(value).strip() for value in values.tolist()]
        values = _as_moments(texts, place or (lambda row: f"{source}: {row_from_one(row)}"))
    lacking = np.isnat(values) if values.dtype.kind in "mM" else np.isnan(values)
    if lacking.any():
        where = row_from_one(int(lacking.argmax()))
        raise DataError(f"{source}: there is no time in {where}; each row needs one")
    return np.unique(values, return_inverse=True)[1].astype(np.int64).ravel()


def _as_moments(texts: Sequence[str], place: Callable[[int], str]) -> Floats:
    """Return texts as numbers, or as seconds since some day."""
    with contextlib.suppress(ValueError):
        return np.array([float(text) for text in texts])
    moments = []
    for row, text in enumerate(texts):
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise DataError(
                f"{place(row)}: the time {text[:40]!r} is no ISO date, such as "
                "2020-12-31 or 2020-12-31T23:59; times are such dates, or all numbers"
            ) from None
        zone = moment.tzinfo or UTC
        moments.append((moment.replace(tzinfo=zone) - _EPOCH) / timedelta(microseconds=1))
    return np.array(moments)
