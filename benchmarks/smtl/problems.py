"""The training data that the scripts of this folder share."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from mlbench import load_dataset
from mlbench.protocol.preprocess import prepare
from mlbench.protocol.splits import make_split, tuning_folds


def training_part(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return X and Y of the first random 60 % of the rows, features standardised."""
    dataset = load_dataset(name)
    return _standardised(dataset, _first_sixty_percent(dataset))


def fold_of_training_part(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return X and Y of nine tenths of that part: 54 % of the rows."""
    dataset = load_dataset(name)
    rows = _first_sixty_percent(dataset)
    return _standardised(dataset, rows[tuning_folds(len(rows), 10, ("smtl", name))[0].train])


def _first_sixty_percent(dataset) -> np.ndarray:
    spec = {"kind": "random", "seed": 0, "index": 0, "train": 0.6}
    return make_split(spec, dataset.X.shape[0], dataset.name).train


def _standardised(dataset, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    X = dataset.X[rows].toarray() if sparse.issparse(dataset.X) else dataset.X[rows]
    Y = dataset.Y[rows]
    return prepare(["standardize"], X, X[:1])[0], Y[:, (Y[0] != Y).any(axis=0)]
