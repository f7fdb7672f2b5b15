from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.config.overrides import Setting, override
from mlbench.config.parameter_keys import has_typed_keys, with_plain_keys
from mlbench.yaml_loader import parse_yaml


def read(text, settings=()):
    source = parse_yaml(text, Path("a.yaml"), has_typed_keys)
    return with_plain_keys(override(source, [Setting.parse(text) for text in settings]).value)[
        "methods"
    ]


def pairs(*items):
    return {"use": "dict", "items": [list(pair) for pair in items]}


@pytest.mark.parametrize(
    ("entry", "location"),
    [
        ("weight: KEYS", ["weight"]),
        ("params: {weight: KEYS}", ["params", "weight"]),
        ("base: {use: y, weight: KEYS}", ["base", "weight"]),
        ("tune: {weight: [1, KEYS]}", ["tune", "weight", 1]),
    ],
)
def test_keys_in_parameters_keep_their_types(entry, location):
    entry = entry.replace("KEYS", "{0: a, true: b, 2.5: c, ~: d, '0': e, f: g}")
    found = read(f"methods: {{M: {{use: x, {entry}}}}}")["M"]
    for part in location:
        found = found[part]
    assert found == pairs((0, "a"), (True, "b"), (2.5, "c"), (None, "d"), ("0", "e"), ("f", "g"))


def test_names_are_texts():
    assert read("methods: {M: {use: x, a: {use: y, 3: 4}}}")["M"]["a"] == {"use": "y", "3": 4}
    text = "methods: {1: {use: x, 2: {a: 3}, params: {4: 5}, tune: {6: [7]}, limits: {8: 9}}}"
    assert read(text) == {
        "1": {"use": "x", "2": {"a": 3}, "params": {"4": 5}, "tune": {"6": [7]}, "limits": {"8": 9}}
    }


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("methods.M.weight={1: 3}", pairs((1, 3))),
        ("methods.M.weight.0=3", pairs((0, 3), (1, 2))),
        ("methods.M.weight.2=3", pairs((0, 1), (1, 2), (2, 3))),
    ],
)
def test_a_setting_has_typed_keys_too(setting, value):
    found = read("methods: {M: {use: x, weight: {0: 1, 1: 2}}}", [setting])
    assert found["M"]["weight"] == value
