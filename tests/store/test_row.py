from __future__ import annotations

import pytest

from mlbench.store.row import check_identity

GOOD = {
    "dataset": {"fingerprint": "1a"},
    "split": {"index": 0},
    "method": {"name": "br", "params": {"C": 1.0}},
    "tuning": None,
}


def test_an_identity_that_readers_can_take_apart():
    check_identity(GOOD)
    check_identity({name: part for name, part in GOOD.items() if name != "method"})


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("dataset", {}),
        ("split", 3),
        ("method", None),
        ("method", {"name": "br", "params": None}),
        ("tuning", {}),
    ],
)
def test_one_that_they_cannot_is_refused(part, value):
    with pytest.raises(ValueError, match=part):
        check_identity({**GOOD, part: value})
