"""What is measured of the process of a cell."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from mlbench.executors import process
from mlbench.executors.process import cpu_seconds, descendants, exceeds_memory


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


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
def test_shared_memory_is_told_apart_only_where_memory_could_be_too_much(monkeypatch):
    read = []
    status_bytes = process._status_bytes

    def watched(file, *others):
        read.append(file)
        return status_bytes(file, *others)

    monkeypatch.setattr(process, "_status_bytes", watched)
    assert not exceeds_memory(os.getpid(), 1e9)
    assert "smaps_rollup" not in read
    assert exceeds_memory(os.getpid(), 1)
    assert "smaps_rollup" in read


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's /proc")
def test_a_process_that_ends_while_its_threads_are_read_has_no_children(monkeypatch):
    def ended(folder):
        raise ProcessLookupError(3, "No such process", folder)

    monkeypatch.setattr(Path, "iterdir", ended)
    assert [*descendants(os.getpid())] == []
