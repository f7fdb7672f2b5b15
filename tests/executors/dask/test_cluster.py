"""What a run learns about the workers of a Dask cluster, and what it tells the user."""

from __future__ import annotations

import pytest

from mlbench.errors import MlbenchError
from mlbench.executors.dask import cluster as dask_cluster
from mlbench.executors.dask.cluster import DaskCluster
from mlbench.executors.dask.worker import code_version

pytest.importorskip("distributed")

WAITS = "waiting for a Dask worker"


class Client:
    """A client with the workers, and their code, that a test sets."""

    def __init__(self):
        self.workers = {}
        self.queried = []

    def nthreads(self):
        return dict.fromkeys(self.workers, 2)

    def run(self, function, workers, on_error):
        assert (function, on_error) == (code_version, "return")
        self.queried += workers
        return {worker: self.workers[worker] for worker in workers}


@pytest.fixture
def notices():
    return []


@pytest.fixture
def client():
    return Client()


@pytest.fixture
def cluster(monkeypatch, client, notices):
    """A connection that asks for workers at each refresh."""
    monkeypatch.setattr(dask_cluster, "REFRESH_SECONDS", 0.0)
    cluster = DaskCluster("tcp://scheduler", notices.append)
    cluster.client = client
    return cluster


def test_a_missing_worker_is_reported_once(cluster, client, notices):
    cluster.refresh()
    cluster.refresh()
    client.workers = {"a": code_version()}
    cluster.refresh()
    assert notices == [WAITS]
    assert cluster.threads == {"a": 2}


def test_each_loss_of_the_last_worker_is_reported(cluster, client, notices):
    for losses in (0, 1, 2):
        assert notices == losses * [WAITS]
        client.workers = {f"worker {losses}": code_version()}
        cluster.refresh()
        assert len(cluster.threads) == 1
        client.workers = {}
        cluster.refresh()
        assert cluster.threads == {}


def test_a_lost_worker_that_is_replaced_in_time_is_not_reported(cluster, client, notices):
    for name in "ab":
        client.workers = {name: code_version()}
        cluster.refresh()
        assert cluster.threads == {name: 2}
    assert notices == []


def test_a_worker_is_asked_for_its_code_once(cluster, client):
    for workers in ("a", "ab", "ab"):
        client.workers = dict.fromkeys(workers, code_version())
        cluster.refresh()
    assert client.queried == ["a", "b"]


def test_a_worker_that_is_gone_when_it_is_asked_is_asked_again(cluster, client, notices):
    client.workers = {"a": OSError("connection refused")}
    cluster.refresh()
    assert cluster.threads == {}
    client.workers = {"a": code_version()}
    cluster.refresh()
    assert cluster.threads == {"a": 2}
    assert notices == []


def test_a_worker_with_other_code_is_reported_and_left_out(cluster, client, notices):
    client.workers = {"a": code_version(), "b": "0.0.1, code 123"}
    cluster.refresh()
    assert cluster.threads == {"a": 2}
    (words,) = notices
    assert words.startswith("a Dask worker is not used: b has mlbench 0.0.1, code 123")


def test_only_workers_with_other_code_are_an_error(cluster, client):
    client.workers = {"a": ModuleNotFoundError("No module named 'mlbench'")}
    with pytest.raises(MlbenchError, match="no Dask worker can be used; a has no usable mlbench"):
        cluster.refresh()


def test_a_scheduler_that_cannot_be_reached_is_named(monkeypatch, closed_port):
    monkeypatch.setattr(dask_cluster, "CONNECT_SECONDS", 0.1)
    address = f"tcp://127.0.0.1:{closed_port}"
    connection = DaskCluster(address, print).connected(1, "run")
    with pytest.raises(ConnectionError, match=f"the Dask scheduler at {address} cannot be reached"):
        connection.__enter__()


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("tls://127.0.0.1:9", "DASK_DISTRIBUTED__COMM__TLS__CA_FILE"),
        ("http://127.0.0.1:9", "unknown address scheme 'http'"),
        ("head", "missing port number in address 'head'"),
    ],
)
def test_an_address_without_hope_is_told_at_once(monkeypatch, address, words):
    """No client is made: it would hang when it is discarded."""
    cluster = DaskCluster(address, print)
    monkeypatch.setattr(cluster._distributed, "Client", None)
    with pytest.raises(ConnectionError, match=words):
        cluster.connected(1, "run").__enter__()
