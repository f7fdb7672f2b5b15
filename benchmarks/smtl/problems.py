"""The training data that the scripts in this folder share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from mlbench import load_dataset
from mlbench.protocol.preprocess import prepare
from mlbench.protocol.splitters import RandomSplits, tuning_folds


class Fold(NamedTuple):
    """Nine tenths of the training part, and the tenth that is left out."""

    X: np.ndarray
    Y: np.ndarray
    X_left_out: np.ndarray
    Y_left_out: np.ndarray


def training_part(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return X and Y of the first random 60 % of the rows, features standardized."""
    dataset = load_dataset(name)
    rows = _first_sixty_percent(dataset)
    return _standardized(dataset, rows, rows)[:2]


def fold_of_training_part(name: str) -> Fold:
    """Return nine tenths of that part, 54 % of the rows, and the tenth left out."""
    dataset = load_dataset(name)
    rows = _first_sixty_percent(dataset)
    fold = tuning_folds(len(rows), 10, ("smtl", name))[0]
    return _standardized(dataset, rows[fold.train], rows[fold.test])


def _first_sixty_percent(dataset) -> np.ndarray:
    return RandomSplits(train=0.6).divide(dataset, 0).train


def _standardized(dataset, rows: np.ndarray, left_out: np.ndarray) -> Fold:
    X = dataset.X.toarray() if sparse.issparse(dataset.X) else dataset.X
    X_rows, X_left_out = prepare(["standardize"], X[rows], X[left_out])
    Y = dataset.Y[:, np.ptp(dataset.Y[rows], axis=0) > 0]
    return Fold(X_rows, Y[rows], X_left_out, Y[left_out])
