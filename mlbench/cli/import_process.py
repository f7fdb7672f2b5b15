"""A process in which methods are imported, so that a command survives whatever an import does."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from enum import StrEnum
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NoReturn, ParamSpec, TypeVar, get_type_hints

from pydantic import TypeAdapter, ValidationError

from mlbench.errors import MethodError, MlbenchError
from mlbench.executors.process import die_with_parent
from mlbench.registry.import_policy import is_trusted
from mlbench.registry.loading import announce_imports

P = ParamSpec("P")
R = TypeVar("R")

VARIABLE = "MLBENCH_IMPORT_TIMEOUT"
"""Environment variable: the seconds after which an import is ended."""
_DEFAULT_SECONDS = 120.0


class _Told(StrEnum):
    """What a message from the process is."""

    IMPORTS = "imports"
    RETURNED = "returned"
    REFUSED = "refused"
    FAILED = "failed"


def call_isolated(function: Callable[P, R], /, *arguments: P.args, **named: P.kwargs) -> R:
    """Call a function of mlbench in a process of its own; see :meth:`ImportProcess.call`."""
    with import_process() as process:
        return process.call(function, *arguments, **named)


@contextlib.contextmanager
def import_process() -> Iterator[ImportProcess]:
    """Start a process for what a command has to import, and kill it at the end of the block."""
    process = ImportProcess()
    try:
        yield process
    finally:
        process.end()


class ImportProcess:
    """Calls functions that import code of others, in a process forked from this one.

    What is imported in one call is there in the next. What comes back is text, so that no object
    of the imported code is loaded here.

    Attributes
    ----------
    timeout : float or None
        How many seconds an import, and what follows until the next, may take.
    """

    def __init__(self) -> None:
        self.timeout: float | None = _seconds()
        self._connection, theirs = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid == 0:
            self._connection.close()
            _serve(theirs)
        theirs.close()

    def call(self, function: Callable[P, R], /, *arguments: P.args, **named: P.kwargs) -> R:
        """Return what a function of mlbench returns, if it is of the type that it states.

        Raises
        ------
        MethodError
            What was imported is refused, took too long, failed, or ended the process.
        """
        with contextlib.suppress(OSError):  # it is noticed below that the process has ended
            self._connection.send((function, arguments, named))
        target = "the experiment's code"
        while True:
            if not self._connection.poll(self.timeout):
                raise MethodError(
                    f"{target}: importing it took longer than {self.timeout:g} s; if it needs "
                    f"more, set {VARIABLE} to a number of seconds"
                )
            try:
                kind, text = json.loads(self._connection.recv_bytes())
                if kind == _Told.RETURNED:
                    value: R = _returned_by(function).validate_json(text)
                    return value
            except (EOFError, OSError):
                raise MethodError(f"{target}: importing it {self._how_it_ended()}") from None
            except (ValueError, ValidationError):
                raise MethodError(f"{target}: what it tells of itself cannot be read") from None
            if kind == _Told.IMPORTS:
                target = text
            else:
                raise MethodError(text if kind == _Told.REFUSED else f"{target}: {text}")

    def end(self) -> None:
        """Kill the process and wait for it."""
        self._connection.close()
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)

    def _how_it_ended(self) -> str:
        os.kill(self._pid, signal.SIGKILL)  # if it has only closed the connection
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        if code < 0:
            return f"ended the process by signal {-code}"
        return f"ended the process with exit code {code}"


def _returned_by(function: Callable[..., object]) -> TypeAdapter[Any]:
    return TypeAdapter(get_type_hints(function)["return"])


def _seconds() -> float:
    try:
        return float(os.environ.get(VARIABLE, ""))
    except ValueError:
        return _DEFAULT_SECONDS


def _serve(connection: Connection) -> NoReturn:
    """Call the functions that arrive; this process ends in no other way."""
    pid = os.getpid()
    try:
        die_with_parent()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        announce_imports(lambda target: _announce(connection, target))
        while True:
            function, arguments, named = connection.recv()
            answer = _answer(function, arguments, named)
            sys.stdout.flush()
            sys.stderr.flush()
            if os.getpid() == pid:
                connection.send_bytes(answer)
            else:  # what was imported has forked, and this is the child
                break
    except EOFError:
        pass
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _announce(connection: Connection, target: str) -> None:
    if not is_trusted(target):
        connection.send_bytes(_message(_Told.IMPORTS, target))


def _answer(function: Callable[..., object], arguments: Any, named: Any) -> bytes:
    try:
        value = function(*arguments, **named)
        return _message(_Told.RETURNED, _returned_by(function).dump_json(value).decode())
    except MlbenchError as error:
        return _message(_Told.REFUSED, str(error))
    except BaseException as error:  # also KeyboardInterrupt, which only the code can raise here
        return _message(_Told.FAILED, f"{type(error).__name__}: {error}")


def _message(kind: _Told, text: str) -> bytes:
    return json.dumps([kind, text]).encode()
