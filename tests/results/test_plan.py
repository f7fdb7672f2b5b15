"""A plan is read as it was written, or refused in one line that says what is wrong."""

from __future__ import annotations

import json

import pytest

from mlbench.config.schema import ExperimentConfig
from mlbench.errors import StoreError
from mlbench.results.plan import PlannedCell, StoredPlan
from mlbench.store import SCHEMA, Store
from tests.plans import FACTS, make_plan, plain_plan

METRIC = {
    "name": "my.py:error",
    "title": "Error",
    "greater_is_better": False,
    "needs": "labels",
    "description": "Mine.",
    "range": [0, None],
}
EVERYTHING = {
    "name": "large",
    "datasets": [
        {"use": "scene", "as": "Scene", "train": 1000, "imbalance": {"ratio": 5}, "rows": 50}
    ],
    "protocol": {
        "splits": {"kind": "kfold", "folds": 3, "repeats": 2},
        "tuning": {"patience": 3},
        "preprocess": "standardize",
    },
    "methods": {"A": {"use": "br", "tune": {"C": {"log10": [-1, 1, 3]}}, "k": 2}},
    "limits": {"time": "90 min", "memory": "4 GB"},
    "tests": [{"method": "A", "test": "t"}],
    "published": "ke",
}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


def test_a_plan_has_types(store):
    store.write_plan(plain_plan(), "name: trial")
    plan = StoredPlan.read(store)
    assert plan.experiment.methods["A"].use == "br"
    assert plan.datasets == {"toy": FACTS}
    assert plan.methods == ("A",)
    assert plan.cells == (PlannedCell("toy", "A", 0, "a" * 64),)
    assert plan.user_metrics == ()


def test_an_experiment_comes_back_as_it_was_written():
    experiment = ExperimentConfig.model_validate(EVERYTHING)
    plain = plain_plan(["Scene"], n_splits=experiment.protocol.splits.n_splits)
    plain["experiment"] = experiment.model_dump(mode="json", by_alias=True)
    plan = StoredPlan.from_plain(plain)
    assert plan.experiment == experiment
    assert json.dumps(plan.as_plain()) == json.dumps(plain)


def test_user_metrics_come_back():
    plain = plain_plan() | {"user_metrics": [METRIC]}
    plan = StoredPlan.from_plain(plain)
    assert plan.user_metrics[0].range == (0.0, float("inf"))
    assert plan.as_plain()["user_metrics"] == [METRIC]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"experiment": None}, "experiment: "),
        ({"experiment": {"name": "older"}}, "experiment.datasets: "),
        ({"cells": 5}, "cells: "),
        ({"cells": []}, "cells: "),
        ({"cells": [[1, 2]]}, "cells.0"),
        ({"cells": [["toy", "A", 0.5, "a" * 64]]}, "cells.0"),
        ({"cells": [["other", "A", 0, "a" * 64]]}, "a cell of unknown data or method: other/A"),
        ({"cells": [["toy", "B", 0, "a" * 64]]}, "a cell of unknown data or method: toy/B"),
        ({"cells": [["toy", "A", 0, "../../etc"]]}, "not the split and key of a cell: 0, '../"),
        ({"n_splits": "many"}, "n_splits: "),
        ({"n_splits": 0}, "n_splits: "),
        ({"methods": ["A", "B"]}, "its methods are not those of its experiment"),
        ({"datasets": {}}, "its data sets are not those of its experiment"),
        ({"datasets": {"toy": {}}}, "datasets.toy.fingerprint: "),
        ({"user_metrics": [{**METRIC, "range": "wide"}]}, "user_metrics.0: "),
        ({"user_metrics": [{}]}, "user_metrics.0: not a metric"),
    ],
)
def test_a_damaged_plan_is_refused_with_its_place_and_the_remedy(store, change, words):
    store.root.mkdir()
    content = {"schema": SCHEMA, **plain_plan(), **change}
    (store.root / "plan.json").write_text(json.dumps(content))
    with pytest.raises(StoreError) as refused:
        StoredPlan.read(store)
    told = str(refused.value)
    assert told.startswith(f"{store.root / 'plan.json'}: damaged ({words}")
    assert told.endswith("`mlbench run` on the same folder writes it again")
    assert "\n" not in told


def test_a_limit_that_a_method_leaves_to_all_is_that_of_the_experiment():
    methods = {"A": {"use": "br", "limits": {"time": 1}}, "B": {"use": "mlknn"}}
    made = make_plan(methods=methods, limits={"time": 60, "failures": 3})
    read = StoredPlan.from_plain(made.as_plain())  # which has null where nothing is stated
    assert {m: (each.time, each.failures) for m, each in read.limits.items()} == {
        "A": (1.0, 3),
        "B": (60.0, 3),
    }
