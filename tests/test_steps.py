from __future__ import annotations

import pytest

from mlbench.steps import doing, heard_by, steps


@pytest.fixture
def heard():
    told: list[str] = []
    with heard_by(told.append):
        yield told


def test_each_step_is_told_before_it_begins(heard):
    at_work = []
    for fold in steps("fold", "ab"):
        for label in steps("label", iter("xy"), 2):
            at_work.append((fold + label, heard[-1]))
    assert at_work == [
        ("ax", "fold 1 of 2, label 1 of 2"),
        ("ay", "fold 1 of 2, label 2 of 2"),
        ("bx", "fold 2 of 2, label 1 of 2"),
        ("by", "fold 2 of 2, label 2 of 2"),
    ]


def test_what_is_found_while_the_next_item_is_made_is_told_as_that_item(heard):
    def made():
        for item in "ab":
            for _ in steps("label", [0]):
                yield item

    last = [heard[-1] for _ in steps("candidate", made(), 2)]
    assert last == ["candidate 1 of 2, label 1 of 1", "candidate 2 of 2, label 1 of 1"]


def test_a_loop_that_is_left_early_is_over(heard):
    loop = steps("candidate", range(9))
    next(loop)
    loop.close()
    with doing("final fit"):
        assert heard[-1] == "final fit"


def test_an_error_ends_what_is_done(heard):
    with pytest.raises(KeyError), doing("final fit"):
        raise KeyError
    assert next(steps("fold", [7], 5, first=3)) == 7
    assert heard[-1] == "fold 3 of 5"


def test_where_nobody_listens_items_are_all():
    assert list(steps("fold", [1, 2])) == [1, 2]
    told: list[str] = []
    with heard_by(told.append):
        pass
    list(steps("fold", [1, 2]))
    assert told == []
