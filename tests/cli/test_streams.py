from __future__ import annotations

import errno
import io
import sys

import pytest

from mlbench.cli import main
from mlbench.cli.streams import guarded_streams, unguarded
from mlbench.errors import MlbenchError


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[1mbold\x1b[0m \x1b[2;3mdim\x1b[0m\n", "\x1b[1mbold\x1b[0m \x1b[2;3mdim\x1b[0m\n"),
        ("\x1b]0;title\x07", "\\u001b]0;title\\u0007"),
        ("\x1b[2Jclear", "\\u001b[2Jclear"),
        ("\x1b[8mconcealed", "\\u001b[8mconcealed"),
        ("over\rwritten", "over\\u000dwritten"),
        ("a\tb\nλ 贝", "a\tb\nλ 贝"),
    ],
)
def test_a_terminal_sees_styles_and_no_other_codes(monkeypatch, text, shown):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    with guarded_streams():
        print(text, end="")
    assert terminal.getvalue() == shown


def test_a_file_sees_no_codes_at_all(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with guarded_streams():
        sys.stderr.writelines(["\x1b[1m", "bold\n"])
        assert unguarded(sys.stderr) is file
    assert file.getvalue() == "\\u001b[1mbold\n"
    assert sys.stderr is file


class FullDisk(io.StringIO):
    def flush(self):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_stream_that_cannot_be_written_is_named(monkeypatch):
    monkeypatch.setattr(sys, "stdout", FullDisk())
    with (
        guarded_streams(),
        pytest.raises(MlbenchError, match="standard output: No space left on device"),
    ):
        print("a table", flush=True)


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["methods", "list"]])
def test_a_command_without_output_ends_with_2(monkeypatch, capsys, words):
    monkeypatch.setattr(sys, "stdout", FullDisk())
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("error: standard output: No space left")
