"""Runs on a Dask cluster: the same bits, and whatever dies costs no result."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from multiprocessing import forkserver
from pathlib import Path

import pytest

import mlbench
from mlbench.errors import MlbenchError
from mlbench.executors.dask.worker import CellRequest, end_run, run_request
from mlbench.store import Store
from tests import program
from tests.processes import PATIENCE, copy_code, is_alive, wait_until

pytest.importorskip("distributed")

P = "P: {use: 'bad.py:Prior'}"


def rows(folder):
    return {(row.method, row.split): row for row in Store(folder).scan().rows.values()}


@dataclass
class Cluster:
    """A scheduler and workers that know nothing of the runs to come."""

    lab: object
    processes: list[subprocess.Popen] = field(default_factory=list)

    def start(self, module: str, *words: str) -> subprocess.Popen:
        process = program.start(
            *words,
            "--no-dashboard",
            module=module,
            cwd=Path("/"),
            env=self.lab.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    def start_scheduler(self) -> subprocess.Popen:
        words = ("--port=0", f"--scheduler-file={self.file}")
        process = self.start("distributed.cli.dask_scheduler", *words)
        wait_until(self.is_announced)
        return process

    def is_announced(self) -> bool:
        """Tell whether the scheduler's address can be read; the file is there before its text."""
        return self.file.exists() and self.file.read_text().endswith("\n}")

    def start_worker(self) -> subprocess.Popen:
        return self.start("distributed.cli.dask_worker", *self.words_of_worker)

    def start_worker_with(self, search_path: Path) -> subprocess.Popen:
        """Start a worker that imports mlbench from elsewhere."""
        module = ("-P", "-m", "distributed.cli.dask_worker", "--no-dashboard")
        process = subprocess.Popen(
            [sys.executable, *module, *self.words_of_worker],
            cwd="/",
            env={**self.lab.environment, "PYTHONPATH": str(search_path)},
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.processes.append(process)
        return process

    @property
    def words_of_worker(self) -> list[str]:
        return [
            "--no-nanny",
            "--nthreads=1",
            f"--local-directory={self.lab.folder / 'scratch'}",
            f"--scheduler-file={self.file}",
            f"--death-timeout={PATIENCE}",
        ]

    @property
    def file(self) -> Path:
        return self.lab.folder / "scheduler.json"

    @property
    def words(self) -> list[str]:
        address = json.loads(self.file.read_text())["address"]
        return ["--executor", "dask", "--scheduler", address]

    def stop(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def frozen(tmp_path_factory):
    """Copy mlbench: a checkout that is edited meanwhile would be other code, and be refused."""
    home, folder = Path(mlbench.__file__).parents[1], tmp_path_factory.mktemp("frozen")
    copy_code(home / "mlbench", folder / "mlbench")
    for name in ("datasets", "configs"):
        if (home / name).is_dir():
            (folder / name).symlink_to(home / name)
    return folder


@pytest.fixture
def cluster(bad_lab, frozen, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(frozen))
    cluster = Cluster(bad_lab)
    yield cluster
    cluster.stop()


def test_a_cluster_here_gives_the_bits_of_local_workers_and_holds_to_limits(bad_lab, experiment):
    tuned = "use: 'bad.py:Prior', tune: {pause: [0.001, 0.002]}"
    experiment(
        f"Native: {{{tuned}}}",
        f"Cut: {{{tuned}, threshold: train_f1_label}}",
        "Near: {use: mlknn, tune: {k: [3, 5, 9]}, scoring: [macro_f1, macro_auc, one_error]}",
        "Slow: {use: 'bad.py:Spins', limits: {time: 1}}",
        "Gone: {use: 'bad.py:Exits'}",
        repeats=2,
        more="keep_predictions: true",
    )
    local = bad_lab.mlbench("run", "trial.yaml", "--out", "local", "-j", "2")
    dask = bad_lab.mlbench("run", "trial.yaml", "--out", "dask", "-j", "2", "--executor", "dask")

    assert local.returncode == dask.returncode == 1, dask.stderr
    assert dask.stdout == local.stdout
    for what in ("scores", "params", "counts"):
        exports = [
            bad_lab.mlbench("export", out, "--what", what).stdout for out in ("local", "dask")
        ]
        assert exports[0] == exports[1] != ""
    there, here = (rows(bad_lab.folder / out) for out in ("dask", "local"))
    assert there.keys() == here.keys()
    for cell, row in there.items():
        assert row.predictions == here[cell].predictions
    assert there["Slow", 0].status == "timeout"
    assert there["Gone", 0].failure.message == here["Gone", 0].failure.message
    for kind in ("searches/*", "predictions/*"):
        names = [
            {path.name for path in (bad_lab.folder / out).glob(kind)} for out in ("local", "dask")
        ]
        assert names[0] == names[1] != set()


def test_a_worker_that_is_killed_costs_no_cell(bad_lab, experiment, cluster, begun, let_through):
    experiment("P: {use: 'bad.py:Waits'}", repeats=4)
    cluster.start_scheduler()
    first = cluster.start_worker()
    run = bad_lab.start("run", "trial.yaml", "--out", "out", *cluster.words)
    let_through(1)
    wait_until(lambda: len(begun()) == 2)
    first.kill()
    wait_until(lambda: not is_alive(begun()[1]))
    let_through(5)
    cluster.start_worker()
    _, errors = run.communicate(timeout=PATIENCE)

    assert run.returncode == 0, errors
    assert len(rows(bad_lab.folder / "out")) == 4
    assert len(begun()) == 5, "only the cell that was lost runs again"
    assert errors.count("was lost; it runs once more") == 1


def test_a_cell_whose_worker_is_killed_twice_is_a_crash(bad_lab, experiment, cluster, begun):
    experiment("P: {use: 'bad.py:Waits'}", repeats=1)
    cluster.start_scheduler()
    run = bad_lab.start("run", "trial.yaml", "--out", "out", *cluster.words)
    for attempt in (1, 2):
        worker = cluster.start_worker()
        wait_until(lambda attempt=attempt: len(begun()) == attempt)
        worker.kill()
    output, errors = run.communicate(timeout=PATIENCE)

    assert run.returncode == 1, errors
    assert "1 crash" in output
    message = rows(bad_lab.folder / "out")["P", 0].failure.message
    assert message.startswith("twice: the Dask worker tcp://")
    assert message.endswith("was lost")


def test_without_its_scheduler_a_run_ends_in_words_and_goes_on_anywhere(
    bad_lab, experiment, cluster, let_through
):
    experiment("P: {use: 'bad.py:Waits'}", repeats=8)
    let_through(3)
    scheduler = cluster.start_scheduler()
    cluster.start_worker()
    run = bad_lab.start("run", "trial.yaml", "--out", "out", *cluster.words)
    wait_until(lambda: len(rows(bad_lab.folder / "out")) >= 2)
    scheduler.kill()
    _, errors = run.communicate(timeout=PATIENCE)

    assert run.returncode == 1
    assert "the Dask scheduler at tcp://" in errors
    assert "the same command resumes from there" in errors
    assert "Traceback" not in errors
    done = len(rows(bad_lab.folder / "out"))
    let_through(1000)
    again = bad_lab.mlbench("run", "trial.yaml", "--out", "out")
    assert again.returncode == 0
    assert f"{done} done, {8 - done} to run" in again.stderr


@pytest.mark.parametrize(
    ("sign", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGUSR1, 75)]
)
def test_a_run_that_is_told_to_stop_leaves_nothing_on_the_workers(
    bad_lab, experiment, cluster, begun, sign, code
):
    experiment("Quick: {use: mlknn}", "Slow: {use: 'bad.py:Waits'}", repeats=1)
    cluster.start_scheduler()
    worker = cluster.start_worker()
    words = ("run", "trial.yaml", "--out", "out", "--grace-period", "0.5", *cluster.words)
    run = bad_lab.start(*words)
    wait_until(begun)
    os.kill(run.pid, sign)
    _, errors = run.communicate(timeout=PATIENCE)

    assert run.returncode == code, errors
    assert "the same command resumes from there" in errors
    assert "Traceback" not in errors
    wait_until(lambda: not is_alive(begun()[0]))
    assert worker.poll() is None
    assert ("Slow", 0) not in rows(bad_lab.folder / "out")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("edited", f"has mlbench {mlbench.__version__}, code "),
        ("older", "No module named"),
    ],
)
def test_a_worker_with_other_code_is_refused(bad_lab, experiment, cluster, frozen, kind, words):
    experiment("Near: {use: mlknn}", repeats=1)
    other = bad_lab.folder / "other"
    if kind == "edited":
        copy_code(frozen / "mlbench", other / "mlbench")
        with (other / "mlbench/metrics/ties.py").open("a") as file:
            file.write("EDITED = True\n")
    else:
        bad_lab.write("other/mlbench/__init__.py", "")
    cluster.start_scheduler()
    cluster.start_worker_with(other)
    run = bad_lab.mlbench("run", "trial.yaml", "--out", "out", *cluster.words)

    assert run.returncode == 2
    assert "no Dask worker can be used" in run.stderr
    assert words in run.stderr
    assert "install the same mlbench there" in run.stderr
    assert not rows(bad_lab.folder / "out")


def test_without_the_package_the_error_names_the_command(monkeypatch, tmp_path):
    from mlbench.executors.dask.executor import DaskExecutor

    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MlbenchError, match=r"python -m pip install 'mlbench-multilabel\[dask\]'"):
        DaskExecutor(tmp_path, [], 1)


def test_a_scheduler_without_dask_is_a_slip(bad_lab, experiment):
    experiment("Near: {use: mlknn}", repeats=1)
    run = bad_lab.mlbench("run", "trial.yaml", "--scheduler", "tcp://127.0.0.1:9")
    assert run.returncode == 2
    assert "add --executor dask" in run.stderr


@pytest.fixture
def cell_request(bad_lab, experiment, monkeypatch):
    """Return the request for the only cell of an experiment, as a client would send it."""
    from mlbench.api.prepare import prepare
    from mlbench.config.load import load_experiment

    monkeypatch.setenv("LAB", str(bad_lab.folder))
    monkeypatch.setenv("MLBENCH_CACHE", str(bad_lab.folder / "cache"))

    def make(method, *, allow_imports=True):
        experiment(method, repeats=1)
        loaded = load_experiment(bad_lab.folder / "trial.yaml")
        plan = prepare(loaded, (), bad_lab.folder / "out").plan
        return CellRequest("trial", plan.cells[0], [], 1, allow_imports, None)

    yield make
    end_run("trial")
    forkserver._forkserver._stop()  # it would fork the next test's processes with this environment


def test_cells_share_a_worker_process_not_their_own_and_notice_another_method_file(
    cell_request, bad_lab, begun
):
    row = run_request(cell_request(P)).row
    assert row.status == "ok", row.failure
    (worker,) = worker_processes()
    assert run_request(cell_request(P)).row.metrics == row.metrics
    assert worker_processes() == [worker]
    first, second = begun()
    assert first != second

    planned = cell_request(P)
    code = (bad_lab.folder / "bad.py").read_text()
    bad_lab.write("bad.py", code.replace("X[:, :1] + self.noise_", "X[:, :1] - self.noise_"))
    row = run_request(planned).row
    assert worker_processes() == [worker]
    assert row.failure.message == "the method's file changed after the run was planned"


def worker_processes():
    return [process.pid for process in multiprocessing.active_children()]


def test_what_the_client_may_not_import_the_worker_may_not(cell_request):
    row = run_request(cell_request(P, allow_imports=False)).row
    assert "--allow-import" in row.failure.message


def test_the_end_of_a_run_ends_its_cells_and_their_processes(cell_request, begun):
    planned = cell_request("P: {use: 'bad.py:Waits'}")
    told = []

    def work():
        with pytest.raises(RuntimeError) as error:
            run_request(planned)
        told.append(str(error.value))

    thread = threading.Thread(target=work)
    thread.start()
    wait_until(begun)
    end_run("trial")
    thread.join(PATIENCE)
    assert told == ["MlbenchError: the run has ended"]
    wait_until(lambda: not is_alive(begun()[0]))
    wait_until(lambda: not worker_processes())


def test_an_executor_that_waits_in_vain_is_closed(cell_request, monkeypatch):
    monkeypatch.setattr("mlbench.executors.dask.worker.IDLE_SECONDS", 0.05)
    assert run_request(cell_request(P)).row.status == "ok"
    wait_until(lambda: not worker_processes())
