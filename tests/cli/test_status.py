"""What `mlbench status` says of failures."""

from __future__ import annotations

import pytest

from mlbench.cli.status import MAX_PLACES, grouped
from mlbench.executors.slurm import QueuedArray
from mlbench.results.plan import PlannedCell, StoredPlan
from mlbench.store import Store
from tests.rows import make_row

TOY = """
name: toy
datasets: [{use: nam-toy, tasks: 2, samples: 100}]
protocol: {splits: {train: 0.5, repeats: 2}}
methods: {kNN: mlknn}
"""


def cells(*places):
    return [PlannedCell(*place, f"{i:064x}") for i, place in enumerate(places)]


def test_a_message_of_one_method_names_its_splits():
    one, *others = cells(("flags", "BR", 0), ("flags", "LP", 1), ("flags", "LP", 2))
    told = [(one, "error: no"), *((each, "timeout: 5 s") for each in others)]
    assert list(grouped(told)) == [
        "flags/BR/0: error: no",
        "flags/LP/(2 splits, first 1): timeout: 5 s",
    ]


def test_a_message_that_methods_share_stands_once_with_the_number_of_cells():
    shared = cells(("flags", "BR", 0), ("flags", "BR", 1), ("yeast", "LP", 0))
    assert list(grouped((each, "error: no") for each in shared)) == [
        "3 cells: error: no",
        "  flags/BR (2), yeast/LP (1)",
    ]


def test_messages_that_differ_in_their_numbers_alone_stand_once():
    alike = zip(cells(("flags", "BR", 0), ("flags", "BR", 1)), (5_000, 6_123), strict=True)
    (line,) = grouped((cell, f"memory: it would need {size:,} MB") for cell, size in alike)
    assert line == ("flags/BR/(2 splits, first 0): memory: it would need 5,000 MB (numbers differ)")


def test_only_the_first_places_are_named():
    shared = cells(*(("flags", f"m{i}", 0) for i in range(MAX_PLACES + 2)))
    (_, named) = grouped((each, "error: no") for each in shared)
    assert named.endswith(f"flags/m{MAX_PLACES - 1} (1) and 2 more")


@pytest.fixture
def crashed(call, tmp_path):
    """A folder of a SLURM job of two tasks, in which all cells have rows, and one runs again."""
    (tmp_path / "toy.yaml").write_text(TOY)
    assert call(tmp_path, "run", "toy.yaml", "--quiet").exit_code == 0
    store = Store(tmp_path / "runs/toy")
    dataset, method, split, key = StoredPlan.read(store).cells[0]
    store.row_path(key).unlink()
    store.write_row(make_row(key=key, dataset=dataset, method=method, split=split, status="crash"))
    logs = tmp_path / "runs/toy/slurm"
    logs.mkdir()
    (logs / "7.json").write_text('{"tasks": [1, 2], "parts": 2}')
    (logs / "7_1.log").write_text("script: line 22:   945 Killed    python -m mlbench run\n")
    return tmp_path


@pytest.mark.parametrize(
    ("queue", "never_began", "advice"),
    [
        ([], True, "submit again to run what is left"),
        ([QueuedArray("7", {"pending": 1}, [], [2])], False, "submit again, once the queue here"),
        (None, False, "submit again, once the queue here is empty, to run what is left"),
    ],
)
def test_tasks_that_ended_early_are_told_also_where_rows_run_again(
    crashed, call, monkeypatch, queue, never_began, advice
):
    monkeypatch.setattr("mlbench.executors.slurm.queued_arrays", lambda _: queue)
    told = call(crashed, "status", "runs/toy").stdout
    assert "1 task of SLURM ended by a kill" in told
    assert ("1 task of SLURM ended before the start" in told) == never_began
    assert ("\n  7_2\n" in told) == never_began
    assert advice in told
    assert ("what is queued is not known" in told) == (queue is None)


def test_where_the_queue_is_not_known_nothing_is_said_of_it(crashed, call, monkeypatch):
    monkeypatch.setattr("mlbench.executors.slurm.queued_arrays", lambda _: None)
    store = Store(crashed / "runs/toy")
    store.row_path(StoredPlan.read(store).cells[0].key).unlink()
    told = call(crashed, "status", "runs/toy").stdout
    assert "missing" in told
    assert "no run is active or queued here" not in told
    assert '"queued": null' in call(crashed, "status", "runs/toy", "--format", "json").stdout


@pytest.mark.parametrize("queue", [[], [QueuedArray("7", {"pending": 1}, [], [2])], None])
def test_tasks_are_told_before_a_cell_has_run(tmp_path, call, monkeypatch, queue):
    monkeypatch.setattr("mlbench.executors.slurm.queued_arrays", lambda _: queue)
    logs = tmp_path / "out/slurm"
    logs.mkdir(parents=True)
    (logs / "7_1.log").write_text("script: line 9: /venv/bin/python3: No such file or directory\n")
    done = call(tmp_path, "status", "out")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("out: no cell has run here yet\n")
    assert "1 task of SLURM ended with /venv/bin/python3: No such file or directory" in done.stdout
    assert ("SLURM job 7: 1 pending" in done.stdout) == bool(queue)
    (logs / "7_1.log").write_text("shard 1/2: 2 cells ok\n")
    if not queue:
        assert call(tmp_path, "status", "out").exit_code == 2


def test_reasons_that_ask_for_something_are_explained(crashed, call, monkeypatch):
    queue = [QueuedArray("7", {"pending": 1}, ["PartitionConfig", "Priority"], [2])]
    monkeypatch.setattr("mlbench.executors.slurm.queued_arrays", lambda _: queue)
    told = call(crashed, "status", "runs/toy").stdout
    assert "SLURM job 7: 1 pending (PartitionConfig, Priority)\n  PartitionConfig: no node" in told
