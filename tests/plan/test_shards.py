from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlbench.errors import ConfigError
from mlbench.plan.cost import CostModel
from mlbench.plan.shards import Shard, cells_of_shard

METHODS = {
    "BR": {"use": "br", "tune": {"C": [0.1, 1.0]}},
    "ML-kNN": {"use": "mlknn", "k": 7},
}
SPLITS = {"kind": "random", "train": 0.6, "repeats": 10, "seed": 5}


def divided(plan, count):
    return [
        [cell.key for cell in cells_of_shard(plan.cells, Shard(number, count), plan.facts)]
        for number in range(1, count + 1)
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 7, 100])
def test_every_cell_is_in_exactly_one_shard(plan, count):
    made = plan(protocol={"splits": SPLITS})
    shards = divided(made, count)
    assert sorted(key for shard in shards for key in shard) == sorted(c.key for c in made.cells)


def test_a_method_that_is_added_moves_no_cell_of_another(plan):
    before = plan(protocol={"splits": SPLITS}, methods=METHODS)
    more = {"new": {"use": "mlknn", "k": 3}, **METHODS, "cut": {**METHODS["BR"]}}
    more["cut"]["threshold"] = "train_f1_label"
    after = plan(protocol={"splits": SPLITS}, methods=more)
    for old, new in zip(divided(before, 4), divided(after, 4), strict=True):
        assert set(old) <= set(new)


def test_cells_that_share_a_search_stay_together(plan):
    tuning = {"scope": "first-split", "folds": 3}
    made = plan(protocol={"splits": SPLITS, "tuning": tuning})
    for shard in divided(made, 5):
        waiting = {cell.after for cell in made.cells if cell.key in shard and cell.after}
        assert waiting <= set(shard)


def test_shards_take_about_as_long_as_each_other(plan, facts):
    from dataclasses import replace

    known = {"emotions": facts, "digits": replace(facts, n_samples=1000)}
    methods = {f"kNN {k}": {"use": "mlknn", "k": k} for k in range(1, 31)}
    made = plan(known, protocol={"splits": SPLITS}, methods=methods)
    costs = CostModel(made.facts)
    sizes = {cell.key: costs.size(cell) for cell in made.cells}
    loads = [sum(sizes[key] for key in shard) for shard in divided(made, 4)]
    assert max(loads) < 1.15 * sum(loads) / 4


@pytest.mark.parametrize("text", ["0/4", "5/4", "4", "a/b", "1/0", "-1/4", "1/4/2", "1.0/2"])
def test_what_is_no_shard(text):
    with pytest.raises(ConfigError, match=f"--shard {text}: write PART/PARTS"):
        Shard.parse(text)


@pytest.mark.slow
@given(st.integers(1, 999), st.integers(0, 999))
def test_a_shard_is_written_as_it_is_read(number, more):
    shard = Shard(number, number + more)
    assert Shard.parse(str(shard)) == shard
