"""A process in which methods are imported, so that a command survives whatever an import does."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, NoReturn, ParamSpec, TypeVar

from mlbench.errors import MethodError, MlbenchError
from mlbench.executors.process import die_with_parent
from mlbench.registry.import_policy import may_import_foreign_code
from mlbench.registry.loading import announce_imports

P = ParamSpec("P")
R = TypeVar("R")

VARIABLE = "MLBENCH_IMPORT_TIMEOUT"
"""Environment variable: the seconds after which an import is ended."""
_DEFAULT_SECONDS = 120.0


@dataclass(frozen=True)
class _Importing:
    target: str


@dataclass(frozen=True)
class _Returned:
    value: Any


@contextlib.contextmanager
def import_process() -> Iterator[ImportProcess]:
    """Start a process for what a command has to import, and kill it at the end of the block."""
    process = ImportProcess()
    try:
        yield process
    finally:
        process.end()


class ImportProcess:
    """Calls functions in a forked process where they may import code of others.

    What is imported in one call is there in the next. Where nothing of the kind may be imported,
    functions are called in this process.

    Attributes
    ----------
    timeout : float or None
        How many seconds an import, and what follows until the next, may take.
    """

    def __init__(self) -> None:
        self.timeout: float | None = _seconds()
        self._pid: int | None = None
        if not may_import_foreign_code():
            return
        self._connection, theirs = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if self._pid == 0:
            self._connection.close()
            _serve(theirs)
        theirs.close()

    def call(self, function: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        """Return what a function of mlbench returns, which must hold no object of other code.

        Raises
        ------
        MethodError
            An import took too long, or ended the process; the message names what was imported.
        Exception
            What the function raises.
        """
        if self._pid is None:
            return function(*arguments, **named)
        self._connection.send((function, arguments, named))
        target = "the experiment's code"
        while True:
            if not self._connection.poll(self.timeout):
                raise MethodError(
                    f"{target}: importing it took longer than {self.timeout:g} s; if it needs "
                    f"more, set {VARIABLE} to a number of seconds"
                )
            try:
                answer = _Unpickler(io.BytesIO(self._connection.recv_bytes())).load()
            except (EOFError, OSError):
                raise MethodError(f"{target}: importing it {self._how_it_ended()}") from None
            if isinstance(answer, Exception):
                raise answer
            if isinstance(answer, _Returned):
                value: R = answer.value
                return value
            target = answer.target

    def end(self) -> None:
        """Kill the process and wait for it."""
        if self._pid is not None:
            self._connection.close()
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._pid = None

    def _how_it_ended(self) -> str:
        assert self._pid is not None
        os.kill(self._pid, signal.SIGKILL)  # if it has only closed the connection
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        self._pid = None
        if code < 0:
            return f"ended the process by signal {-code}"
        return f"ended the process with exit code {code}"


class _Unpickler(pickle.Unpickler):
    """Finds only what is part of mlbench, or loaded here already: it imports no code of others."""

    def find_class(self, module: str, name: str) -> Any:
        if module in sys.modules or module.startswith("mlbench."):
            return super().find_class(module, name)
        raise MlbenchError(f"{module}.{name} of another process cannot be used here")


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
        announce_imports(lambda target: connection.send(_Importing(target)))
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


def _answer(function: Callable[..., Any], arguments: Any, named: Any) -> bytes:
    try:
        return pickle.dumps(_Returned(function(*arguments, **named)))
    except Exception as error:
        with contextlib.suppress(Exception):
            return pickle.dumps(error)
        return pickle.dumps(MlbenchError(f"{type(error).__name__}: {error}"))
