"""A run that is interrupted."""

from __future__ import annotations

import signal
import sys
from types import SimpleNamespace

import pytest

from mlbench.api.progress import RunProgress
from mlbench.api.run_cells import Run, UnfinishedError
from mlbench.store import Scan, Store


class Interrupted:
    """Stands for an executor whose user gives up at once."""

    def run(self, cells):
        raise KeyboardInterrupt
        yield


def test_nothing_is_drawn_after_an_interrupt_was_reported(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mlbench.api.run_cells.compile_ahead", lambda *_: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(RunProgress, "__exit__", lambda *_: print("the bar ends", file=sys.stderr))
    cell = SimpleNamespace(key="a", name="digits/A/0")
    prepared = SimpleNamespace(plan=SimpleNamespace(facts={}, cells=[]), out=tmp_path)
    run = Run(prepared, Store(tmp_path), [cell], Scan(), [cell])
    run.costs = SimpleNamespace(in_order=list, group=lambda cell: cell.key)
    with pytest.raises(UnfinishedError, match="the same command resumes") as ended:
        run.execute(Interrupted(), 1, False, sys.stderr, 90)
    assert ended.value.by_interrupt
    assert capsys.readouterr().err == "the bar ends\n"
