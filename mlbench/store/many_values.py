"""The garbage collector paused while many values are read."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def many_values() -> Iterator[None]:
    """Read many values without a search for cycles, of which they have none, after every few."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
