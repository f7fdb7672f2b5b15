from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mlbench.errors import ConfigError
from mlbench.yaml_loader import dump_yaml, load_yaml, parse_yaml


@pytest.fixture(scope="module")
def write(tmp_path_factory):
    """Write a text or bytes to a file and return its path, which is the same every time."""
    path = tmp_path_factory.mktemp("yaml") / "x.yaml"

    def write(content):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("1E5", 1e5),
        ("-2.5e+1", -25.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("010", 10),
        ("-7", -7),
        ("+7", 7),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("-.inf", float("-inf")),
        ("no", "no"),
        ("yes", "yes"),
        ("off", "off"),
        ("1:30", "1:30"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("2017-05-01", "2017-05-01"),
        ("e3", "e3"),
        ("1e", "1e"),
        ("'1e-3'", "1e-3"),
        ('"true"', "true"),
        ("!!str 1", "1"),
        ("!!float 1", 1.0),
    ],
)
def test_a_value_is_what_it_looks_like(write, text, value):
    read = load_yaml(write(f"a: {text}\n")).value["a"]
    assert (type(read), read) == (type(value), value)


def test_keys_are_text(write):
    assert load_yaml(write("1: a\ntrue: b\nno: c\n")).value == {"1": "a", "true": "b", "no": "c"}


def test_every_value_knows_where_it_stands(write):
    path = write("a:\n  - x\n  - {b: 1, c: [2, 3]}\nd: >\n  long\n  text\n")
    source = load_yaml(path)
    assert source.at() == f"{path}:1:1"
    assert source.at("a") == f"{path}:1:1"
    assert source.at("a", 0) == f"{path}:2:5"
    assert source.at("a", 1, "c") == f"{path}:3:12"  # a key's value is found by its key
    assert source.at("a", 1, "c", 1) == f"{path}:3:19"
    assert source.at("d") == f"{path}:4:1"
    assert source.at("a", 1, "no such", "key") == f"{path}:3:5"  # the nearest that holds it


def test_anchors_are_fine_and_each_use_has_its_own_value(write):
    source = load_yaml(write("a: &grid [1, 2]\nb: *grid\n"))
    assert source.value == {"a": [1, 2], "b": [1, 2]}
    assert source.value["a"] is not source.value["b"]


def test_a_byte_order_mark_and_foreign_line_ends_are_fine(write):
    assert load_yaml(write(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")).value == {"a": 1, "b": 2}


def test_an_empty_file_has_no_value(write):
    for nothing in ("", "\n\n", "# only a remark\n"):
        assert load_yaml(write(nothing)).value is None


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", ":3:1: a: ", "already on line 1"),
        ("x:\n  a: 1\n  a: 3\n", ":3:3: x.a: ", "already on line 2"),
        ("1: a\n'1': b\n", ":2:1: 1: ", "already on line 1"),
        ("a: &x {b: 1}\nc: {<<: *x}\n", ":2:5: ", "merge keys"),
        ("? [a, b]\n: 1\n", ":1:3: ", "plain word"),
        ("a:\n\t- b\n", ":2:1: ", "not tabs"),
        ("a: [1, 2\nb: 3\n", ":2:", "not valid YAML"),
        ("a: *nowhere\n", ":1:4: ", "undefined alias"),
        ("--- 1\n--- 2\n", ":2:1: ", "not valid YAML"),
        ("a: !!python/object/apply:os.system [ls]\n", ":1:4: ", "python/object/apply:os.system"),
        ("a: !!python/object:os.x {b: 1}\n", ":1:4: ", "not supported"),
        ("!!python/name:os.system a: 1\n", ":1:1: ", "not supported"),
        ("a: !!python/name:os.system\n", ":1:4: ", "not supported"),
        ("a: !mine 5\n", ":1:4: ", "'!mine'"),
        ("a: !!set {b}\n", ":1:4: ", "not supported"),
        ("a: !!binary aGk=\n", ":1:4: ", "not supported"),
        ("a: !!timestamp soon\n", ":1:4: ", "not supported"),
        ("a: !!int many\n", ":1:4: ", "not a readable value"),
        ("a: !!bool maybe\n", ":1:4: ", "not a readable value"),
        (f"a: {'1' * 5000}\n", ":1:4: ", "a whole number has at most 308 digits, not 5000"),
        (f"a: 1\n{'k' * 1030}: 1\n", ":2: ", "the key 'kkkkkkkkkkkkkkkkkkkk'... has more"),
        ('a: "\\ud800"\n', ":1:4: ", "half of a character"),
        ('"\\ud800": a\n', ":1:1: ", "half of a character"),
        ('a: "\\UFFFFFFFF"\n', ": ", "not valid YAML"),
        (f"%YAML 1.{'1' * 5000}\n--- a\n", ": ", "not valid YAML"),
        ("b: 1\na: \x00\n", ":2: ", "the character #x0000 is not allowed"),
        ("a: 1\nmethods\n  B: 1\n", ":2:1: ", "a ':' is missing after this key"),
        (b"b: 1\na: caf\xe9\n", ": ", "not a text file in UTF-8 (byte 0xe9 in line 2)"),
        ("&a [*a]\n", ":1:1: ", "50 levels"),
        ("[" * 52 + "]" * 52, ":1:52: ", "50 levels"),
        ("[" * 5_000, ": ", "50 levels"),
        ("{a: " * 5_000, ": ", "50 levels"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_place(write, text, place, words):
    path = write(text)
    with pytest.raises(ConfigError) as refused:
        load_yaml(path)
    message = str(refused.value)
    assert message.startswith(f"{path}{place}")
    assert words in message
    assert "\n" not in message


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.yaml: cannot be read: No such file"):
        load_yaml(tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_yaml(tmp_path)


def test_an_alias_bomb_is_refused_and_not_expanded(write):
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]" for i in range(1, 30)]
    with pytest.raises(ConfigError, match="aliases expand too far"):
        load_yaml(write("\n".join(lines)))


_MARKS = st.text(alphabet="ab1.:-?[]{}&*!|>'\"%@#,\n\t \\<~=x0U\x85\ud7ff", max_size=60)


@settings(max_examples=200)
@given(text=st.one_of(_MARKS, st.text(max_size=60)))
@example(text="%TAG ! !\n--- !<!> a")
def test_no_text_does_worse_than_a_config_error(write, text):
    with suppress(ConfigError):
        load_yaml(write(text.encode("utf-8", "surrogatepass")))


@settings(max_examples=100)
@given(data=st.binary(max_size=60))
def test_no_bytes_do_worse_than_a_config_error(write, data):
    with suppress(ConfigError):
        load_yaml(write(data))


@pytest.mark.parametrize("text", ["1e5", "1E-3", "no", "010", "1:30", "true", "null", "", "2", "x"])
def test_text_that_looks_like_something_else_is_written_as_text(tmp_path, text):
    value = {"a": text, "b": [text, 1, 0.5, None, True]}
    assert parse_yaml(dump_yaml(value), tmp_path).value == value
    assert yaml.safe_load(dump_yaml(value)) == value


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a:\n  b: 1\n c: 2\n", "3:2", "line 3 is not indented like the lines around it"),
        ("a:\n  - x\n - y\n", "3:2", "line 3 is not indented like the lines around it"),
        ("- a\nb: 1\n", "2:1", "or is a `- item` among"),
        ("a:\n\tb: 1\n", "2:1", "line 2 is indented with a tab; use spaces, not tabs"),
        ("a:\n  b: 1\n   c: 2\n", "3:5", "line 3 has a ': ' where no key is allowed"),
        ("a:\n  b:3\n  c: 1\n", "2:5", "a space is missing after `b:`"),
        ("a:\n  B:{use: 'm.py:B'}\n  C: 1\n", "2:5", "a space is missing after `B:`"),
        ("a:\n  B: 1\n  ML-kNN:{use: c, k: 3}\n", "3:10", "a space is missing after `ML-kNN:`"),
        ("a: b: c\n", "1:5", "needs quotes"),
        ("a: @x\n", "1:4", "a text cannot start with '@'; put the text in quotes"),
        ("a: [1, 2\nb: 3\n", "2:2", "the bracket that opens on line 1 is not closed: ',' or ']'"),
    ],
)
def test_mistakes_of_layout_are_told_in_plain_words(text, place, words):
    with pytest.raises(ConfigError) as refused:
        parse_yaml(text, Path("x.yaml"))
    assert str(refused.value).startswith(f"x.yaml:{place}: not valid YAML: ")
    assert words in str(refused.value)
    assert "block" not in str(refused.value)
    assert "token" not in str(refused.value)


def test_a_pipe_is_refused_and_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "card.yaml")
    with pytest.raises(ConfigError, match=r"card\.yaml: cannot be read: not a regular file"):
        load_yaml(tmp_path / "card.yaml")
