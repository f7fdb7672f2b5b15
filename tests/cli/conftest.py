from __future__ import annotations

import pytest
from click.testing import CliRunner

from mlbench.cli import main


@pytest.fixture
def call(monkeypatch):
    """Call a command that only reads, in this process and in a folder, which takes no second."""

    def call(folder, *words):
        monkeypatch.chdir(folder)
        monkeypatch.setenv("MLBENCH_CACHE", str(folder / "cache"))
        return CliRunner().invoke(main, words)

    return call
