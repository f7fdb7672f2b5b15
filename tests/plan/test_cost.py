from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from mlbench.plan.cost import GROWTH, CostModel
from mlbench.store import Store
from tests.rows import make_row


def by_name(plan):
    return {cell.name: cell for cell in plan.cells}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


def test_what_ran_on_the_same_data_is_the_estimate(plan, facts):
    cells = by_name(plan())
    costs = CostModel({"emotions": facts, "digits": facts})
    assert costs.seconds(cells["emotions/BR/0"]) is None
    costs.observe(cells["emotions/BR/0"], 3.0)
    costs.observe(cells["emotions/BR/1"], 5.0)
    assert costs.seconds(cells["emotions/BR/0"]) == 4.0
    assert costs.seconds(cells["digits/ML-kNN/0"]) == pytest.approx(
        4.0 / 11**GROWTH
    )  # a fit, not 11


def test_other_data_is_estimated_by_its_size(plan, facts):
    twice = replace(facts, n_samples=200)
    known = {"emotions": facts, "digits": twice}
    cells = by_name(plan(facts=known))
    costs = CostModel(known)
    costs.observe(cells["emotions/BR/0"], 3.0)
    assert costs.seconds(cells["digits/BR/0"]) == pytest.approx(3.0 * 2**GROWTH)


def test_rows_teach_and_foreign_or_torn_ones_are_passed_over(plan, facts):
    made = plan()
    costs = CostModel(made.facts)
    first, second = made.cells[:2]
    costs.learn(
        made.cells, {first.key: make_row(seconds={"total": 2.0}), second.key: make_row(seconds={})}
    )
    assert costs.seconds(second) == 2.0


def test_rows_of_other_code_or_another_grid_count_where_there_are_no_others(plan, store):
    made = plan()
    cells = by_name(made)
    br, knn = cells["emotions/BR/0"], cells["emotions/ML-kNN/0"]
    once = {"tuning": {"grid": [], "scope": "first-split"}}
    store.write_row(make_row("a", seconds={"total": 8.0}, identity=once))
    store.write_row(make_row("b", seconds={"total": 1.0}, identity=once, split=1))
    store.write_row(make_row("c", seconds={}, identity=once))
    store.write_row(make_row("d", seconds={"total": 3.0}, method="ML-kNN"))
    costs = CostModel(made.facts)
    costs.observe(knn, 5.0)
    costs.learn_stale(made.cells, store)
    assert costs.seconds(br) == pytest.approx(8.0)
    assert costs.seconds(knn) == pytest.approx(5.0)
    assert left(costs, [br]).guessed == ()


def test_cells_that_did_not_come_to_run_tell_no_time(plan):
    made = plan()
    first, second = made.cells[:2]
    costs = CostModel(made.facts)
    ran, failed = make_row(seconds={"total": 2.0}), make_row(status="data", seconds={"total": 0.0})
    costs.learn(made.cells, {first.key: ran, second.key: failed})
    assert costs.seconds(second) == pytest.approx(2.0)


def test_of_several_older_codes_the_latest_tells_the_time(plan, store):
    made = plan()
    knn = by_name(made)["emotions/ML-kNN/0"]
    for digit, code, seconds, hour in (
        ("a", "old", 9.0, 1),
        ("b", "new", 2.0, 3),
        ("c", "new", 4.0, 2),
    ):
        finished = f"2026-01-01T0{hour}:00:00+00:00"
        identity = {"method": {"name": "mine.py:Mine", "code": code}}
        times = {"total": seconds}
        store.write_row(
            make_row(digit, seconds=times, method="ML-kNN", identity=identity, finished=finished)
        )
    costs = CostModel(made.facts)
    costs.learn_stale(made.cells, store)
    assert costs.seconds(knn) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("limit", "takes_least", "is_higher", "seconds"),
    [
        (60.0, True, True, 3.0),
        (None, True, True, 3.0),
        (1.0, True, False, 1.0),
        (60.0, False, True, None),
    ],
)
def test_older_cells_that_reached_a_limit_tell_the_least(
    plan, store, limit, takes_least, is_higher, seconds
):
    made = plan(methods={"Mine": {"use": "mlknn", "limits": {"time": limit}}})
    cell = by_name(made)["emotions/Mine/0"]
    store.write_row(make_row("a", method="Mine", status="timeout", seconds={"total": 3.0}))
    costs = CostModel(made.facts)
    least = costs.learn_stale(made.cells, store, takes_least)
    assert least == {("emotions", "Mine"): is_higher}
    assert costs.seconds(cell) == (seconds and pytest.approx(seconds))
    store.write_row(make_row("b", method="Mine", seconds={"total": 0.5}))
    costs = CostModel(made.facts)
    assert costs.learn_stale(made.cells, store) == {}
    assert costs.seconds(cell) == pytest.approx((min(3.0, limit or 3.0) + 0.5) / 2)


def test_older_cells_that_took_no_time_at_all_count(plan, store):
    made = plan()
    store.write_row(make_row(seconds={"total": 0.0}, method="ML-kNN"))
    costs = CostModel(made.facts)
    costs.learn_stale(made.cells, store)
    assert costs.seconds(by_name(made)["emotions/ML-kNN/0"]) == pytest.approx(1e-3)  # the least


def test_tuning_and_labels_make_a_cell_larger(plan, facts):
    cells = by_name(plan())
    costs = CostModel({"emotions": facts, "digits": facts})
    tuned, fixed = costs.size(cells["emotions/BR/0"]), costs.size(cells["emotions/ML-kNN/0"])
    assert tuned == pytest.approx(fixed * (1 + 2 * 5))  # two values on five folds, and once more
    more = CostModel({"emotions": replace(facts, n_labels=50)})
    assert more.size(cells["emotions/BR/0"]) == pytest.approx(10 * tuned)


def test_the_longest_come_first_and_equals_keep_their_order(plan, facts):
    made = plan(facts={"emotions": facts, "digits": replace(facts, n_samples=1000)})
    costs = CostModel(made.facts)
    order = [cell.name for cell in costs.in_order(made.cells)]
    assert order == [
        *("emotions/BR/0", "emotions/ML-kNN/0"),  # a cell of each method, on its smallest data
        *("digits/BR/0", "digits/ML-kNN/0"),  # one of each method and data set
        *("digits/BR/1", "emotions/BR/1", "digits/ML-kNN/1", "emotions/ML-kNN/1"),
    ]
    for cell in made.cells:
        costs.observe(cell, 1e6 if cell.method == "ML-kNN" else 1.0)
    assert costs.in_order(made.cells)[0].method == "ML-kNN"


def test_after_an_interruption_known_cells_come_first_and_unknown_groups_by_turns(plan, facts):
    made = plan(facts={"emotions": facts, "digits": replace(facts, n_samples=1000)})
    costs = CostModel(made.facts)
    costs.observe(next(cell for cell in made.cells if cell.method == "ML-kNN"), 1e6)
    orders = [
        [name.rpartition("/")[0] for name in (cell.name for cell in cells)][::2]
        for cells in (costs.shortest_first(made.cells, turn) for turn in (0, 1, 2, 3))
    ]
    assert {order[0] for order in orders} == {"emotions/ML-kNN"}
    groups = orders[0][1:]
    assert [order[1:] for order in orders] == [
        [*groups[turn:], *groups[:turn]] for turn in (0, 1, 2, 0)
    ]


def test_cells_that_wait_for_a_search_come_after_all_that_do_not(plan):
    tuned = {"use": "br", "tune": {"C": [0.1, 1.0]}}
    cut = {**tuned, "threshold": "train_f1_label"}
    made = plan(methods={"A": tuned, "B": cut, "ML-kNN": {"use": "mlknn"}})
    order = [cell.method for cell in CostModel(made.facts).in_order(made.cells)]
    assert sorted(order[:8]) == ["A"] * 4 + ["ML-kNN"] * 4
    assert order[8:] == ["B"] * 4


def left(costs, cells):
    return costs.remaining(Counter(map(costs.group, cells)))


def test_methods_that_have_not_run_count_and_are_named(plan, facts):
    made = plan(facts={"emotions": facts, "digits": replace(facts, n_samples=200)})
    costs = CostModel(made.facts)
    assert left(costs, made.cells) is None
    assert left(costs, []) == (0, ())
    costs.observe(made.cells[0], 11.0)
    br = [cell for cell in made.cells if cell.method == "BR"]
    both = 2 + 2 * 2**GROWTH  # two splits of each, one twice the size
    assert left(costs, br) == (pytest.approx(11 * both), ())
    untuned = 11 / 11**GROWTH
    assert left(costs, made.cells) == (pytest.approx((11 + untuned) * both), ("ML-kNN",))


def test_times_between_two_sizes_are_interpolated(plan, facts):
    datasets = ["emotions", "digits", "yeast"]
    known = {
        name: replace(facts, n_samples=n)
        for name, n in zip(datasets, (100, 10_000, 1000), strict=True)
    }
    cells = by_name(plan(facts=known, datasets=datasets))
    costs = CostModel(known)
    costs.observe(cells["emotions/BR/0"], 1.0)
    costs.observe(cells["digits/BR/0"], 4.0)
    assert costs.seconds(cells["yeast/BR/0"]) == pytest.approx(2.0)


def test_cells_that_take_over_a_search_are_told_from_those_that_search(plan):
    tuned = {"use": "br", "tune": {"C": [0.1, 1.0]}}
    tuning = {"scope": "first-split", "folds": 5}
    splits = {"kind": "random", "train": 0.6, "repeats": 4, "seed": 5}
    made = plan(methods={"A": tuned}, protocol={"tuning": tuning, "splits": splits})
    costs = CostModel(made.facts)
    costs.observe(made.cells[0], 110.0)
    costs.observe(made.cells[1], 10.0)
    assert left(costs, made.cells[2:4]).seconds == pytest.approx(20.0)
