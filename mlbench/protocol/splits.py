"""Division of a data set into training and test parts, the same for every method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mlbench.errors import DataError
from mlbench.hashing import random_state

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Source:
    """Rows and labels that a projection is fitted to before other labels are learned."""

    rows: Indices
    labels: Indices


@dataclass(frozen=True)
class Split:
    """Row numbers of the two parts, ascending and disjoint.

    Attributes
    ----------
    train, test : int array
    labels : int array, optional
        The labels that are learned and scored, ascending; all, if there is none.
    source : Source, optional
        What is known besides the training part; its rows are in neither part.
    """

    train: Indices
    test: Indices
    labels: Indices | None = None
    source: Source | None = None


def make_split(
    spec: Mapping[str, Any],
    n_samples: int,
    dataset: str,
    tasks: Indices | None = None,
    published_train: Indices | None = None,
    n_labels: int = 1,
) -> Split:
    """Draw one split.

    Parameters
    ----------
    spec : mapping
        ``kind`` and ``index``, and what the kind needs: ``seed``, ``train`` and ``test``
        (a share as a float, a number of samples as an int, or None for all the others)
        for ``random``; ``seed`` and ``folds`` for ``kfold``, where the index counts the folds
        of the first repetition, then those of the second, and so on; for ``transfer`` see
        `_transfer`.
    n_samples : int
    dataset : str
        The name that takes part in the seed; together with ``seed`` and ``index`` it is all
        that the drawn numbers depend on.
    tasks : (n,) int array, optional
        Where every task has its own samples, each task is divided by itself; numbers of
        samples then mean samples of each task.
    published_train : int array, optional
        Rows of the training part that the data set was published with.
    n_labels : int
        Of the data set, for splits that choose among labels.

    Raises
    ------
    DataError
        If there are too few samples or labels, or no published parts.
    """
    index = int(spec["index"])
    if spec["kind"] == "published":
        if published_train is None:
            raise DataError(
                f"{dataset}: this data set has no published training and test part; "
                "use splits of the kind random or kfold"
            )
        train = np.zeros(n_samples, dtype=bool)
        train[published_train] = True
        return Split(np.flatnonzero(train), np.flatnonzero(~train))
    if spec["kind"] == "transfer":
        return _transfer(spec, n_samples, n_labels, dataset)
    groups = [np.arange(n_samples)] if tasks is None else _groups(tasks)
    if spec["kind"] == "random":
        rng = random_state("split", int(spec["seed"]), dataset, index)
        parts = [_random_parts(rng.permutation(rows), spec, dataset) for rows in groups]
    else:
        repeat, fold = divmod(index, int(spec["folds"]))
        rng = random_state("kfold", int(spec["seed"]), dataset, repeat)
        parts = [
            _fold_parts(rng.permutation(rows), spec["folds"], fold, dataset) for rows in groups
        ]
    return Split(
        np.sort(np.concatenate([train for train, _ in parts])),
        np.sort(np.concatenate([test for _, test in parts])),
    )


def _groups(tasks: Indices) -> list[Indices]:
    return [np.flatnonzero(tasks == task) for task in np.unique(tasks)]


def _random_parts(rows: Indices, spec: Mapping[str, Any], dataset: str) -> tuple[Indices, Indices]:
    n = len(rows)
    n_train = _count(spec["train"], n)
    n_test = n - n_train if spec.get("test") is None else _count(spec["test"], n)
    if isinstance(spec.get("test"), float):
        n_test = min(n_test, n - n_train)  # halves of both shares may be rounded up
    if n_train < 1 or n_test < 1 or n_train + n_test > n:
        raise DataError(
            f"{dataset}: {n} samples cannot be divided into {n_train} for training and "
            f"{n_test} for testing; change protocol.splits"
        )
    return rows[:n_train], rows[n_train : n_train + n_test]


def _count(part: int | float, n: int) -> int:
    return part if isinstance(part, int) else int(np.floor(part * n + 0.5))


def _fold_parts(rows: Indices, folds: int, fold: int, dataset: str) -> tuple[Indices, Indices]:
    if len(rows) < folds:
        raise DataError(f"{dataset}: {len(rows)} samples cannot be divided into {folds} folds")
    parts = np.array_split(rows, folds)
    return np.concatenate([part for i, part in enumerate(parts) if i != fold]), parts[fold]


def _transfer(spec: Mapping[str, Any], n_samples: int, n_labels: int, dataset: str) -> Split:
    """Draw the rows and the labels of a projection, and what is learned with it.

    With ``learn: seen`` the projection's labels are learned from its own rows and tested on all
    others. With ``learn: unseen`` the other rows are divided into folds, and the other labels are
    learned from one fold and tested on all other folds; the index counts the folds of the first
    repetition, then those of the second. Both draw the same rows and labels.

    Source: Yu, Yu & Tresp (2005), section 4.2, settings (I) and (II).
    """
    repeat, fold = divmod(int(spec["index"]), spec["folds"] or 1)
    rng = random_state("transfer", int(spec["seed"]), dataset, repeat)
    labels, rows = rng.permutation(n_labels), rng.permutation(n_samples)
    n_projection, n_seen = _count(spec["projection"], n_samples), int(spec["seen"])
    source = Source(np.sort(rows[:n_projection]), np.sort(labels[:n_seen]))
    rest, unseen = rows[n_projection:], np.sort(labels[n_seen:])
    few_labels, few_rows = (0, 1) if spec["learn"] == "seen" else (1, 2 * spec["folds"])
    if n_seen + few_labels > n_labels:
        raise DataError(
            f"{dataset}: of {n_labels} labels a projection cannot see {n_seen} and leave "
            f"{few_labels} or more; change protocol.splits"
        )
    if n_projection < 1 or n_projection + few_rows > n_samples:
        raise DataError(
            f"{dataset}: of {n_samples} samples a projection cannot have {n_projection} and leave "
            f"{few_rows} or more; change protocol.splits"
        )
    if spec["learn"] == "seen":
        return Split(source.rows, np.sort(rest), source.labels)
    tested, learned = _fold_parts(rest, spec["folds"], fold, dataset)
    return Split(np.sort(learned), np.sort(tested), unseen, source)


def tuning_folds(
    n_samples: int, folds: int, seed_axes: tuple[str | int, ...], tasks: Indices | None = None
) -> list[Split]:
    """Divide a training part into folds for tuning.

    Parameters
    ----------
    n_samples, folds : int
    seed_axes : tuple
        Names and numbers that the division depends on, and nothing else.
    tasks : (n,) int array, optional
        Each task is then divided by itself.

    Raises
    ------
    DataError
        If there are fewer samples (of a task) than folds.
    """
    rng = random_state("tuning folds", *seed_axes)
    groups = [np.arange(n_samples)] if tasks is None else _groups(tasks)
    shuffled = [rng.permutation(rows) for rows in groups]
    name = str(seed_axes[1]) if len(seed_axes) > 1 else "tuning"
    result = []
    for fold in range(folds):
        parts = [_fold_parts(rows, folds, fold, name) for rows in shuffled]
        result.append(
            Split(
                np.sort(np.concatenate([train for train, _ in parts])),
                np.sort(np.concatenate([held for _, held in parts])),
            )
        )
    return result
