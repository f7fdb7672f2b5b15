"""What a run learns when it looks at the workers of a Dask cluster, and when it says so."""

from __future__ import annotations

import pytest

from mlbench.errors import MlbenchError
from mlbench.executors.dask import workers as dask_crew
from mlbench.executors.dask.worker import code_of_mlbench
from mlbench.executors.dask.workers import Crew

pytest.importorskip("distributed")

WAITS = "waiting for a Dask worker"


class Cluster:
    """A client whose workers, and the code that they have, are what a test says."""

    def __init__(self):
        self.workers = {}
        self.asked = []

    def nthreads(self):
        return dict.fromkeys(self.workers, 2)

    def run(self, function, workers, on_error):
        assert (function, on_error) == (code_of_mlbench, "return")
        self.asked += workers
        return {worker: self.workers[worker] for worker in workers}


@pytest.fixture
def told():
    return []


@pytest.fixture
def cluster():
    return Cluster()


@pytest.fixture
def crew(monkeypatch, cluster, told):
    """A crew that looks whenever it is asked to."""
    monkeypatch.setattr(dask_crew, "LOOK_SECONDS", 0.0)
    crew = Crew("tcp://scheduler", told.append)
    crew.client = cluster
    return crew


def test_that_there_is_no_worker_yet_is_told_once(crew, cluster, told):
    crew.look()
    crew.look()
    cluster.workers = {"a": code_of_mlbench()}
    crew.look()
    assert told == [WAITS]
    assert crew.threads == {"a": 2}


def test_that_the_last_worker_is_lost_is_told_each_time(crew, cluster, told):
    for losses in (0, 1, 2):
        assert told == losses * [WAITS]
        cluster.workers = {f"worker {losses}": code_of_mlbench()}
        crew.look()
        assert len(crew.threads) == 1
        cluster.workers = {}
        crew.look()
        assert crew.threads == {}


def test_a_worker_that_takes_the_place_of_a_lost_one_in_time_is_nothing_to_tell(
    crew, cluster, told
):
    for name in "ab":
        cluster.workers = {name: code_of_mlbench()}
        crew.look()
        assert crew.threads == {name: 2}
    assert told == []


def test_a_worker_is_asked_for_its_code_once(crew, cluster):
    for workers in ("a", "ab", "ab"):
        cluster.workers = dict.fromkeys(workers, code_of_mlbench())
        crew.look()
    assert cluster.asked == ["a", "b"]


def test_a_worker_that_is_gone_when_it_is_asked_is_asked_again(crew, cluster, told):
    cluster.workers = {"a": OSError("connection refused")}
    crew.look()
    assert crew.threads == {}
    cluster.workers = {"a": code_of_mlbench()}
    crew.look()
    assert crew.threads == {"a": 2}
    assert told == []


def test_a_worker_with_other_code_is_told_and_left_out(crew, cluster, told):
    cluster.workers = {"a": code_of_mlbench(), "b": "0.0.1, code 123"}
    crew.look()
    assert crew.threads == {"a": 2}
    (words,) = told
    assert words.startswith("a Dask worker is not used: b has mlbench 0.0.1, code 123")


def test_only_workers_with_other_code_are_an_error(crew, cluster):
    cluster.workers = {"a": ModuleNotFoundError("No module named 'mlbench'")}
    with pytest.raises(MlbenchError, match="no Dask worker can be used; a has mlbench in no form"):
        crew.look()
