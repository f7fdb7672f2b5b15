from __future__ import annotations

import pytest

from mlbench.store.plain_values import differing_values, exported_text, part_text


def test_differences_name_each_part_by_its_path():
    old = {"a": 1, "b": {"c": [1, 2], "d": None}, "gone": 3}
    new = {"a": 1, "b": {"c": [1, 3], "d": {"e": 1}}, "new": 4}
    assert list(differing_values(old, new)) == [
        ("b.c", [1, 2], [1, 3]),
        ("b.d", None, {"e": 1}),
        ("gone", 3, None),
        ("new", None, 4),
    ]
    assert list(differing_values(old, old)) == []


def test_of_classes_with_other_names_no_parameters_are_compared():
    old = {"method": {"name": "mlknn", "revision": 1, "params": {"k": 7}}}
    new = {"method": {"name": "br", "revision": 1, "params": {"base": None}}}
    assert list(differing_values(old, new)) == [("method.name", "mlknn", "br")]


def test_a_whole_number_is_no_decimal_one():
    old = {"C": 1, "more": [1, 2], "on": True, "same": [1, {"a": 0.5}]}
    new = {"C": 1.0, "more": [1.0, 2], "on": 1, "same": [1, {"a": 0.5}]}
    assert [(path, repr(now)) for path, _, now in differing_values(old, new)] == [
        ("C", "1.0"),
        ("more", "[1.0, 2]"),
        ("on", "1"),
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (0.1, "0.1"),
        ("a", "a"),
        ({"b": [1, None], "a": True}, "{'a': True, 'b': [1, None]}"),
        ({"use": "tuple", "items": [8, {"use": "tuple", "items": [2]}]}, "(8, (2,))"),
        ({"use": "dict", "items": [[0, 1], ["0", 2]]}, "{0: 1, '0': 2}"),
        ({"use": "dict", "items": [3]}, "{'items': [3], 'use': 'dict'}"),
        ({"use": "svc", "C": 1}, "{'C': 1, 'use': 'svc'}"),
    ],
)
def test_exported_values_are_written_as_in_python(value, text):
    assert exported_text(value) == text


def test_a_parameter_that_is_left_out_has_its_default():
    assert part_text("method.params.rho", None) == "default"
    assert part_text("method.params.rho", 0.11) == "0.11"
    assert part_text("threads", None) == "default"
    assert part_text("tuning", None) == "null"
