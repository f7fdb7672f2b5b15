"""A connection to a Dask cluster and to those of its workers that have the same code."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from mlbench.errors import MlbenchError

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

CONNECT_SECONDS = 10
REFRESH_SECONDS = 1.0


class DaskCluster:
    """A connection to a Dask cluster and its workers with the same code as this process.

    Parameters
    ----------
    scheduler : str, optional
        The address of a running scheduler. Without one, a cluster is started on this machine.
    notice : callable
        Called with messages for the user during the run.

    Attributes
    ----------
    client : distributed.Client
        Set while connected.
    threads : dict of str to int
        The number of threads of each worker, by address, as of the last refresh.

    Raises
    ------
    MlbenchError
        If dask.distributed is not installed.
    """

    def __init__(self, scheduler: str | None, notice: Callable[[str], None]) -> None:
        self.client: Client = None
        self.threads: dict[str, int] = {}
        self._scheduler = scheduler
        self._notice = notice
        self._distributed = _import_distributed()
        self._accepted: set[str] = set()
        self._rejected: dict[str, str] = {}
        self._refreshed = 0.0

    @contextlib.contextmanager
    def connected(self, jobs: int, run: str) -> Iterator[None]:
        """Connect; on exit, kill what the run left on the workers and disconnect.

        Parameters
        ----------
        jobs : int
            Number of workers to start, if there is no scheduler yet.
        run : str
            The identifier of the run, as in its requests.

        Raises
        ------
        ConnectionError
            If the scheduler cannot be reached.
        """
        with contextlib.ExitStack() as stack:
            address = self._scheduler
            if address is None:
                self._notice(f"starting {jobs} Dask workers on this machine")
                with self.requires_scheduler():
                    cluster = stack.enter_context(self._local_cluster(jobs))
                address = cluster.scheduler_address
            with self.requires_scheduler():
                self._check(address)
                self.client = self._distributed.Client(
                    address, timeout=CONNECT_SECONDS, set_as_default=False
                )
            stack.callback(self._disconnect, run)
            yield

    def refresh(self) -> None:
        """Update the list of workers; reject those with other code and say so.

        Raises
        ------
        ConnectionError
            If the connection to the scheduler is lost.
        MlbenchError
            If there are workers, but none of them can be used.
        """
        from mlbench.executors.dask.worker import code_version

        if self.threads and time.monotonic() < self._refreshed + REFRESH_SECONDS:
            return
        with self.requires_scheduler():
            present = dict(self.client.nthreads())
            known = self._accepted | self._rejected.keys()
            new = [worker for worker in present if worker not in known]
            options = {"workers": new, "on_error": "return"}
            codes = self.client.run(code_version, **options) if new else {}
        if not present and (self.threads or not self._refreshed):
            self._notice("waiting for a Dask worker")
        self._refreshed = time.monotonic()
        for worker, code in codes.items():
            if code == code_version():
                self._accepted.add(worker)
            elif not isinstance(code, OSError):  # a lost worker may come back
                self._reject(worker, code)
        self.threads = {worker: n for worker, n in present.items() if worker in self._accepted}
        rejected = [reason for worker, reason in self._rejected.items() if worker in present]
        if rejected and not self.threads:
            raise MlbenchError(f"no Dask worker can be used; {rejected[0]}")

    def has_worker(self, worker: str) -> bool:
        """Ask the scheduler whether a worker is connected now."""
        with self.requires_scheduler():
            return bool(worker in self.client.nthreads())

    def cancel(self, futures: Sequence[Future]) -> None:
        """Cancel the tasks that have not started."""
        with contextlib.suppress(Exception):
            if futures and self.client.status == "running":
                self.client.cancel(futures)

    def connection_error(self, why: str) -> ConnectionError:
        """Return the error for a scheduler that cannot be reached."""
        place = f" at {self._scheduler}" if self._scheduler else ""
        return ConnectionError(
            f"the Dask scheduler{place} cannot be reached ({' '.join(why.split())}); "
            "finished cells are kept, and the same command resumes from there"
        )

    @contextlib.contextmanager
    def requires_scheduler(self) -> Iterator[None]:
        """Turn an error inside the block into a connection error."""
        try:
            yield
        except (OSError, RuntimeError, ValueError) as error:
            raise self.connection_error(str(error)) from None

    def _check(self, address: str) -> None:
        """Refuse an address on which a client would hang or fail without words."""
        self._distributed.comm.get_address_host_port(address)
        given = self._distributed.Security().get_connection_args("client")
        if address.startswith("tls://") and given["ssl_context"] is None:
            raise ValueError(
                "TLS needs certificates, which Dask's configuration names: set "
                "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, ..__CLIENT__CERT, and ..__CLIENT__KEY"
            )

    def _reject(self, worker: str, code: object) -> None:
        from mlbench.executors.dask.worker import code_version

        found = f"mlbench {code}" if isinstance(code, str) else f"no usable mlbench ({code})"
        self._rejected[worker] = (
            f"{worker} has {found}, but this run has {code_version()}; install the same "
            "mlbench there and restart the worker"
        )
        self._notice(f"a Dask worker is not used: {self._rejected[worker]}")

    def _local_cluster(self, jobs: int) -> LocalCluster:
        os.environ["PYTHONSAFEPATH"] = "1"  # for its workers, and for those that replace them
        previous = signal.signal(signal.SIGINT, signal.SIG_IGN)  # only this process handles Ctrl-C
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

    def _disconnect(self, run: str) -> None:
        from mlbench.executors.dask.worker import end_run

        with contextlib.suppress(Exception):
            if self.client.status == "running":
                ours = [worker for worker in self.client.nthreads() if worker in self._accepted]
                if ours:
                    self.client.run(end_run, run, workers=ours, on_error="ignore")
        with contextlib.suppress(Exception):
            self.client.close(timeout=REFRESH_SECONDS)


def _import_distributed() -> ModuleType:
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise MlbenchError(
            "Dask is not installed: python -m pip install 'mlbench-multilabel[dask]'"
        ) from None
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed
