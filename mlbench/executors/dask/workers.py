"""The workers of a Dask cluster that may work for a run: those that have its code."""

from __future__ import annotations

import contextlib
import logging
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mlbench.errors import MlbenchError

CONNECT_SECONDS = 10
LOOK_SECONDS = 1.0


class Crew:
    """A connection to a Dask cluster, and its workers that have the code of this process.

    Parameters
    ----------
    scheduler : str, optional
        The address of a running scheduler; without it, a cluster is started on this machine.
    notice : callable
        Told, in words, what a user should know while the run goes on.

    Attributes
    ----------
    client : distributed.Client
        While connected.
    threads : dict of str to int
        The threads of each worker, by its address, as of the last look.

    Raises
    ------
    MlbenchError
        If dask.distributed is not installed.
    """

    def __init__(self, scheduler: str | None, notice: Callable[[str], None]) -> None:
        self.client: Any = None
        self.threads: dict[str, int] = {}
        self._scheduler = scheduler
        self._notice = notice
        self._distributed = _import_distributed()
        self._accepted: set[str] = set()
        self._refused: dict[str, str] = {}
        self._looked = 0.0

    @contextlib.contextmanager
    def connected(self, jobs: int, run: str) -> Iterator[None]:
        """Be connected; at the end, what the run has left on the workers is ended.

        Parameters
        ----------
        jobs : int
            How many workers to start, if there is no cluster yet.
        run : str
            The name of the run, as its orders have it.

        Raises
        ------
        ConnectionError
            If there is no scheduler.
        """
        with contextlib.ExitStack() as stack:
            address = self._scheduler
            if address is None:
                self._notice(f"starting {jobs} Dask workers on this machine")
                with self.needed():
                    cluster = stack.enter_context(self._local_cluster(jobs))
                address = cluster.scheduler_address
            with self.needed():
                self.client = self._distributed.Client(
                    address, timeout=CONNECT_SECONDS, set_as_default=False
                )
            stack.callback(self._leave, run)
            yield

    def look(self) -> None:
        """Learn which workers there are; those with other code than ours are refused, in words.

        Raises
        ------
        ConnectionError
            If the scheduler is lost.
        MlbenchError
            If there are workers, and none may be used.
        """
        from mlbench.executors.dask.worker import code_of_mlbench

        if self.threads and time.monotonic() < self._looked + LOOK_SECONDS:
            return
        with self.needed():
            there = dict(self.client.nthreads())
            new = [worker for worker in there if worker not in self._accepted | {*self._refused}]
            ask = {"workers": new, "on_error": "return"}
            codes = self.client.run(code_of_mlbench, **ask) if new else {}
        if not there and (self.threads or not self._looked):
            self._notice("waiting for a Dask worker")
        self._looked = time.monotonic()
        for worker, code in codes.items():
            if code == code_of_mlbench():
                self._accepted.add(worker)
            elif not isinstance(code, OSError):  # it may be gone already, or be asked again
                self._refuse(worker, code)
        self.threads = {worker: n for worker, n in there.items() if worker in self._accepted}
        refused = [words for worker, words in self._refused.items() if worker in there]
        if refused and not self.threads:
            raise MlbenchError(f"no Dask worker can be used; {refused[0]}")

    def has(self, worker: str) -> bool:
        """Tell whether a worker is there, by asking the scheduler now."""
        with self.needed():
            return bool(worker in self.client.nthreads())

    def drop(self, futures: Sequence[Any]) -> None:
        """Let nothing that has not begun begin any more."""
        with contextlib.suppress(Exception):
            if futures and self.client.status == "running":
                self.client.cancel(futures)

    def lost(self, why: str) -> ConnectionError:
        """Return the error for a scheduler that is lost, or was never there."""
        place = f" at {self._scheduler}" if self._scheduler else ""
        return ConnectionError(
            f"the Dask scheduler{place} cannot be reached, or was lost ({' '.join(why.split())}); "
            "finished cells are kept, and the same command resumes from there"
        )

    @contextlib.contextmanager
    def needed(self) -> Iterator[None]:
        """Do what cannot be done without the scheduler."""
        try:
            yield
        except (OSError, RuntimeError, ValueError) as error:
            raise self.lost(str(error)) from None

    def _refuse(self, worker: str, code: object) -> None:
        from mlbench.executors.dask.worker import code_of_mlbench

        has = code if isinstance(code, str) else f"in no form that answers ({code})"
        self._refused[worker] = (
            f"{worker} has mlbench {has}, and this run has {code_of_mlbench()}; install the same "
            "mlbench there and start the worker again"
        )
        self._notice(f"a Dask worker is not used: {self._refused[worker]}")

    def _local_cluster(self, jobs: int) -> Any:
        previous = signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is our matter alone
        try:
            return self._distributed.LocalCluster(
                n_workers=jobs,
                threads_per_worker=1,
                processes=True,
                memory_limit=None,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        finally:
            signal.signal(signal.SIGINT, previous)

    def _leave(self, run: str) -> None:
        from mlbench.executors.dask.worker import end_run

        with contextlib.suppress(Exception):
            if self.client.status == "running":
                there = [worker for worker in self.client.nthreads() if worker in self._accepted]
                if there:
                    self.client.run(end_run, run, workers=there, on_error="ignore")
        with contextlib.suppress(Exception):
            self.client.close(timeout=LOOK_SECONDS)


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MlbenchError(
            "the Dask executor needs dask.distributed: python -m pip install 'mlbench[dask]'"
        ) from None
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed
