"""`mlbench why` of a cell that reached a limit."""

from __future__ import annotations

import pytest

from mlbench.results.plan import StoredPlan
from mlbench.store import Store
from tests.rows import make_row

EXPERIMENT = """
name: toy
datasets: [{use: nam-toy, tasks: 2, samples: 100}]
protocol: {splits: {train: 0.5, repeats: 2}}
limits: {time: 30 s}
"""


@pytest.mark.parametrize(
    ("method", "key"), [("mlknn", ""), ("{use: mlknn, limits: {time: 30 s}}", "methods.kNN.")]
)
def test_the_key_of_the_limit_is_named_where_it_stands(call, tmp_path, method, key):
    (tmp_path / "toy.yaml").write_text(f"{EXPERIMENT}methods: {{kNN: {method}}}\n")
    assert call(tmp_path, "run", "toy.yaml", "--quiet").exit_code == 0
    store = Store(tmp_path / "runs/toy")
    dataset, name, split, cell = StoredPlan.read(store).cells[0]
    store.row_path(cell).unlink()
    ended = {"status": "timeout", "limits": {"time": 30.0}, "seconds": {"total": 30.0}}
    store.write_row(make_row(key=cell, dataset=dataset, method=name, split=split, **ended))
    told = call(tmp_path, "why", "toy.yaml", f"{dataset}/{name}/{split}").stdout
    assert f"so does a higher `{key}limits.time`, for those that reached it" in told
