"""Linear classifiers of many labels that are fitted together, in place of scikit-learn's.

They minimize the same objective. Scikit-learn stops by a rule of its own, so its scores differ by
its tolerance; with few labels they are kept.
"""

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from math import inf

import numpy as np
from sklearn.base import BaseEstimator, clone

from mlbench.solvers.arrays import Ints, Matrix
from mlbench.solvers.linear_models import LinearModels

MANY = 500
"""From this number of labels on, labels are fitted together."""

BLOCK = 64
"""Labels that share products of X."""

TOLERANCE = 0.01
"""The largest duality gap relative to the objective, as a share of scikit-learn's ``tol``."""

Solver = Callable[[Matrix, Ints], LinearModels]


def shared_solver(base: BaseEstimator) -> Solver | None:
    """Return what fits many labels as a base learner would; None if it is no such learner."""
    kind = type(base).__name__ if type(base).__module__.startswith("sklearn.") else ""
    if kind == "LinearSVC":
        known = base.penalty == "l2" and base.loss == "squared_hinge" and base.class_weight is None
        numbers = (base.C, base.tol, base.intercept_scaling)
        if known and _all_positive(numbers) and base.multi_class == "ovr":
            from mlbench.solvers.hinge.working_sets import squared_hinge_classifiers  # numba

            constant = float(base.intercept_scaling) if base.fit_intercept else 0.0
            return partial(
                squared_hinge_classifiers,
                C=float(base.C),
                constant=constant,
                tolerance=TOLERANCE * base.tol,
            )
    if kind == "LogisticRegression":
        default = type(base)(
            C=base.C, tol=base.tol, max_iter=base.max_iter, fit_intercept=base.fit_intercept
        )
        others = ("n_jobs", "random_state", "verbose")  # without effect on lbfgs
        if _all_positive((base.C, base.tol)) and _same(base, default, others):
            from mlbench.solvers.newton.logistic import logistic_classifiers

            return partial(
                logistic_classifiers,
                C=float(base.C),
                fit_intercept=bool(base.fit_intercept),
                tolerance=TOLERANCE * base.tol,
            )
    return None


def fit_together(
    base: BaseEstimator, solve: Solver, X: Matrix, columns: Sequence[Ints]
) -> list[BaseEstimator]:
    """Return a fitted classifier for each column of 0 and 1, both of them present.

    A label that does not reach the tolerance is fitted by the base learner itself.
    """
    found = solve(X, np.column_stack(columns))
    template = clone(base)
    template.classes_ = np.arange(2)
    template.n_features_in_ = X.shape[1]
    models = []
    for place, column in enumerate(columns):
        if found.gap[place] > TOLERANCE * base.tol:
            models.append(clone(base).fit(X, column.astype(np.int64, copy=False)))
            continue
        model = copy(template)
        model.coef_ = found.coef[place : place + 1]
        model.intercept_ = found.intercept[place : place + 1]
        models.append(model)
    return models


def _all_positive(numbers: Sequence[float]) -> bool:
    return all(isinstance(each, int | float) and 0 < each < inf for each in numbers)


def _same(base: BaseEstimator, default: BaseEstimator, but: Sequence[str]) -> bool:
    mine, other = base.get_params(), default.get_params()
    return all(mine[name] == other[name] for name in mine if name not in but)
