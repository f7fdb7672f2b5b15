"""Stratified folds: how close their labels are to those of all rows, here and in two packages.

LD and LPD are the mean distances of labels (odds) and of pairs of labels (shares) between a fold
and all rows; "missing" counts folds times labels without a positive.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from iterstrat.ml_stratifiers import MultilabelStratifiedKFold
from skmultilearn.model_selection import IterativeStratification

from mlbench import load_dataset
from mlbench.options import STRATIFIES
from mlbench.protocol.splitters.rows import fold_sizes
from mlbench.protocol.splitters.stratification import shuffled

FOLDS, SEEDS = 10, 3
DATASETS = ("emotions", "scene", "yeast", "enron", "medical")
Folds = list[np.ndarray]


def ours(Y: np.ndarray, seed: int, stratify: str | None) -> Folds:
    sizes = fold_sizes(len(Y), FOLDS, "data")
    order = shuffled(np.arange(len(Y)), sizes, np.random.RandomState(seed), Y, stratify)
    return np.split(order, np.cumsum(sizes)[:-1])


def iterstrat(Y: np.ndarray, seed: int) -> Folds:
    splitter = MultilabelStratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    return [test for _, test in splitter.split(np.zeros((len(Y), 1)), Y)]


def skmultilearn(Y: np.ndarray, seed: int) -> Folds:
    np.random.seed(seed)  # it draws from the global state
    splitter = IterativeStratification(n_splits=FOLDS, order=2)
    return [test for _, test in splitter.split(np.zeros((len(Y), 1)), Y)]


def distances(Y: np.ndarray, folds: Folds) -> list[float]:
    Y = Y[:, Y.any(axis=0)]
    pairs = np.triu_indices(Y.shape[1], 1)
    pairs = tuple(each[(Y.T @ Y)[pairs] > 0] for each in pairs)

    def odds(part: np.ndarray) -> np.ndarray:
        return part.sum(axis=0) / (1 - part).sum(axis=0)

    def shares(part: np.ndarray) -> np.ndarray:
        return (part.T @ part)[pairs] / len(part)

    parts = [Y[fold] for fold in folds]
    sizes = list(map(len, folds))
    return [
        float(np.mean([np.abs(odds(part) - odds(Y)).mean() for part in parts])),
        float(np.mean([np.abs(shares(part) - shares(Y)).mean() for part in parts])),
        float(sum((part.sum(axis=0) == 0).sum() for part in parts)),
        float(max(sizes) - min(sizes)),
    ]


def main(names: list[str]) -> None:
    ways: dict[str, Callable[[np.ndarray, int], Folds]] = {
        **{str(by): lambda Y, seed, by=by: ours(Y, seed, by) for by in (None, *STRATIFIES)},
        "iterative-stratification": iterstrat,
        "scikit-multilearn-ng": skmultilearn,
    }
    print(f"{'data set':10} {'folds':25} {'LD':>8} {'LPD':>8} missing sizes differ  seconds")
    for name in names:
        Y = np.asarray(load_dataset(name).Y)
        for title, way in ways.items():
            start = time.process_time()
            found = np.mean([distances(Y, way(Y, seed)) for seed in range(SEEDS)], axis=0)
            seconds = (time.process_time() - start) / SEEDS
            ld, lpd, missing, differ = found
            print(
                f"{name:10} {title:25} {ld:8.5f} {lpd:8.5f} {missing:7.1f} {differ:12.1f} "
                f"{seconds:8.2f}"
            )


if __name__ == "__main__":
    main(sys.argv[1:] or list(DATASETS))
