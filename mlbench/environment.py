"""The software and hardware behind a result, which may change its last digits."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version

import mlbench

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
"""The libraries that compute the numbers of every method."""


@cache
def library_versions() -> dict[str, str]:
    """Return the version of each of `LIBRARIES`."""
    return {name: version(name) for name in LIBRARIES}


@cache
def environment() -> dict[str, str]:
    """Return the versions of Python, the numerical libraries and BLAS, and the machine type."""
    from threadpoolctl import threadpool_info

    blas = {
        f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')}".strip()
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    }
    return {
        "mlbench": mlbench.__version__,
        "python": platform.python_version(),
        **library_versions(),
        "blas": ", ".join(sorted(blas)) or "unknown",
        "machine": f"{platform.system()} {platform.machine()}",
    }
