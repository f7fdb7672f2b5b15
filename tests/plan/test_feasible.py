from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.errors import ConfigError
from mlbench.plan import ImpossiblePlan


@pytest.mark.parametrize(
    ("splits", "words"),
    [
        ({"kind": "published"}, "emotions has no published training and test part"),
        (
            {"train": 90, "test": 11},
            "emotions: 100 samples cannot be divided into 90 for training and 11",
        ),
        ({"train": 100}, "100 samples cannot be divided into 100 for training and 0"),
        ({"train": 0.999}, "100 samples cannot be divided into 100 for training and 0"),
        ({"kind": "kfold", "folds": 101}, "emotions has 100 samples, too few for 101 folds"),
    ],
)
def test_a_data_set_that_cannot_be_divided_so_is_refused(plan, splits, words):
    with pytest.raises(ConfigError, match=words):
        plan(protocol={"splits": splits})


@pytest.mark.parametrize(
    "splits", [{"train": 90, "test": 10}, {"train": 99}, {"kind": "kfold", "folds": 100}]
)
def test_what_can_just_be_divided_is_planned(plan, splits):
    assert plan(protocol={"splits": splits}).cells


def test_a_published_split_is_one_split(plan, facts):
    published = replace(facts, has_published_split=True)
    made = plan(
        facts={"emotions": published, "digits": published},
        protocol={"splits": {"kind": "published"}},
    )
    assert made.n_splits == 1


def problems(plan, **changes):
    with pytest.raises(ImpossiblePlan) as refused:
        plan(**changes)
    return refused.value.problems


@pytest.fixture
def tasked(facts):
    """Return facts by which one of two data sets has tasks."""
    return {"emotions": facts, "digits": replace(facts, n_labels=1, n_tasks=4)}


def test_a_method_for_tasks_needs_data_with_tasks(plan, tasked):
    methods = {"MT": "mt_lspc", "pair": {"use": "mt_lspc_pair", "tune": {"gamma": [0, 1]}}}
    for_tasks, pair = problems(plan, facts=tasked, methods=methods)
    assert for_tasks[0] == ("methods", "MT")
    assert for_tasks[1].startswith(
        "emotions: MultiTaskLSPC learns one label over several tasks, and these data have no tasks"
    )
    assert pair[0] == ("methods", "pair")
    assert plan(facts=tasked, methods=methods, datasets=["digits"]).cells


def test_data_with_tasks_need_a_method_that_takes_them(plan, tasked):
    methods = {"ML-kNN": "mlknn", "BR": "br", "forest": "sklearn.ensemble.RandomForestClassifier"}
    found = problems(plan, facts=tasked, methods=methods)
    assert [location for location, _ in found] == [("methods", "ML-kNN"), ("methods", "forest")]
    assert all(message.startswith("digits: ") for _, message in found)
    assert "MLkNN takes no tasks, and every row of these data belongs to one" in found[0][1]
    assert plan(facts=tasked, methods=methods, datasets=["emotions"]).cells


def test_labels_that_draw_samples_of_their_own_are_tasks(plan):
    skewed = {"use": "digits", "imbalance": {"ratio": 5}}
    ((location, message),) = problems(plan, datasets=[skewed])
    assert location == ("methods", "ML-kNN")
    assert message.startswith("digits[imbalance=1:5]: MLkNN takes no tasks")
    assert plan(datasets=[skewed], methods={"MT": "mt_lspc", "BR": "br"}).cells


def test_a_training_part_of_a_data_set_belongs_to_random_splits(plan):
    fifth = {"use": "digits", "train": 0.2}
    splits = {"kind": "kfold", "folds": 3}
    ((location, message),) = problems(plan, datasets=[fifth], protocol={"splits": splits})
    assert location == ("datasets", 0, "train")
    assert message.endswith("belongs to splits of the kind random, not kfold")
    most = {"use": "digits", "train": 100_000}
    ((location, message),) = problems(plan, datasets=[most])
    assert "cannot be divided into 100000 for training" in message


def test_a_grid_that_is_too_large_is_refused(plan):
    grid = {"linear": [1, 400, 400]}
    methods = {"A": {"use": "ml_lspc", "tune": {"width": grid, "lam": grid}}}
    ((location, message),) = problems(plan, methods=methods)
    assert location == ("methods", "A", "tune")
    assert "a grid of 160000 points (the product of width, lam)" in message


def test_all_that_is_impossible_is_told_at_once(plan, tasked):
    found = problems(
        plan,
        facts=tasked,
        methods={"MT": "mt_lspc", "ML-kNN": "mlknn"},
        protocol={"splits": {"train": 100}},
    )
    assert [location for location, _ in found] == [
        ("protocol", "splits"),
        ("methods", "MT"),
        ("methods", "ML-kNN"),
    ]
