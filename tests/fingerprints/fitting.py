"""What is read from estimators of other packages, and which parameters a search chooses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.linear_model import RidgeClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from . import imports as mlbench

Cases = dict[str, dict[str, Any]]


def _data() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.RandomState(31)
    X = random.randn(36, 3)
    return X, (X + 0.8 * random.randn(36, 3) > 0.2).astype(np.int64)


def estimator_outputs() -> Cases:
    """Fit estimators that give scores in all forms, and read scores and labels."""
    X, Y = _data()
    one_class = Y.copy()
    one_class[:, 1] = 1
    given = {
        "decision function": (RidgeClassifier(), Y),
        "array of probabilities": (ClassifierChain(GaussianNB()), Y),
        "list of probabilities": (MultiOutputClassifier(GaussianNB()), Y),
        "one class in a label": (KNeighborsClassifier(3), one_class),
        "one label": (GaussianNB(), Y[:, :1]),
    }
    found = {}
    for name, (model, labels) in given.items():
        fitted = mlbench.estimator_adapter.fit(model, X, labels)
        scores, predicted = mlbench.estimator_adapter.outputs(fitted, X[:9] / 2)
        found[name] = {"scores": scores, "labels": predicted.astype(float)}
    return found


def parameter_search() -> Cases:
    """Choose parameters for several metrics, and score rows that are held out."""
    X, Y = _data()
    part = mlbench.Part(X, Y, None, np.arange(len(X)))
    folds = mlbench.tuning_folds(len(X), 3, (3, "name", 0))
    within = mlbench.CrossValidation(
        part, folds, mlbench.Preparation(("standardize",)), mlbench.estimator_adapter
    )
    grid = [{"n_neighbors": k, "weights": "distance"} for k in (15, 1, 5, 9)]
    checkpoint = SimpleNamespace(load=lambda name: None, save=lambda name, value: None)
    found: Cases = {}
    for metric in ("macro_f1", "hamming_loss", "macro_auc"):
        for patience in (None, 1):
            model = KNeighborsClassifier()
            tuned = mlbench.tune(model, grid, within, metric, checkpoint, patience)
            words = metric if patience is None else f"{metric}, impatient"
            scores = np.array(tuned.scores, dtype=float)
            found[words] = {"best": tuned.best, "scores": scores, "stopped": tuned.stopped}
    held_out = mlbench.held_out_scores(lambda: KNeighborsClassifier(3), within)
    found["held out"] = {"scores": held_out}
    return found
