from __future__ import annotations

import json
from dataclasses import replace

import pytest


def test_a_cell_carries_what_running_it_takes(plan, tmp_path):
    made = plan(
        methods={"A": {"use": "mlknn", "k": 7, "limits": {"memory": "1 GB"}}},
        datasets=[{"use": "digits", "rows": 9, "as": "few"}],
        limits={"time": "1 min", "memory": "2 GB"},
        keep_predictions=True,
    )
    cell = made.cells[1]
    assert (cell.dataset, cell.method, cell.split) == ("few", "A", 1)
    assert cell.data.reference == {"use": "digits", "rows": 9}
    assert (cell.planned_method.use, cell.planned_method.parameters) == ("mlknn", {"k": 7})
    assert (cell.limits.time, cell.limits.memory) == (60, 1000)
    assert (cell.keep_predictions, cell.planned_method.folder) == (True, tmp_path)


def test_where_tuning_is_done_once_the_other_splits_wait_for_the_first(plan):
    splits = {"repeats": 3}
    made = plan(protocol={"splits": splits, "tuning": {"scope": "first-split"}})
    first = {(c.dataset, c.method): c.key for c in made.cells if c.split == 0}
    for cell in made.cells:
        waits = cell.split > 0 and cell.method == "BR"  # ML-kNN is not tuned
        assert cell.after == (first[cell.dataset, cell.method] if waits else None)


TUNED = {"use": "br", "tune": {"C": [0.1, 1.0]}}


def test_cells_that_differ_in_their_thresholds_alone_wait_for_the_first_and_share_its_search(plan):
    methods = {
        "default": TUNED,
        "fixed": {"use": "br"},
        "label": {**TUNED, "threshold": "train_f1_label"},
        "held out": {**TUNED, "threshold": "cv_f1_label"},
        "same": TUNED,
        "other metric": {**TUNED, "scoring": "micro_f1"},
        "scaled": {**TUNED, "preprocess": "standardize"},
    }
    cells = plan(methods=methods).cells
    first = {(c.dataset, c.split): c.key for c in cells if c.method == "default"}
    for cell in cells:
        shares = cell.method in ("default", "label", "held out", "same")
        waits = cell.method in ("label", "held out")
        assert cell.shares_search == shares
        assert cell.after == (first[cell.dataset, cell.split] if waits else None)


def test_where_tuning_is_done_once_all_thresholds_wait_for_one_search(plan):
    methods = {"A": TUNED, "B": {**TUNED, "threshold": "train_f1_label"}}
    splits = {"repeats": 3}
    made = plan(
        methods=methods, protocol={"splits": splits, "tuning": {"scope": "first-split"}}
    ).cells
    firsts = [cell for cell in made if cell.after is None]
    assert [cell.name for cell in firsts] == ["emotions/A/0", "digits/A/0"]
    assert {cell.after for cell in made if cell.dataset == "digits"} == {None, firsts[1].key}


def test_a_name_given_twice_to_the_same_cell_shares_nothing(plan):
    cells = plan(methods={"A": TUNED, "B": TUNED}).cells
    assert not any(cell.shares_search or cell.after for cell in cells)


def test_nothing_waits_where_every_split_is_tuned(plan):
    assert all(cell.after is None for cell in plan().cells)


@pytest.mark.parametrize(
    ("splits", "number"),
    [
        ({"repeats": 4}, 4),
        ({"kind": "kfold", "folds": 3, "repeats": 2}, 6),
    ],
)
def test_the_number_of_splits(plan, splits, number):
    made = plan(protocol={"splits": splits})
    assert made.n_splits == number
    assert [cell.split for cell in made.cells[:number]] == list(range(number))


def test_numbers_of_samples_are_per_task_where_there_are_tasks(plan, facts):
    tasks = replace(facts, n_tasks=4)
    assert plan(
        facts={"emotions": tasks, "digits": tasks},
        methods={"BR": "br"},
        protocol={"splits": {"train": 300}},
    )
    assert tasks.n_columns == 4
    assert facts.n_columns == 5


def test_the_plan_is_plain(plan):
    plain = json.loads(json.dumps(plan().as_plain(), allow_nan=False))
    assert plain["cells"][0][:3] == ["emotions", "BR", 0]
    assert plain["methods"] == ["BR", "ML-kNN"]
    assert plain["datasets"]["digits"]["n_samples"] == 100


def test_a_method_has_no_cells_where_it_is_not_on_and_other_keys_stay(plan):
    everywhere = {"BR": {"use": "br"}, "ML-kNN": {"use": "mlknn"}}
    whole = plan(methods=everywhere)
    made = plan(methods={**everywhere, "BR": {"use": "br", "not_on": "emotions"}})
    left_out = [cell for cell in whole.cells if (cell.dataset, cell.method) == ("emotions", "BR")]
    assert len(left_out) == 2
    assert [cell.key for cell in made.cells] == [
        cell.key for cell in whole.cells if cell not in left_out
    ]
