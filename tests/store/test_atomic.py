from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from mlbench.errors import MlbenchError
from mlbench.store.atomic import write_atomically, write_output, write_text
from tests.processes import PATIENCE


def test_a_file_is_written_and_its_folders_are_made(tmp_path):
    path = tmp_path / "a" / "b" / "x.json"
    write_text(path, "one")
    write_text(path, "zwei \u00e4")
    assert path.read_text(encoding="utf-8") == "zwei \u00e4"
    assert list(path.parent.iterdir()) == [path]


def test_a_pipe_or_a_device_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(MlbenchError, match="pipe: cannot be written: it is a device or a pipe"):
        write_output(tmp_path / "pipe", b"x")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize("error", [OSError("disk full"), ValueError(), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "x.json"
    write_text(path, "old")

    def fill(file):
        file.write(b"half of the n")
        raise error

    with pytest.raises(type(error)):
        write_atomically(path, fill)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_new_file_is_on_the_disk_before_it_takes_the_name(tmp_path, monkeypatch):
    events = []
    path = tmp_path / "x"
    sync, replace = os.fsync, type(path).replace

    def noting_sync(handle):
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        events.append("sync folder" if is_folder else "sync file")
        sync(handle)

    def noting_replace(self, target):
        events.append("replace")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", noting_sync)
    monkeypatch.setattr(type(path), "replace", noting_replace)
    write_text(path, "new")
    assert events == ["sync file", "replace", "sync folder"]


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from mlbench.store.atomic import write_text
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_text(Path(sys.argv[1]), "n" * 5000)
except OSError as error:
    print("refused:", error.strerror, error.filename)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs limits on the size of files")
def test_a_disk_that_is_full_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "x.json"
    write_text(path, "old")
    command = [sys.executable, "-c", FULL_DISK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout == f"refused: File too large {path}\n"
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
