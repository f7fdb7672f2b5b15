"""A user who has been sent files, and has allowed nothing."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from mlbench.cli import main
from mlbench.registry.import_policy import VARIABLE, imports_allowed


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Call a command in a folder of files from a stranger, in this process."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.chdir(tmp_path)
    imports_allowed.cache_clear()
    yield lambda *words: CliRunner().invoke(main, words)
    imports_allowed.cache_clear()


@pytest.fixture
def write(tmp_path):
    """Write a file of the stranger's, given its text or its bytes."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
