"""``run`` when it is interrupted."""

from __future__ import annotations

import signal
import sys
from types import SimpleNamespace

import pytest

from mlbench.cli import progress, run
from mlbench.store import Scan


class Interrupted:
    """Stands for an executor whose user gives up at once."""

    def run(self, cells):
        raise KeyboardInterrupt
        yield


def test_nothing_is_drawn_after_an_interrupt_was_reported(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(
        progress.RunProgress, "__exit__", lambda *_: print("the bar ends", file=sys.stderr)
    )
    plan = SimpleNamespace(facts={}, cells=[])
    prepared = SimpleNamespace(plan=plan, out=tmp_path)
    with pytest.raises(SystemExit) as ended:
        run._execute(Interrupted(), prepared, [], Scan(), 1, 90, False)
    assert ended.value.code == 130
    first, *_, last = capsys.readouterr().err.split("\n", 1)
    assert first == "the bar ends"
    assert "the same command resumes" in last
