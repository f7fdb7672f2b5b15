"""Download one address into a partial file, and give up on a server that is slow or absurd."""

import itertools
import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import IO

from mlbench.data import transfer

OnProgress = Callable[[int, int | None], None]

ATTEMPTS = 4
MAX_BYTES = 4 * 2**30
_CHUNK = 2**16
_SLOWEST = 1024


class MirrorError(Exception):
    """One address failed to serve the file."""


class InterruptedTransferError(MirrorError):
    """The transfer ended early; the partial file is kept, and the rest can be requested."""


class Watch:
    """Tells when to give up on an address.

    Parameters
    ----------
    stall : float
        Seconds in which at least a kilobyte of the file must come.
    deadline : float
        Seconds for all of it.
    """

    def __init__(self, stall: float, deadline: float) -> None:
        self._stall, self._deadline = stall, deadline
        self.start()

    def start(self) -> None:
        """Begin with another address."""
        now = time.monotonic()
        self._ends, self._stalls, self._received = now + self._deadline, now + self._stall, -1

    def received(self, size: int) -> None:
        """Note that the server answered, and sent a part of the file."""
        self._received = max(self._received, 0) + size
        if self._received >= _SLOWEST:
            self._received, self._stalls = 0, time.monotonic() + self._stall

    def seconds_left(self) -> float:
        """Return how long to wait for the next part.

        Raises
        ------
        MirrorError
            If it has been long enough.
        """
        now = time.monotonic()
        if now > self._ends:
            raise MirrorError(f"was not finished within {self._deadline:g} s; gave up")
        if now > self._stalls and self._received < 0:
            raise MirrorError(f"no answer within {self._stall:g} s; gave up")
        if now > self._stalls:
            raise MirrorError(f"sent only {self._received} bytes in {self._stall:g} s; gave up")
        return min(self._ends, self._stalls) - now


def download(url: str, part: Path, report: OnProgress, watch: Watch) -> None:
    """Append to the partial file until it is complete, retrying after interruptions.

    Parameters
    ----------
    url
        The address.
    part
        What came so far, if anything.
    report
        Called with the bytes received, and the total if the server tells it.
    watch
        Tells when to give up.

    Raises
    ------
    MirrorError
        If the address does not serve the file; what came is kept.
    OSError
        If the file cannot be written.
    """
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _transfer(url, part, report, watch)
        except InterruptedTransferError as error:
            if attempt == ATTEMPTS:
                raise MirrorError(f"{error}, {ATTEMPTS} times") from error
    return None


def _transfer(url: str, part: Path, report: OnProgress, watch: Watch) -> None:
    """Request the rest of the file, in another process that ends when this returns."""
    have = part.stat().st_size if part.exists() else 0
    command = [sys.executable, "-P", transfer.__file__, url, str(have)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            chunks = _chunks(process.stdout, watch)
            line, content = _first_line(chunks)
            if not line:
                words = process.stderr.read().decode(errors="replace")
                if process.wait() == transfer.INTERRUPTED:
                    raise InterruptedTransferError(f"was interrupted before it answered ({words})")
                raise MirrorError(f"cannot be reached: {words}")
            answer = transfer.Response(**json.loads(line))
            _refuse(answer, have, part)
            total = None if answer.length is None else answer.start + answer.length
            done = answer.start
            with part.open("r+b" if done else "wb") as stream:
                stream.seek(done)
                for chunk in itertools.chain([content], chunks):
                    stream.write(chunk)
                    done += len(chunk)
                    watch.received(len(chunk))
                    if done > MAX_BYTES:
                        raise MirrorError(f"sends more than {MAX_BYTES} bytes; gave up")
                    report(done, total)
            if process.wait() != 0:
                of_all = "" if total is None else f" of {total}"
                raise InterruptedTransferError(f"was interrupted after {done}{of_all} bytes")
        finally:
            process.kill()


def _chunks(pipe: IO[bytes], watch: Watch) -> Iterator[bytes]:
    """Yield what comes through a pipe until its end, as long as the watch allows."""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if selector.select(watch.seconds_left()):
                chunk = os.read(pipe.fileno(), _CHUNK)
                if not chunk:
                    return
                yield chunk


def _first_line(chunks: Iterator[bytes]) -> tuple[bytes, bytes]:
    """Return the first line, which is empty if there is none, and what came after it."""
    head = b""
    for chunk in chunks:
        head += chunk
        line, end, rest = head.partition(b"\n")
        if end:
            return line, rest
    return b"", b""


def _refuse(answer: transfer.Response, have: int, part: Path) -> None:
    """Refuse what is not the file, or not the part of it that was requested."""
    if answer.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
        part.unlink()
        raise InterruptedTransferError("has fewer bytes than the partial file")
    if answer.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
        raise MirrorError(f"answered {answer.status} {answer.reason[:80]}")
    if answer.start not in (0, have):
        raise MirrorError(f"sent bytes from {answer.start}, but {have} was requested")
    if answer.length is not None and answer.length > MAX_BYTES:
        raise MirrorError(f"would send {answer.length} bytes, more than {MAX_BYTES}; gave up")
