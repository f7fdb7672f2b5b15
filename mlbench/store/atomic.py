"""Write files atomically: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

from mlbench.errors import MlbenchError

_TEMPORARY = re.compile(r"\..+\.mlbench-\d+-[0-9a-f]{8}\.tmp")
_STALE_AFTER_SECONDS = 24 * 3600


def write_atomically(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    """Write a file so that a reader, or a crash, sees the old one, the new one, or none.

    The content goes to a temporary name in the same folder, is flushed to the disk, and is
    then moved; the folder is flushed too. On failure the temporary file is removed.

    Raises
    ------
    OSError
        If the disk is full, or the folder cannot be written. It names the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.mlbench-{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            fill(file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(temporary)):
            error.filename = str(path)  # a full disk names none
        raise
    _flush_folder(path.parent)


def is_temporary(name: str) -> bool:
    """Tell whether a file has a name that :func:`write_atomically` gives while it writes."""
    return _TEMPORARY.fullmatch(name) is not None


def remove_stale_files(disk: Path, folders: Iterable[Path]) -> None:
    """Remove temporary files of :func:`write_atomically` that are more than a day old.

    The age is measured by the disk's clock, as read from a new file, because this machine's clock
    may differ.

    Parameters
    ----------
    disk : Path
        A folder there.
    folders : iterable of Path
        Where to look, and in all folders inside.
    """
    with tempfile.TemporaryFile(dir=disk) as file:
        now = os.fstat(file.fileno()).st_mtime
    for root in folders:
        for folder, _, names in os.walk(root):
            for path in (Path(folder, name) for name in names if is_temporary(name)):
                with contextlib.suppress(FileNotFoundError):
                    if now - path.stat().st_mtime > _STALE_AFTER_SECONDS:
                        path.unlink()


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically; see :func:`write_atomically`."""
    write_atomically(path, lambda file: file.write(text.encode()))


def write_output(path: Path, content: bytes) -> None:
    """Write a file that a user asked for, atomically.

    Raises
    ------
    MlbenchError
        It cannot be written.
    """
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            raise ValueError("it is a device or a pipe, which a file would replace")
        write_atomically(path, lambda file: file.write(content))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MlbenchError(
            f"{path}: cannot be written: {reason}; name a file in another folder"
        ) from None


def _flush_folder(folder: Path) -> None:
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
