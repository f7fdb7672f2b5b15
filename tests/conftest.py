"""A throw-away project in a temporary folder: experiments, methods and results from strings.

Properties are tested on examples that are always the same: a failure is then due to the change
under test and comes again, here as elsewhere. How long an example takes is no matter.
"""

from __future__ import annotations

import gc
import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from tests import program

os.environ["MLBENCH_ALLOW_IMPORT"] = "1"  # methods of these tests stand in files
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # the program starts hundreds of times
os.environ["no_proxy"] = "127.0.0.1,localhost"  # servers of these tests stand on this machine
program.template_environment()

hypothesis.settings.register_profile(
    "same everywhere",
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("same everywhere")


_PROGRAM = {"lab", "make_lab"}
"""Fixtures of tests that run the program in processes of its own."""


_SHARING = {"slurm": "slurm", "dask": "dask", "test_in_a_browser.py": "browser"}
"""Folders and files whose tests share a cluster or a browser: one process runs them, and first of
all, because they mostly wait.
"""


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave tests that start the program out of `make check`, and group those that share one."""
    for item in items:
        if _PROGRAM & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        parts = re.split("[/:]", item.nodeid)
        groups = {_SHARING[part] for part in parts if part in _SHARING}
        if "make_lab" in getattr(item, "fixturenames", ()):  # one process runs what they share
            groups = groups or {item.nodeid.partition("::")[0]}
        for group in groups:
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


def pytest_collection_finish() -> None:
    """Spare the garbage collector the tests themselves, which live to the end."""
    gc.freeze()


@dataclass
class Lab:
    """A folder with an experiment, methods of its own, and the command line to run them."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "MLBENCH_CACHE": str(self.folder / "cache"),
            "LAB": str(self.folder),
            "PYTHONWARNINGS": "ignore",
        }

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def mlbench(self, *words: str, **options: object) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return program.run(*words, cwd=self.folder, env=self.environment, **options)

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command in a session of its own, and return at once."""
        return program.start(*words, cwd=self.folder, env=self.environment, start_new_session=True)


@pytest.fixture
def closed_port() -> Iterator[int]:
    """Hold a port of this machine at which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture(scope="session")
def make_lab() -> type[Lab]:
    """For labs that several tests share."""
    return Lab


@pytest.fixture
def real_file() -> Callable[[str], Path]:
    """Find an original file of a public data set, or skip the test."""

    def find(relative: str) -> Path:
        for folder in os.environ.get("MLBENCH_DATA", "").split(os.pathsep):
            if folder and (Path(folder) / relative).is_file():
                return Path(folder) / relative
        name = relative.split("/")[0]
        pytest.skip(f"needs the {name} data: set MLBENCH_DATA")

    return find


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """Matrices here are small: more threads would only wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def labelled():
    """60 rows, 4 features, 3 correlated labels, and 20 new rows."""
    random = np.random.RandomState(7)
    X, new = random.randn(60, 4), random.randn(20, 4)
    Y = (X @ random.randn(4, 3) + random.randn(60, 3) > 0).astype(np.int64)
    return X, Y, new


@pytest.fixture
def tasked():
    """60 rows in 4 tasks of unequal size, and 20 new rows."""
    random = np.random.RandomState(8)
    X, new = random.randn(60, 4), random.randn(20, 4)
    tasks, new_tasks = random.randint(0, 4, 60), random.randint(0, 4, 20)
    y = (X[:, 0] + 0.3 * tasks * X[:, 1] + 0.5 * random.randn(60) > 0).astype(np.int64)
    return X, y[:, None], tasks, new, new_tasks
