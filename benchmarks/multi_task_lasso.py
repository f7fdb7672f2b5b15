"""Whole paths of mtl_reg against scikit-learn's and skglm's lasso, on the same rows.

All 58 values of Ke et al.'s grid on the rows of one fold; each solver is warm-started and has a
tolerance of 1e-6. skglm is left out where it is not installed. No other
library solves the trace norm: it is compared with gradient steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
from ratios import Ratio, measure
from sklearn.linear_model import Lasso, MultiTaskLasso
from sklearn.preprocessing import StandardScaler

from mlbench.config.grids import NAMED_GRIDS
from mlbench.data.load import load_dataset
from mlbench.methods.multitask.mtl_reg import MTLReg
from mlbench.solvers.design import Design
from mlbench.solvers.penalties import PENALTIES
from mlbench.solvers.proximal.fista import fista
from mlbench.solvers.proximal.least_squares import LeastSquares

try:
    import skglm
except ImportError:
    skglm = None

Path = Callable[[np.ndarray, np.ndarray, str], str]

LAMS = NAMED_GRIDS["ke-grid"]
TOL = 1e-6


def rows_of(name, standardized):
    """Return the rows of one of ten folds of a 60 % split, and their labels of two classes."""
    data = load_dataset({"use": name})
    rows = np.random.RandomState(0).permutation(len(data.Y))[: int(0.54 * len(data.Y))]
    X = data.X.toarray() if hasattr(data.X, "toarray") else data.X
    X, Y = np.asarray(X[rows], float), data.Y[rows]
    Y = Y[:, Y.min(axis=0) != Y.max(axis=0)]
    return (StandardScaler().fit_transform(X) if standardized else X), Y


def ours(X, Y, penalty):
    grid = [{"penalty": penalty, "lam": lam} for lam in LAMS]
    models = [model for _, model in MTLReg(tol=TOL).fit_path(X, Y, grid)]
    return f"{sum(model.converged_ for model in models)} of {len(LAMS)}"


def gradient_steps(X, Y, penalty):
    y = (2.0 * Y - 1).T.ravel()
    squares = LeastSquares(Design(X, Y.shape[1]), y, True)
    problem = squares.spectral()[0] if penalty == "trace" else squares.quadratic()
    W, certified = np.zeros_like(problem.linear), 0
    for lam in LAMS:
        found = fista(problem, PENALTIES[penalty], 1 / lam, W, TOL)
        W, certified = found.W, certified + (found.limit is None)
    return f"{certified} of {len(LAMS)}"


def lasso_of(library) -> Path:
    def path(X, Y, penalty):
        if penalty == "l21":
            kind = MultiTaskLasso if library == "scikit-learn" else skglm.MultiTaskLasso
            models, targets = [kind(tol=TOL, warm_start=True, max_iter=10_000)], [2.0 * Y - 1]
        else:
            kind = Lasso if library == "scikit-learn" else skglm.Lasso
            models = [kind(tol=TOL, warm_start=True, max_iter=10_000) for _ in Y.T]
            targets = list(2.0 * Y.T - 1)
        for model, target in zip(models, targets, strict=True):
            for lam in LAMS:
                model.set_params(alpha=1 / (lam * len(X))).fit(np.asfortranarray(X), target)
        return ""

    return path


def ratios(full: bool) -> Iterator[Ratio]:
    rivals = {"scikit-learn": lasso_of("scikit-learn")}
    if skglm is not None:
        rivals["skglm"] = lasso_of("skglm")
    datasets = ("emotions", "yeast", "scene", "optdigits") if full else ("emotions",)
    for name, scaling in product(datasets, ("standardized", "raw") if full else ("standardized",)):
        X, Y = rows_of(name, scaling == "standardized")
        for penalty in PENALTIES:
            if penalty == "trace":
                yield against("gradient steps", gradient_steps, X, Y, penalty, f"{name}, {scaling}")
                continue
            for rival, path in rivals.items():
                yield against(rival, path, X, Y, penalty, f"{name}, {scaling}")


def against(rival: str, path: Path, X, Y, penalty: str, where: str) -> Ratio:
    return measure(
        f"`mtl_reg`, {penalty}, {len(LAMS)} values, {where}",
        rival,
        lambda: ours(X, Y, penalty),
        lambda: path(X, Y, penalty),
        lambda certified, theirs: f"certified: {certified}" + (theirs and f", {theirs}"),
    )
