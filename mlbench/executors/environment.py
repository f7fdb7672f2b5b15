"""The software and hardware behind a result, which may change its last digits."""

from __future__ import annotations

import platform
from functools import cache

from threadpoolctl import threadpool_info

import mlbench
from mlbench.library_versions import library_versions


@cache
def environment() -> dict[str, str]:
    """Return the versions of Python, the numerical libraries and BLAS, and the machine type."""
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
