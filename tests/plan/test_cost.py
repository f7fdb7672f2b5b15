from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.plan.cost import CostModel
from tests.rows import make_row


def by_name(plan):
    return {cell.name: cell for cell in plan.cells}


def test_what_ran_on_the_same_data_is_the_estimate(plan, facts):
    cells = by_name(plan())
    costs = CostModel({"emotions": facts, "digits": facts})
    assert costs.seconds(cells["emotions/BR/0"]) is None
    costs.observe(cells["emotions/BR/0"], 3.0)
    costs.observe(cells["emotions/BR/1"], 5.0)
    assert costs.seconds(cells["emotions/BR/0"]) == 4.0
    assert costs.seconds(cells["emotions/ML-kNN/0"]) is None


def test_other_data_is_estimated_by_its_size(plan, facts):
    twice = replace(facts, n_samples=200)
    known = {"emotions": facts, "digits": twice}
    cells = by_name(plan(facts=known))
    costs = CostModel(known)
    costs.observe(cells["emotions/BR/0"], 3.0)
    assert costs.seconds(cells["digits/BR/0"]) == pytest.approx(6.0)


def test_rows_teach_and_foreign_or_torn_ones_are_passed_over(plan, facts):
    made = plan()
    costs = CostModel(made.facts)
    first, second = made.cells[:2]
    costs.learn(
        made.cells, {first.key: make_row(seconds={"total": 2.0}), second.key: make_row(seconds={})}
    )
    assert costs.seconds(second) == 2.0


def test_tuning_and_tasks_make_a_cell_larger(plan, facts):
    cells = by_name(plan())
    costs = CostModel({"emotions": facts, "digits": facts})
    tuned, fixed = costs.size(cells["emotions/BR/0"]), costs.size(cells["emotions/ML-kNN/0"])
    assert tuned == pytest.approx(fixed * (1 + 2 * 5))  # two values on five folds, and once more
    with_tasks = CostModel({"emotions": replace(facts, n_tasks=50)})
    assert with_tasks.size(cells["emotions/BR/0"]) == pytest.approx(10 * tuned)


def test_the_longest_come_first_and_equals_keep_their_order(plan, facts):
    made = plan(facts={"emotions": facts, "digits": replace(facts, n_samples=1000)})
    costs = CostModel(made.facts)
    order = [cell.name for cell in costs.longest_first(made.cells)]
    assert order[:3] == ["digits/BR/0", "digits/BR/1", "emotions/BR/0"]
    assert order[-2:] == ["emotions/ML-kNN/0", "emotions/ML-kNN/1"]
    costs.observe(by_name(made)["emotions/ML-kNN/0"], 1e6)
    assert costs.longest_first(made.cells)[0].method == "ML-kNN"


def test_cells_that_wait_for_a_search_come_after_all_that_do_not(plan):
    tuned = {"use": "br", "tune": {"C": [0.1, 1.0]}}
    cut = {**tuned, "threshold": "train_f1_label"}
    made = plan(methods={"A": tuned, "B": cut, "ML-kNN": {"use": "mlknn"}})
    order = [cell.method for cell in CostModel(made.facts).longest_first(made.cells)]
    assert order == ["A"] * 4 + ["ML-kNN"] * 4 + ["B"] * 4


def test_a_total_is_given_only_when_every_cell_can_be_estimated(plan, facts):
    made = plan()
    costs = CostModel(made.facts)
    costs.observe(made.cells[0], 2.0)
    knn = [cell for cell in made.cells if cell.method == "ML-kNN"]
    br = [cell for cell in made.cells if cell.method == "BR"]
    assert costs.total(made.cells) is None
    assert costs.total(br) == pytest.approx(2.0 * len(br))
    assert costs.total([]) == 0
    assert costs.total(knn) is None
