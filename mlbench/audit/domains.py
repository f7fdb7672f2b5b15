"""Parameters whose values have an end, and those of which more costs more and gains less.

They are told by name. The classes of methods cannot say it: results are audited where neither the
methods nor their packages may be there, and no report loads them.
"""

from __future__ import annotations

from collections.abc import Sequence

FRACTIONS = frozenset(
    (
        "r",
        "kappa",
        "ratio",
        "rho",
        "l1_ratio",
        "max_features",
        "max_samples",
        "subsample",
        "dropout",
    )
)
"""Shares: where all values are at most 1, they lie between 0 and 1."""

DIMENSIONS = frozenset(["r", "n_components", "dimension"])
"""Numbers of directions, at most that of the features."""

STEPS = frozenset(
    ("steps", "max_steps", "max_iter", "n_iter", "max_rounds", "max_sweeps", "epochs", "max_epochs")
)
"""Lengths of fits."""

SIZES = STEPS | {
    "n_rounds",
    "n_estimators",
    "n_models",
    "n_chains",
    "n_basis",
    "max_rules",
    "m",
}
"""Sizes of ensembles, and lengths of fits."""

DEFAULT_LOSSES = {"smtl": "f1", "struct_svm": "auc"}
"""The loss of a method whose parameters do not state it."""

FLOORS = frozenset(["sklearn.dummy.DummyClassifier"])
"""Estimators that look at no feature: with nothing to tune, and nobody's rivals."""


_NO_SEARCHES = ("CalibratedClassifierCV", "TunedThresholdClassifierCV")


def searches_by_itself(name: str) -> bool:
    """Tell whether an estimator of scikit-learn chooses parameters by folds of its own."""
    return name.startswith("sklearn.") and name.endswith("CV") and not name.endswith(_NO_SEARCHES)


def is_end_of_domain(
    parameter: str, values: Sequence[float], is_largest: bool, n_features: int
) -> bool:
    """Return whether a grid ends where the values that are possible do.

    Also where less is left beyond the end than the last step of the grid.

    Parameters
    ----------
    parameter : str
        Its name, without those of the estimators around it.
    values : sequence of float
        Of the grid, in order; two or more.
    is_largest : bool
        Which end.
    n_features : int
        Of the data set.
    """
    if not is_largest:
        is_count = all(float(value).is_integer() and value >= 1 for value in values)
        return values[0] == 0 or (is_count and values[0] == 1)
    if parameter in FRACTIONS and values[-1] <= 1:
        end = 1.0
    elif parameter in DIMENSIONS:
        end = float(n_features)
    else:
        return False
    return end - values[-1] < values[-1] - values[-2]
