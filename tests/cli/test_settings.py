from __future__ import annotations

import click
import pytest

from mlbench.cli.settings import parse_columns, parse_settings


def test_a_setting_is_read_as_an_experiment_would_read_it():
    given = ["C=1e-3", " base = tree", "on=no", "grid=[1, 2]", "empty=", "text=a=b"]
    assert parse_settings(given) == {
        **{"C": 0.001, "base": "tree", "on": "no", "grid": [1, 2], "empty": None, "text": "a=b"}
    }


@pytest.mark.parametrize("text", ["last: 5", "last:5"])
def test_the_last_columns_need_no_space(text):
    assert parse_columns(text) == {"last": 5}


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ('"a=b"=1', "a=b", 1),
        ("'it''s' = '1'", "it's", "1"),
        (r'''"tab\t"="a=b"''', "tab\t", "a=b"),
        ('"1"=2', "1", 2),
        ("""it's="x" """, "it's", "x"),
    ],
)
def test_quotes_are_those_of_yaml(text, key, value):
    assert parse_settings([text]) == {key: value}


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (['"C=3'], "write KEY=VALUE"),
        (['"C"x=3'], "write KEY=VALUE"),
        (["C"], "'C': write KEY=VALUE"),
        (["=3"], "'=3': write KEY=VALUE"),
        (["C=1", "C=2"], "'C' is set twice"),
        (["C=["], r"'\[' cannot be read: C:1:2: not valid YAML"),
        (["C={a: 1, a: 2}"], "a: this key is already on line 1"),
    ],
)
def test_what_is_no_setting_is_told(texts, words):
    with pytest.raises(click.BadParameter, match=words) as refused:
        parse_settings(texts)
    assert refused.value.param_hint == "--set"
