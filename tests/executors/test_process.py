"""What is measured of the process of a cell."""

from __future__ import annotations

import os
import time

from mlbench.executors.process import cpu_seconds


def burn(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_cpu_time_counts_the_children_that_ended():
    start = cpu_seconds()
    burn(0.02)
    if (child := os.fork()) == 0:
        burn(0.02)
        os._exit(0)
    os.waitpid(child, 0)
    assert cpu_seconds() - start >= 0.04
