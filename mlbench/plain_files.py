"""Read files that come from elsewhere: no pipe or device is waited for."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


class NotPlainFileError(OSError):
    """Something that is no plain file where one should be."""

    def __init__(self, problem: str) -> None:
        super().__init__(errno.EINVAL, problem)


def read_plain_file(path: Path, follow: bool = False) -> bytes:
    """Return the content of a plain file.

    Parameters
    ----------
    path : Path
    follow : bool
        Whether it may be a symbolic link, as a file that a user names may.

    Raises
    ------
    NotPlainFileError
        If it is a symbolic link, a pipe or a device.
    OSError
        If it cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(path, flags)
    except ValueError:
        raise NotPlainFileError("a name with a NUL character") from None
    except OSError as error:
        if error.errno == errno.ELOOP and not follow:
            raise NotPlainFileError("a symbolic link, which is not followed here") from None
        raise
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(mode):
            raise NotPlainFileError("not a regular file")
        with open(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def read_plain_text(path: Path, follow: bool = False, encoding: str = "utf-8") -> str:
    """Return the content of a plain text file in UTF-8, with the line ends of Unix.

    Raises
    ------
    OSError
        As for :func:`read_plain_file` and :func:`decoded`.
    """
    text = decoded(read_plain_file(path, follow), encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decoded(content: bytes, encoding: str = "utf-8") -> str:
    """Return the text that a file has.

    Raises
    ------
    NotPlainFileError
        If it is not in UTF-8; the message has the line.
    """
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = f"byte {error.object[error.start]:#04x} in line {line}"
        raise NotPlainFileError(f"not a text file in UTF-8 ({byte})") from None
