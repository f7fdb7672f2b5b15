"""Faults of runs on a Dask cluster: one scheduler and two workers on this machine."""

from __future__ import annotations

import json
import random
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path

from faults_lab import Fault, Lab, end, run_killed, running


class DaskLab(Lab):
    """Runs use a cluster; its scheduler and workers are started again when they are gone."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(folder, name)
        self.file = folder / f"{name}.scheduler.json"
        self.scheduler: subprocess.Popen[bytes] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []

    def __exit__(self, *_: object) -> None:
        self._stop()

    @classmethod
    def obstacle(cls) -> str:
        """Say whether Dask is missing."""
        return "" if find_spec("distributed") else "dask.distributed is not installed"

    def run(self, *more: str) -> subprocess.Popen[bytes]:
        """Start a run on the cluster, once it is complete again."""
        if self.scheduler is None or self.scheduler.poll() is not None:
            self._stop()
            self._start_scheduler()
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < 2:
            self.workers.append(self._part("dask_worker", "--no-nanny", "--nthreads=1"))
        address = json.loads(self.file.read_text())["address"]
        return super().run("--executor", "dask", "--scheduler", address, *more)

    def leader(self, pid: int) -> subprocess.Popen[bytes] | None:
        """Return the Dask worker that a process descends from, if the process still runs."""
        by_number = {worker.pid: worker for worker in self.workers}
        while pid > 1 and pid not in by_number:
            try:
                pid = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                return None
        return by_number.get(pid)

    def _start_scheduler(self) -> None:
        self.file.unlink(missing_ok=True)
        self.scheduler = self._part("dask_scheduler", "--port=0")
        while not (self.file.exists() and self.file.read_text().endswith("\n}")):
            time.sleep(0.05)

    def _part(self, program: str, *words: str) -> subprocess.Popen[bytes]:
        scheduler = f"--scheduler-file={self.file}"
        return self.start("-m", f"distributed.cli.{program}", "--no-dashboard", scheduler, *words)

    def _stop(self) -> None:
        for part in (*self.workers, self.scheduler):
            if part is not None:
                part.kill()
                part.wait()
        self.workers, self.scheduler = [], None


def worker_killed(lab: Lab, draw: random.Random) -> bool:
    """Kill the worker that leads the latest fit; the run goes on with the other one."""
    assert isinstance(lab, DaskLab)
    run = lab.run()
    struck = lab.wait_for_fit(running(run))
    if struck:
        time.sleep(draw.random() * 0.3)
        leader = lab.leader(lab.last_worker())
        if leader is not None:
            leader.kill()
            leader.wait()
        struck = leader is not None
        time.sleep(0.5)
    end(run)
    return struck


def scheduler_killed(lab: Lab, draw: random.Random) -> bool:
    """Kill the scheduler; the run must end by itself, because it cannot go on."""
    assert isinstance(lab, DaskLab)
    run = lab.run()
    lab.wait_for_fit(running(run))
    time.sleep(draw.random() * 0.3)
    struck = run.poll() is None
    assert lab.scheduler is not None
    lab.scheduler.kill()
    lab.scheduler.wait()
    run.wait()
    return struck


FAULTS = [
    Fault("Dask: worker killed", 15, 5, DaskLab, worker_killed),
    Fault("Dask: scheduler killed", 10, 5, DaskLab, scheduler_killed),
    Fault("Dask: run (client) killed", 15, 5, DaskLab, run_killed),
]
