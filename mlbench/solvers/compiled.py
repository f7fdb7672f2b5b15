"""Compile numerical functions where numba is at hand; elsewhere they run as they are written."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

SWITCH = "MLBENCH_NO_NUMBA"
"""Environment variable: where it is set, nothing is compiled."""


def compiled(function: Function) -> Function:
    """Return the function compiled by numba, or unchanged where numba is not to be had.

    The machine code is kept on disk, so that only a first run compiles. The source stays at
    hand as ``py_func`` in both cases.
    """
    if os.environ.get(SWITCH):
        function.py_func = function  # type: ignore[attr-defined]
        return function
    import numba

    compile_: Any = numba.njit(cache=True, nogil=True)
    result: Function = compile_(function)
    return result
