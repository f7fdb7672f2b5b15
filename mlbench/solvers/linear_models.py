"""Linear functions of the same features, one for each of many labels."""

from typing import NamedTuple

from mlbench.solvers.arrays import Floats


class LinearModels(NamedTuple):
    """One linear function per label, and how close each is to the best one."""

    coef: Floats
    """(k, d)"""
    intercept: Floats
    """(k,)"""
    gap: Floats
    """(k,): how far an objective is at most above the least one, relative to it."""
