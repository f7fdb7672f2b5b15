from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.config.load import load_experiment
from mlbench.config.overrides import Setting, override
from mlbench.errors import ConfigError
from mlbench.yaml_loader import parse_yaml

FILE = """\
name: first
datasets: [digits, {use: emotions, as: E}]
protocol:
  splits: {kind: random, repeats: 10}
methods:
  LSPC: {use: lspc, tune: {rho: &grid [0.1, 1]}}
  again: {use: lspc, tune: {rho: *grid}}
"""


def settings(*texts):
    return [Setting.parse(text) for text in texts]


@pytest.fixture
def source():
    return parse_yaml(FILE, Path("first.yaml"))


def test_a_value_of_the_file_is_set_anew_and_the_file_stays(source):
    changed = override(source, settings("protocol.splits.repeats=3", "datasets.1.as=Emotions"))
    assert changed.value["protocol"]["splits"] == {"kind": "random", "repeats": 3}
    assert changed.value["datasets"][1] == {"use": "emotions", "as": "Emotions"}
    assert source.value["protocol"]["splits"]["repeats"] == 10


def test_keys_on_the_way_are_made_and_values_are_yaml(source):
    changed = override(source, settings("protocol.tuning.folds=3", "metrics=[macro_f1, hamming]"))
    assert changed.value["protocol"]["tuning"] == {"folds": 3}
    assert changed.value["metrics"] == ["macro_f1", "hamming"]


def test_its_text_is_the_experiment_that_is_run(source):
    changed = override(source, settings("protocol.splits.repeats=3"))
    assert changed.text.startswith("# --set protocol.splits.repeats=3\n")
    assert parse_yaml(changed.text, Path("copy.yaml")).value == changed.value


def test_without_settings_the_source_is_the_file(source):
    assert override(source, []) is source


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("repeats", "give KEY=VALUE"),
        ("=3", "give KEY=VALUE"),
        ("protocol..repeats=3", "give KEY=VALUE"),
        ("name.first=3", "name is 'first' in the file, without 'first'"),
        ("datasets.2.use=iris", "datasets is a list of 2 in the file, without '2'"),
        ("protocol.splits=[1", r"--set protocol.splits=\[1:1:\d+: not valid YAML"),
    ],
)
def test_a_setting_that_cannot_be_read(source, setting, words):
    with pytest.raises(ConfigError, match=words):
        override(source, [Setting.parse(setting)])


def test_a_part_with_a_dot_or_an_equals_sign_stands_in_quotes(source):
    source.value["methods"].update({"v1.2": {"use": "lspc"}, "a = b": {"use": "lspc"}})
    texts = ['methods."v1.2".rho=0.3', "methods.'a = b'.rho=[0.1]", "title=a=b.c"]
    changed = override(source, [Setting.parse(text) for text in texts]).value
    assert changed["methods"]["v1.2"] == {"use": "lspc", "rho": 0.3}
    assert changed["methods"]["a = b"] == {"use": "lspc", "rho": [0.1]}
    assert changed["title"] == "a=b.c"


QUICK = FILE + "quick: {protocol.splits.repeats: 2, datasets: [digits]}\n"


@pytest.mark.parametrize(
    ("more", "rules"),
    [
        ([], [{"without": ["mine"]}, {"without": ["again", "mine"]}]),
        (["audit.accept=[]"], []),
        (["methods.LSPC.threshold=own"], [{"without": ["mine"]}, {"without": ["again", "mine"]}]),
    ],
)
def test_what_the_file_accepts_is_not_accepted_of_a_method_that_a_setting_adds(more, rules):
    text = FILE + (
        "audit:\n  accept:\n"
        "    - {check: threshold, because: as in print}\n"
        "    - {check: threshold, without: again, because: as in print}\n"
    )
    source = parse_yaml(text, Path("first.yaml"))
    changed = override(source, settings("methods.mine={use: br}", *more))
    kept = {"check": "threshold", "because": "as in print"}
    assert changed.value["audit"]["accept"] == [{**kept, **rule} for rule in rules]
    same = override(source, settings("methods.LSPC.threshold=own"))
    assert same.value["audit"] == source.value["audit"]


@pytest.mark.parametrize("audit", ["x", "{accept: x}", "{accept: [x]}", "[x]"])
def test_rules_of_a_wrong_type_are_an_error_with_settings_too(tmp_path, audit):
    path = tmp_path / "first.yaml"
    path.write_text(f"{FILE}audit: {audit}\n")
    with pytest.raises(ConfigError, match=r"first\.yaml:8:\d+: audit"):
        load_experiment(path, (), ["methods.mine={use: br}"])


def test_quick_overrides_the_file_and_has_a_name_of_its_own(tmp_path):
    path = tmp_path / "first.yaml"
    path.write_text(QUICK, encoding="utf-8")
    full = load_experiment(path).experiment
    assert (full.name, full.protocol.splits.repeats) == ("first", 10)
    loaded = load_experiment(path, quick=True)
    quick = loaded.experiment
    assert (quick.name, quick.protocol.splits.repeats) == ("first-quick", 2)
    assert [each.use for each in quick.datasets] == ["digits"]
    assert loaded.source.text.startswith("# --quick\n")
    assert parse_yaml(loaded.source.text, path).value == loaded.source.value


def test_a_setting_goes_before_quick(tmp_path):
    path = tmp_path / "first.yaml"
    path.write_text(QUICK, encoding="utf-8")
    quick = load_experiment(path, (), ["protocol.splits.repeats=3"], quick=True).experiment
    assert quick.protocol.splits.repeats == 3


@pytest.mark.parametrize(
    ("quick", "words"),
    [
        ("quick: {protocol.splits.repeat: 2}", ":8:9: quick: protocol.splits.repeat: unknown key"),
        (
            "quick: {protocol.splits.repeats: two}",
            ":8:9: quick: protocol.splits.repeats: must be a whole",
        ),
        ("quick: {name.first: 2}", ":8:9: quick: name is 'first' in the file, without 'first'"),
        ("quick: {protocol..repeats: 2}", ":8:9: quick.protocol..repeats: is no key"),
        ("quick: {}", ":8:1: quick: must have at least 1 entry"),
    ],
)
def test_what_quick_lists_is_checked_with_the_file(tmp_path, quick, words):
    path = tmp_path / "first.yaml"
    path.write_text(f"{FILE}{quick}\n", encoding="utf-8")
    with pytest.raises(ConfigError) as problem:
        load_experiment(path)
    assert words in str(problem.value)


def test_quick_needs_a_list_of_values(tmp_path):
    path = tmp_path / "first.yaml"
    path.write_text(FILE, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"has no `quick:`"):
        load_experiment(path, quick=True)


def test_errors_name_the_setting_and_not_a_line(tmp_path):
    path = tmp_path / "first.yaml"
    path.write_text(FILE, encoding="utf-8")
    settings = ["protocol.splits.repeats=few", "protocol.tuning.fold=3"]
    with pytest.raises(ConfigError) as problem:
        load_experiment(path, (), settings)
    first, second = sorted(str(problem.value).splitlines())
    assert first.startswith("--set protocol.splits.repeats=few: protocol.splits.repeats: must be")
    assert second.startswith("--set protocol.tuning.fold=3: protocol.tuning.fold: unknown key")
    assert "did you mean 'folds'?" in second


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("methods.new.k=3", "methods.new: the key 'use'"),
        ("datasets.1.as=[1]", "datasets.1.as: must be text"),
    ],
)
def test_errors_in_keys_that_a_setting_made_or_reached_name_it(tmp_path, setting, words):
    path = tmp_path / "first.yaml"
    path.write_text(FILE, encoding="utf-8")
    with pytest.raises(ConfigError) as problem:
        load_experiment(path, (), [setting])
    assert str(problem.value).startswith(f"--set {setting}: {words}")
