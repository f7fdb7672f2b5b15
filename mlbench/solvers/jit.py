"""Compile numerical functions with numba, unless that is switched off."""

import os
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from types import ModuleType
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

SWITCH = "MLBENCH_NO_NUMBA"
"""Environment variable: if it is set to anything but 0, nothing is compiled."""


def compiled(function: Function) -> Function:
    """Return the function compiled by numba, or unchanged if that is switched off.

    The machine code is cached on disk, so that only a first run compiles. The source is
    available as ``py_func`` in both cases.
    """
    return _compile(function, fastmath=False)


def compiled_sums(function: Function) -> Function:
    """Return the function compiled by numba, with sums in any order, several terms at a time.

    Rounding then depends on the machine, as it does in matrix products.
    """
    return _compile(function, fastmath={"reassoc", "contract", "nsz", "arcp"})


def _compile(function: Function, fastmath: Any) -> Function:
    if _is_switched_off():
        function.py_func = function  # type: ignore[attr-defined]
        return function
    numba = _numba()
    config: Any = numba.config
    chosen = config.CACHE_DIR
    folder = cache_folder()
    compile_: Any = numba.njit(cache=folder is not None, nogil=True, fastmath=fastmath)
    config.CACHE_DIR = folder or ""
    try:
        result: Function = compile_(function)
    finally:
        config.CACHE_DIR = chosen
    return result


@cache
def _numba() -> ModuleType:
    """Import numba without the settings in a file of the working folder, whoever it comes from."""
    import numba

    numba.core.config._config_fname = os.devnull
    reload_config: Any = numba.core.config.reload_config
    reload_config()
    return numba


def cache_folder() -> str | None:
    """Return the folder where machine code is kept; None if there is none, or nothing compiled."""
    return None if _is_switched_off() else _folder(os.environ.get("NUMBA_CACHE_DIR", ""))


def _is_switched_off() -> bool:
    return os.environ.get(SWITCH, "0") not in ("", "0")


@cache
def _folder(chosen: str) -> str | None:
    """Return the folder for the machine code of these sources.

    numba checks only the file of a function for changes, not the files of the functions that it
    calls. So every state of the sources has its own folder.

    Parameters
    ----------
    chosen : str
        The user's choice, ``NUMBA_CACHE_DIR``, if not empty.
    """
    home = Path(__file__).parent
    digest = sha256()
    for path in sorted(home.rglob("*.py")):
        digest.update(path.read_bytes())
    # Path.home raises if there is no home
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
