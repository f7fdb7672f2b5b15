from __future__ import annotations

import pytest

from mlbench.store.strict_json import RepeatedKeyError, parse_json


def test_values_are_those_of_json():
    assert parse_json('{"a": [1, -2.5, null, true, "x"], "b": {}}') == {
        "a": [1, -2.5, None, True, "x"],
        "b": {},
    }


def test_a_repeated_key_is_refused_at_any_depth():
    with pytest.raises(RepeatedKeyError, match="the key 'b' is there twice"):
        parse_json('{"a": [{"b": 1, "c": 2, "b": 1}]}')


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[NaN]", "NaN is not a number"),
        ("[-Infinity]", "-Infinity is not a number"),
        ("9" * 400, "at most 308 digits, not 400"),
        ("9" * 5000, "at most 308 digits, not 5000"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_what_no_result_can_hold_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_json(text)
