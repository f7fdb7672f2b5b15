"""Metrics against scikit-learn's, which give the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
from ratios import Ratio, equal_within, measure
from sklearn import metrics as sk

from mlbench.metrics import score

SHAPES = ((502, 174), (5000, 374))
SKLEARN = {
    "macro_auc": sk.roc_auc_score,
    "macro_f1": partial(sk.f1_score, average="macro"),
    "ranking_loss@sklearn": sk.label_ranking_loss,
    "average_precision@sklearn": sk.label_ranking_average_precision_score,
}


def split(shape: tuple[int, int], ties: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw truth, scores, and labels."""
    rng = np.random.default_rng(0)
    Y = (rng.random(shape) < 0.05).astype(int)
    Y[0], Y[1] = 0, 1
    scores = rng.normal(size=shape) + Y
    if ties:
        scores = np.round(scores, 1)
    return Y, scores, (scores > 1.5).astype(int)


def ratios(full: bool) -> Iterator[Ratio]:
    for shape, ties in product(SHAPES, (False, True) if full else (False,)):
        for name, theirs in SKLEARN.items():
            yield against(name, theirs, shape, ties)


def against(name: str, theirs: Callable, shape: tuple[int, int], ties: bool) -> Ratio:
    Y, S, L = split(shape, ties)
    predicted = L if name == "macro_f1" else S
    return measure(
        f"`{name}`, {shape[0]} x {shape[1]}" + (", tied" if ties else ""),
        "scikit-learn",
        lambda: score(name, Y, S, L),
        lambda: theirs(Y, predicted),
        equal_within(1e-9),
    )
