"""Versions of the libraries that compute the numbers of every method."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")


@cache
def library_versions() -> dict[str, str]:
    """Return the version of each of `LIBRARIES`."""
    return {name: version(name) for name in LIBRARIES}
