from __future__ import annotations

from mlbench.store.plain_values import differences


def test_differences_name_each_part_by_its_path():
    old = {"a": 1, "b": {"c": [1, 2], "d": None}, "gone": 3}
    new = {"a": 1, "b": {"c": [1, 3], "d": {"e": 1}}, "new": 4}
    assert list(differences(old, new)) == [
        ("b.c", [1, 2], [1, 3]),
        ("b.d", None, {"e": 1}),
        ("gone", 3, None),
        ("new", None, 4),
    ]
    assert list(differences(old, old)) == []
