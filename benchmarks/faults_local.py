"""Faults of runs with worker processes on this machine, and of the disk that they write to."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time

from faults_lab import Fault, Lab, end, kill, run_killed, running


def worker_killed(lab: Lab, draw: random.Random) -> bool:
    """Let the run go on for a few cells after it."""
    run = lab.run()
    struck = lab.wait_for_fit(running(run))
    if struck:
        time.sleep(draw.random() * 0.3)
        struck = kill(lab.last_worker())
        time.sleep(0.3)
    end(run)
    return struck


def worker_stopped(lab: Lab, draw: random.Random) -> bool:
    """Let the run go on until the cell's time is over."""
    run = lab.run()
    struck = lab.wait_for_fit(running(run))
    if struck:
        time.sleep(draw.random() * 0.3)
        try:
            os.kill(lab.last_worker(), signal.SIGSTOP)
        except ProcessLookupError:
            struck = False
        time.sleep(4.0)
    end(run)
    return struck


def one_of_two_runs_killed(lab: Lab, draw: random.Random) -> bool:
    first, second = lab.run(), lab.run()
    lab.wait_for_fit(running(first))
    time.sleep(draw.random() * 0.3)
    struck = first.poll() is None
    first.kill()
    first.wait()
    time.sleep(0.3)
    end(second)
    return struck


def pack_killed(lab: Lab, draw: random.Random) -> bool:
    """Watch `mlbench pack` for its first step, and kill it within the time that it takes."""
    run = lab.run()
    lab.wait_for_fit(running(run))
    time.sleep(0.2)
    packing = lab.start("-m", "mlbench", "pack", lab.name)
    packs = lab.root / "packs"
    before = set(packs.glob("*"))
    while packing.poll() is None:
        if set(packs.glob("*")) != before:
            break
        time.sleep(0.0005)
    time.sleep(draw.random() * 0.03)
    struck = packing.poll() is None
    packing.kill()
    packing.wait()
    end(run)
    return struck


class SmallDisk(Lab):
    """Results on a separate disk with little space."""

    kilobytes = 0

    @classmethod
    def obstacle(cls) -> str:
        """Say whether a disk cannot be mounted."""
        return "" if os.geteuid() == 0 else "only root may mount a small disk"

    def __exit__(self, *_: object) -> None:
        subprocess.run(["umount", str(self.root)], check=True)

    def grow(self, kilobytes: int) -> None:
        """Make more space on the disk; mount it first."""
        mounted = self.root.is_mount()
        self.root.mkdir(exist_ok=True)
        self.kilobytes += kilobytes
        options = f"{'remount,' if mounted else ''}size={self.kilobytes}k"
        kind = [] if mounted else ["-t", "tmpfs", "tmpfs"]
        subprocess.run(["mount", *kind, "-o", options, str(self.root)], check=True)

    def finish(self) -> None:
        """Make space, and complete the run."""
        self.grow(20_000)
        super().finish()


def disk_full(lab: Lab, draw: random.Random) -> bool:
    """Run on a disk with space for a few rows more than the last time."""
    assert isinstance(lab, SmallDisk)
    lab.grow(draw.randrange(30, 90))
    return lab.run().wait() == 1


FAULTS = [
    Fault("worker killed", 30, 10, Lab, worker_killed),
    Fault("run killed", 30, 10, Lab, run_killed),
    Fault("pack killed during a run", 15, 5, Lab, pack_killed),
    Fault("one of two runs killed", 10, 5, Lab, one_of_two_runs_killed),
    Fault("disk full", 10, 10, SmallDisk, disk_full),
    Fault("worker stopped", 5, 2, Lab, worker_stopped),
]
