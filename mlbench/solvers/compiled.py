"""Compile numerical functions by numba; switched off, they run as they are written."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

SWITCH = "MLBENCH_NO_NUMBA"
"""Environment variable: where it is set, nothing is compiled."""


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
    if os.environ.get(SWITCH):
        function.py_func = function  # type: ignore[attr-defined]
        return function
    import numba

    compile_: Any = numba.njit(cache=True, nogil=True, fastmath=fastmath)
    result: Function = compile_(function)
    return result
