"""Generated data sets."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mlbench.data.dataset import Dataset
from mlbench.data.table import numbered
from mlbench.errors import DataError
from mlbench.hashing import random_state
from mlbench.spelling import did_you_mean

_MAX_NUMBERS = 10**8
_NUMBERS_PER_COLUMN = 1000
"""Bytes that a column takes in addition to its numbers: its name, and its part of other arrays."""


def nam_toy(
    *, tasks: int = 8, samples: int = 4000, dimensions: int = 300, seed: int = 0
) -> Dataset:
    """Return the toy data of Nam, Hachiya & Sugiyama, section 6.1: rotated decision boundaries.

    x ~ N(0, I) and y_t = 1[cos(2 pi t/T) x_1 + sin(2 pi t/T) x_2 > 0] for t = 1..T. The paper
    specifies neither which side is positive nor the size of the test part. Here the inequality is
    strict, there is no noise, and the protocol chooses the split. The same seed gives the same X
    for any number of tasks.
    """
    if dimensions < 2:
        raise DataError(f"nam-toy: dimensions is {dimensions}; the boundaries need at least 2")
    X = random_state("nam-toy", seed).standard_normal((samples, dimensions))
    angles = 2 * np.pi * np.arange(1, tasks + 1) / tasks
    Y = (X[:, :2] @ np.vstack([np.cos(angles), np.sin(angles)]) > 0).astype(np.int64)
    return Dataset("nam-toy", X, Y, numbered("task", tasks), numbered("x", dimensions))


def paintings_like(
    *, samples: int = 642, users: int = 190, dimensions: int = 491, ratings: int = 89, seed: int = 0
) -> Dataset:
    """Return synthetic ratings with the dimensions of those in Yu, Yu & Tresp, section 4.1.

    A painting has a style s ~ N(0, I) in 30 dimensions and features ``tanh(A s / sqrt(30)) + e``
    with A ~ N(0, 1) and e ~ N(0, tanh(1)^2). A user belongs to one of 8 circles, with tastes
    c ~ N(0, I) in the first 5 dimensions, and has the taste ``w = c + N(0, I)`` there. The user
    likes a painting if ``w's > 0``. Each user has rated 0.5 to 1.5 times ``ratings`` paintings,
    drawn uniformly; all other ratings are unknown. Features are rounded to four decimals, because
    the last bits of products and of tanh depend on the processor and the number of threads.
    """
    rng = random_state("paintings-like", seed)
    styles, mixing = rng.standard_normal((samples, 30)), rng.standard_normal((30, dimensions))
    noise = rng.standard_normal((samples, dimensions))
    X = np.round(np.tanh(styles @ mixing / np.sqrt(30)) + noise * np.tanh(1), 4)
    circles = rng.standard_normal((8, 5))
    tastes = circles[rng.randint(8, size=users)] + rng.standard_normal((users, 5))
    half = ratings // 2
    if ratings + half > samples:
        raise DataError(
            f"paintings-like: ratings is {ratings}, and a user may rate {ratings + half} of "
            f"{samples} paintings; take more samples or fewer ratings"
        )
    known = np.zeros((samples, users), dtype=bool)
    for user, number in enumerate(rng.randint(ratings - half, ratings + half + 1, size=users)):
        known[rng.permutation(samples)[:number], user] = True
    Y = (known & (styles[:, :5] @ tastes.T > 0)).astype(np.int64)
    names = numbered("user", users), numbered("x", dimensions)
    return Dataset("paintings-like", X, Y, *names, known=known)


def digits() -> Dataset:
    """Return the 8x8 digits that come with scikit-learn, one label per class.

    They are the 1797 test rows of the UCI data set Optdigits.
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    Y = (bunch.target[:, None] == np.arange(10)).astype(np.int64)
    X = np.asarray(bunch.data, dtype=np.float64)
    return Dataset("digits", X, Y, tuple("0123456789"), tuple(map(str, bunch.feature_names)))


GENERATORS: Mapping[str, Callable[..., Dataset]] = {
    "nam-toy": nam_toy,
    "digits": digits,
    "paintings-like": paintings_like,
}


def generator_parameters(generator: str) -> tuple[str, ...]:
    """Return the names of the parameters that a generator takes.

    Raises
    ------
    DataError
        If there is no such generator.
    """
    if generator not in GENERATORS:
        raise DataError(
            f"no generator named {generator!r}{did_you_mean(generator, GENERATORS)}; known: "
            + ", ".join(GENERATORS)
        )
    return tuple(inspect.signature(GENERATORS[generator]).parameters)


def generate(generator: str, parameters: Mapping[str, object]) -> Dataset:
    """Return the data set that a generator gives for these parameters.

    Raises
    ------
    DataError
        If the generator or a parameter is unknown, or a parameter is not a positive whole number
        (the seed may be 0).
    """
    known = generator_parameters(generator)
    for key, value in parameters.items():
        if key not in known:
            raise DataError(f"{generator}: unknown parameter {key!r}{did_you_mean(key, known)}")
        least = 0 if key == "seed" else 1
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise DataError(
                f"{generator}: {key} is {value!r}; it must be a whole number of at least {least}"
            )
    _refuse_large(generator, parameters)
    return GENERATORS[generator](**parameters)


def _refuse_large(generator: str, parameters: Mapping[str, Any]) -> None:
    stated = inspect.signature(GENERATORS[generator]).parameters
    sizes = {name: parameters.get(name, each.default) for name, each in stated.items()}
    rows, _ = sizes.pop("samples", 0), sizes.pop("seed", 0)
    if (rows + _NUMBERS_PER_COLUMN) * sum(sizes.values()) > _MAX_NUMBERS:
        columns = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise DataError(
            f"{generator}: {rows} samples with {columns} are more than can be generated; "
            f"(samples + {_NUMBERS_PER_COLUMN}) x ({' + '.join(sizes)}) must be at most "
            f"{_MAX_NUMBERS:.0e}"
        )
