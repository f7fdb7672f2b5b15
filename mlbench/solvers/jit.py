"""Compile numerical functions by numba; switched off, they run as they are written."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

SWITCH = "MLBENCH_NO_NUMBA"
"""Environment variable: where it is set, and not to 0, nothing is compiled."""


def compiled(function: Function) -> Function:
    """Return the function compiled by numba, or unchanged where that is switched off.

    The machine code is kept on disk, so that only a first run compiles. The source stays at
    hand as ``py_func`` in both cases.
    """
    return _compile(function, fastmath=False)


def compiled_sums(function: Function) -> Function:
    """Do the same, and let sums be added up in any order, several terms at a time.

    Rounding then depends on the machine, as it does in matrix products.
    """
    return _compile(function, fastmath={"reassoc", "contract", "nsz", "arcp"})


def _compile(function: Function, fastmath: Any) -> Function:
    if os.environ.get(SWITCH, "0") not in ("", "0"):
        function.py_func = function  # type: ignore[attr-defined]
        return function
    import numba

    config: Any = numba.config
    chosen = config.CACHE_DIR
    folder = _folder(chosen)
    compile_: Any = numba.njit(cache=folder is not None, nogil=True, fastmath=fastmath)
    config.CACHE_DIR = folder or ""
    try:
        result: Function = compile_(function)
    finally:
        config.CACHE_DIR = chosen
    return result


@cache
def _folder(chosen: str) -> str | None:
    """Return where to keep machine code of exactly these sources, or None if nowhere.

    numba sees by the file of a function whether its machine code is out of date, and overlooks
    changes in other files whose functions it calls. So each state of the sources has a folder.

    Parameters
    ----------
    chosen : str
        The user's choice, ``NUMBA_CACHE_DIR``, if not empty.
    """
    home = Path(__file__).parent
    digest = sha256()
    for path in sorted(home.rglob("*.py")):
        digest.update(path.read_bytes())
    # that of pathlib raises where there is no home
    user = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    for place in [chosen] if chosen else [home / "__pycache__", Path(user, "mlbench")]:
        folder = Path(place, f"compiled-{digest.hexdigest()[:16]}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return str(folder)
    return None
