from __future__ import annotations

import os
from pathlib import Path

import pytest

from mlbench.plain_files import NotPlainFileError, read_plain_file, read_plain_text


def test_a_plain_file_is_read(tmp_path):
    (tmp_path / "a").write_bytes(b"one\r\ntwo\n")
    assert read_plain_file(tmp_path / "a") == b"one\r\ntwo\n"
    assert read_plain_text(tmp_path / "a") == "one\ntwo\n"


def test_a_link_is_followed_only_if_asked(tmp_path):
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert read_plain_file(tmp_path / "link", follow=True) == b"one"
    with pytest.raises(NotPlainFileError, match="a symbolic link"):
        read_plain_file(tmp_path / "link")


@pytest.mark.parametrize("follow", [False, True])
def test_neither_pipes_nor_devices_are_read(tmp_path, follow):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(NotPlainFileError, match="not a regular file"):
            read_plain_file(path, follow)


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    with pytest.raises(NotPlainFileError, match="NUL"):
        read_plain_file(tmp_path / "a\0b")
    with pytest.raises(OSError, match="too long"):
        read_plain_file(tmp_path / ("a" * 300))


def test_text_in_another_encoding_is_refused_with_its_line(tmp_path):
    (tmp_path / "a").write_bytes("\ufeffone\ntwö\n".encode("utf-8"))
    assert read_plain_text(tmp_path / "a", encoding="utf-8-sig") == "one\ntwö\n"
    (tmp_path / "a").write_bytes("\ufeffone\n".encode("utf-8") + "twö\n".encode("latin-1"))
    for encoding in ("utf-8", "utf-8-sig"):
        with pytest.raises(
            NotPlainFileError, match=r"not a text file in UTF-8 \(byte 0xf6 in line 2"
        ):
            read_plain_text(tmp_path / "a", encoding=encoding)
