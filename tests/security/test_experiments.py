"""An experiment from a stranger runs no code of his."""

from __future__ import annotations

import importlib.metadata
import re

import pytest

from mlbench.registry import import_policy as permission
from mlbench.registry import plugins

HEAD = """name: gift
datasets: [{use: nam-toy, tasks: 3, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 1, seed: 1}}
metrics: [macro_f1]
methods:
"""
TRAP = """
from pathlib import Path
Path(__file__).with_name("ran").touch()
from sklearn.linear_model import RidgeClassifier as Trap
"""


@pytest.fixture
def trap(tmp_path, write):
    """Write a file that leaves a mark when it is run; return the mark."""
    write("trap.py", TRAP)
    write("pack/trap.py", TRAP.replace('"ran"', '"../ran"'))
    return tmp_path / "ran"


@pytest.mark.parametrize(
    "text",
    [
        "name: !!python/object/apply:os.system ['touch ran']",
        "name: !!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path [ran]]",
        "name: !!python/object/new:os.system ['touch ran']",
        "name: !!python/name:os.system",
        "name: !!python/module:trap",
        "!!python/object/apply:os.system ['touch ran']: name",
        "name: !<tag:yaml.org,2002:python/object/apply:os.system> ['touch ran']",
        "name: !trap ran",
        "name: !!binary dHJhcA==",
        "name: !!set {a, b}",
    ],
)
def test_yaml_makes_no_objects(call, write, trap, text):
    write("gift.yaml", text)
    told = call("config", "validate", "gift.yaml")
    assert told.exit_code == 2
    assert told.stderr.startswith("error: gift.yaml:1:")
    assert not trap.exists()


def test_a_billion_laughs_end_in_words(call, write):
    levels = [f"l{i}: &l{i} [{', '.join(9 * [f'*l{i - 1}'])}]" for i in range(1, 10)]
    write("gift.yaml", "\n".join(["l0: &l0 [lol]", *levels]))
    told = call("config", "validate", "gift.yaml")
    assert told.exit_code == 2
    assert "aliases expand too far" in told.stderr


@pytest.mark.slow
@pytest.mark.parametrize("bracket", ["[", "{a: ", "- "])
def test_a_deep_nest_ends_in_words(call, write, bracket):
    write("gift.yaml", "name: gift\nmethods:\n  " + bracket * 20_000)
    told = call("config", "validate", "gift.yaml")
    assert (told.exit_code, type(told.exception)) == (2, SystemExit)
    assert told.stderr.startswith("error: gift.yaml")


@pytest.mark.parametrize(
    ("method", "key"),
    [
        ("'trap.py:Trap'", "methods.M"),
        ("{use: 'trap.py:Trap'}", "methods.M.use"),
        ("{use: './trap.py:Trap'}", "methods.M.use"),
        ("{use: trap.Trap}", "methods.M.use"),
        ("{use: 'pack.trap:Trap'}", "methods.M.use"),
        ("{use: br, base: 'trap.py:Trap'}", "methods.M.base"),
        ("{use: br, base: trap.Trap}", "methods.M.base"),
        ("{use: br, base: {use: 'trap.py:Trap'}}", "methods.M.base"),
        ("{use: br, params: {base: 'trap.py:Trap'}}", "methods.M.params.base"),
        ("{use: br, tune: {base: [tree, 'trap.py:Trap']}}", "methods.M.tune.base.1"),
        (
            "{use: sklearn.pipeline.Pipeline, steps: [[a, {use: 'trap.py:Trap'}]]}",
            "methods.M.steps",
        ),
        (
            "{use: sklearn.multiclass.OneVsRestClassifier, estimator: {use: 'trap.py:Trap'}}",
            "methods.M.estimator",
        ),
    ],
)
def test_code_is_imported_only_when_asked_and_the_error_says_how(
    call, write, trap, monkeypatch, tmp_path, method, key
):
    monkeypatch.syspath_prepend(tmp_path)
    write("gift.yaml", f"{HEAD}  M: {method}\n")
    told = call("config", "validate", "gift.yaml")
    assert told.exit_code == 2
    assert f": {key}: '" in told.stderr
    assert told.stderr.startswith("error: gift.yaml:6:")
    assert "would run code" in told.stderr
    assert "--allow-import" in told.stderr
    assert not trap.exists()


FILES = "could read or write files"
UNTRUSTED = "would run code"
CACHE = "a folder from which pickles are loaded"


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        ("func: {use: sklearn.datasets.dump_svmlight_file}", FILES),
        ("func: {use: sklearn.datasets._base.Path}", FILES),
        ("func: {use: sklearn.utils.Bunch, a: 1}", FILES),
        ("func: {use: partial, func: {use: numpy.save}, args: [ran], keywords: {}}", UNTRUSTED),
        ("func: {use: numpy.fromfile}", UNTRUSTED),
        ("func: {use: os.system}", UNTRUSTED),
        ("func: {use: builtins.open, file: ran, mode: w}", UNTRUSTED),
        ("func: {use: 'trap.py:Trap'}", UNTRUSTED),
        ("kw_args: {memory: ran}", CACHE),
        ("kw_args: {memory: {use: path, name: ran}}", CACHE),
        ("kw_args: {use: dict, items: [[memory, ran]]}", CACHE),
        ("func: {use: partial, func: {use: numpy.abs}, args: [], keywords: {memory: ran}}", CACHE),
    ],
)
def test_a_parameter_names_no_code_that_could_touch_files(call, write, trap, parameter, words):
    step = f"{{use: sklearn.preprocessing.FunctionTransformer, {parameter}}}"
    write("gift.yaml", f"{HEAD}  M: {{use: sklearn.pipeline.Pipeline, steps: [[a, {step}]]}}\n")
    told = call("config", "validate", "gift.yaml")
    assert told.exit_code == 2
    assert told.stderr.startswith("error: gift.yaml:6:")
    assert words in told.stderr
    assert "allow it with --allow-import" in told.stderr
    assert not trap.exists()


@pytest.mark.parametrize(
    "command",
    [
        ["run", "gift.yaml"],
        ["plan", "gift.yaml"],
        ["why", "gift.yaml", "nam-toy/M/0"],
        ["submit", "gift.yaml", "--dry-run"],
        ["config", "validate", "gift.yaml"],
    ],
    ids=lambda words: words[0],
)
def test_no_command_imports_and_each_takes_the_flag(call, write, trap, command):
    write("gift.yaml", f"{HEAD}  M: 'trap.py:Trap'\n")
    told = call(*command)
    assert told.exit_code == 2
    assert "allow it with --allow-import" in told.stderr
    assert not trap.exists()
    assert "--allow-import" in call(*command, "--help").stdout


def test_a_value_that_hides_among_many_is_not_imported_either(call, write, trap):
    values = ", ".join([*(300 * ["tree"]), "'trap.py:Trap'", *(300 * ["ridge"])])
    write("gift.yaml", f"{HEAD}  M: {{use: br, tune: {{base: [{values}]}}}}\n")
    told = call("plan", "gift.yaml")
    assert told.exit_code == 2
    assert not trap.exists()


def test_a_setting_of_the_command_line_is_no_permission(call, write, trap):
    write("gift.yaml", f"{HEAD}  M: br\n")
    told = call("plan", "gift.yaml", "--set", "methods.M=trap.py:Trap")
    assert told.exit_code == 2
    assert not trap.exists()


@pytest.mark.parametrize("way", ["flag", "variable"])
def test_the_user_may_allow_it(call, write, trap, monkeypatch, way):
    write("gift.yaml", f"{HEAD}  M: 'trap.py:Trap'\n")
    if way == "variable":
        monkeypatch.setenv(permission.VARIABLE, "1")
    flag = ["--allow-import"] if way == "flag" else []
    told = call("config", "validate", "gift.yaml", *flag)
    assert told.exit_code == 0, told.stderr
    assert trap.exists()


@pytest.mark.parametrize("text", ["raise ValueError('no')", "import sys\nsys.exit('no')"])
@pytest.mark.parametrize(
    "command",
    [
        ["config", "validate", "gift.yaml", "--allow-import"],
        ["run", "gift.yaml", "--allow-import"],
        ["methods", "show", "trap.py:Trap"],
        ["methods", "validate", "trap.py:Trap"],
    ],
    ids=" ".join,
)
def test_an_import_that_fails_is_named(call, write, command, text):
    write("trap.py", text)
    write("gift.yaml", f"{HEAD}  M: 'trap.py:Trap'\n")
    told = call(*command)
    assert told.exit_code == 2
    assert re.search(
        r"trap.py:Trap: importing .*trap.py failed: (ValueError|SystemExit): no", told.stderr
    )


def test_the_flag_goes_on_to_the_tasks_of_a_cluster(call, write, trap):
    write("gift.yaml", f"{HEAD}  M: 'trap.py:Trap'\n")
    script = call("submit", "gift.yaml", "--dry-run", "--allow-import").stdout
    (line,) = [line for line in script.splitlines() if " -m mlbench run " in line]
    assert " --allow-import " in line


def test_what_comes_with_us_or_is_installed_as_a_plug_in_needs_no_word(call, write, monkeypatch):
    point = importlib.metadata.EntryPoint("ridge2", "pack.trap:Trap", plugins.METHOD_GROUP)
    announced = {plugins.METHOD_GROUP: [point]}
    monkeypatch.setattr(plugins, "entry_points", lambda group: announced.get(group, []))
    for cached in (plugins.announced_targets, plugins._announced):
        cached.cache_clear()
    monkeypatch.syspath_prepend(write("pack/trap.py", TRAP).parents[1])
    lines = [
        "A: sklearn.svm.NuSVC",
        "B: 'mlbench.methods:BinaryRelevance'",
        "C: ridge2",
    ]
    write("gift.yaml", HEAD + "".join(f"  {line}\n" for line in [*lines, "D: 'pack.trap:Trap'"]))
    try:
        assert call("config", "validate", "gift.yaml").exit_code == 0
        write("gift.yaml", f"{HEAD}  E: 'pack.trap:Path'\n")
        assert "--allow-import" in call("config", "validate", "gift.yaml").stderr
    finally:
        monkeypatch.undo()
        for cached in (plugins.announced_targets, plugins._announced):
            cached.cache_clear()


@pytest.mark.parametrize(
    "method",
    [
        "{use: sklearn.pipeline.Pipeline, memory: store, steps: [[a, {use: tree}]]}",
        "{use: sklearn.pipeline.Pipeline, steps: [[a, {use: tree}]], tune: {memory: [store]}}",
        "{use: br, base: {use: sklearn.pipeline.Pipeline, memory: store, steps: []}}",
    ],
)
def test_a_folder_of_pickles_is_not_opened(call, write, method):
    write("gift.yaml", f"{HEAD}  M: {method}\n")
    told = call("config", "validate", "gift.yaml")
    assert told.exit_code == 2
    assert "'store' would be a folder from which pickles are loaded" in told.stderr


def test_a_name_is_no_path(call, write):
    write("gift.yaml", HEAD.replace("gift", "../../gift") + "  M: br\n")
    told = call("plan", "gift.yaml")
    assert told.exit_code == 2
    assert "name: must be letters, digits" in told.stderr


def test_errors_about_hostile_names_do_not_reach_the_terminal_raw(call, write):
    write("gift.yaml", HEAD + '  "a\\e]0;owned\\a\\e[2J": {use: nothing}\n')
    told = call("config", "validate", "gift.yaml")
    assert told.exit_code == 2
    assert "\x1b" not in told.stderr
    assert "methods.a\\u001b]0;owned\\u0007" in told.stderr
