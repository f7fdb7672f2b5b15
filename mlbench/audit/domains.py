"""Parameters whose values have an end, and those of which more costs more and gains less."""

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

SIZES = frozenset(
    (
        "n_rounds",
        "n_estimators",
        "n_models",
        "n_chains",
        "n_basis",
        "max_iter",
        "max_rules",
        "epochs",
        "m",
    )
)
"""Sizes of ensembles, and lengths of fits."""

WITHOUT_PARAMETERS = frozenset(["sklearn.dummy.DummyClassifier"])
"""Estimators with nothing to tune."""


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
