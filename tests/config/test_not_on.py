"""A method can be left out on some data sets, by their names in tables."""

from __future__ import annotations

import pytest

from mlbench.config.load import load_experiment
from mlbench.errors import ConfigError

FILE = """\
name: x
datasets: [digits, {use: nam-toy, as: toy}]
methods:
  A: {use: mlknn, not_on: [toy]}
  B: {use: br, not_on: digits}
quick: {datasets: [digits]}
"""


def test_it_is_a_name_or_a_list(load):
    methods = load(FILE).experiment.methods
    assert {name: method.not_on for name, method in methods.items()} == {
        "A": ["toy"],
        "B": ["digits"],
    }


@pytest.mark.parametrize(
    ("entry", "column", "key", "words"),
    [
        ("[toy, digts]", 33, "methods.A.not_on.1", "'digts' (did you mean 'digits'?); it has"),
        ("digts", 19, "methods.A.not_on", "this experiment has no data set 'digts'"),
        ("[nam-toy]", 28, "methods.A.not_on.0", "it has digits, toy"),
        ("[3]", 28, "methods.A.not_on.0", "must be text, not 3"),
    ],
)
def test_a_name_that_is_no_data_set_is_told_at_its_line(problems, entry, column, key, words):
    text = FILE.replace("A: {use: mlknn, not_on: [toy]}", f"A: {{use: mlknn, not_on: {entry}}}")
    ((line, at, message),) = problems(text)
    assert (line, at) == (4, column)
    assert message.startswith(f"{key}: ")
    assert words in message


def test_something_must_be_left_to_run(problems):
    text = FILE.replace("[toy]", "[digits, toy]").replace("on: digits", "on: [digits, toy]")
    ((line, _, message),) = problems(text)
    assert line == 5
    assert message == "methods.B.not_on: leaves nothing to run: no method is on any data set"


def test_a_data_set_that_a_setting_takes_out_is_taken_out_of_it_too(load, tmp_path):
    load(FILE)
    quick = load_experiment(tmp_path / "x.yaml", quick=True)
    assert quick.experiment.methods["A"].not_on == []
    assert quick.experiment.methods["B"].not_on == ["digits"]
    (tmp_path / "saved.yaml").write_text(quick.source.text)
    assert load_experiment(tmp_path / "saved.yaml").experiment == quick.experiment
    with pytest.raises(ConfigError, match=r"methods\.A\.not_on: .* no data set 'tay'"):
        load_experiment(tmp_path / "x.yaml", settings=["datasets=[digits]", "methods.A.not_on=tay"])
