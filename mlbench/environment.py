"""The software and hardware behind a result, which may change its last digits."""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

import mlbench

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")
"""The libraries that compute the numbers of every method."""

OF_TIMES = ("processor", "jobs")
"""What a row tells for the sake of its times: the model of the processor, and how many cells the
run had at work at once on this machine. Its scores do not depend on them.
"""


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


def behind_scores(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what the scores of a row may depend on, without what its times alone depend on."""
    return {name: value for name, value in environment.items() if name not in OF_TIMES}


@cache
def processor() -> str | None:
    """Return the model of the processor, or None where the system does not tell."""
    try:
        if platform.system() == "Darwin":
            command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        else:
            text = Path("/proc/cpuinfo").read_text(errors="replace")
            found = re.search(r"^model name\s*:(.*)$", text, re.MULTILINE)
            text = found.group(1) if found else ""
    except (OSError, subprocess.SubprocessError):
        return None
    return " ".join(text.split()) or None
