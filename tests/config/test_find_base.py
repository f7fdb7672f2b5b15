"""An experiment takes its settings from the published results that it stands on."""

from __future__ import annotations

import json

import pytest

from mlbench.bundle import pack, published_texts
from mlbench.config.find_base import find_base
from mlbench.config.load import load_experiment
from mlbench.errors import ConfigError
from mlbench.resources import bundled
from tests.plans import plain_plan

PUBLISHED = {
    "datasets": ["digits", "nam-toy"],
    "protocol": {"splits": {"kind": "kfold", "folds": 3}, "threshold": "cv_f1_label"},
    "metrics": ["macro_f1", "micro_auc"],
    "limits": {"time": 60.0, "memory": 4000.0},
    "threads": 2,
}
MINE = "name: mine\nbase: there\nmethods: {mine: mlknn}\n"


@pytest.fixture
def publish(tmp_path):
    """Write the part of an exported folder that tells of its experiment."""

    def publish(name="there", experiment="", **changes):
        plain = plain_plan(methods=["BR", "ML-kNN"])
        entries = changes.pop("datasets", PUBLISHED["datasets"])
        plain["experiment"] |= {**PUBLISHED, **changes}
        plain["experiment"]["datasets"] = [
            {"use": each, "as": None} if isinstance(each, str) else each for each in entries
        ]
        names = [each if isinstance(each, str) else each["as"] for each in entries]
        plain["datasets"] = {each: {} for each in names}
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "export.json").write_text(json.dumps({"mlbench_export": 1, **plain}))
        (tmp_path / name / "experiment.yaml").write_text(experiment)

    return publish


def test_what_it_takes_from_there(publish, load, tmp_path):
    publish()
    loaded = load(MINE)
    experiment, found = loaded.experiment, loaded.base
    assert [each.display for each in experiment.datasets] == ["digits", "nam-toy"]
    assert experiment.protocol.splits.folds == 3
    assert experiment.protocol.threshold == "cv_f1_label"
    assert experiment.metrics == ["macro_f1", "micro_auc"]
    assert (experiment.limits.time, experiment.limits.memory) == (60, 4000)
    assert experiment.threads == 2
    assert [*experiment.methods] == ["mine"]
    assert (found.path, found.methods) == (tmp_path / "there", ("BR", "ML-kNN"))


def test_the_first_own_method_is_tested_against_all_others(publish, load):
    publish()
    (test,) = load("name: x\nbase: there\nmethods: {a: mlknn, b: lp}\n").experiment.tests
    assert (test.method, test.against, test.test) == ("a", None, ["corrected_t"])
    assert test.over_datasets == ["friedman"]


def test_own_settings_that_no_base_contradicts(publish, load):
    publish()
    more = (
        "metrics: [macro_f1]\nlimits: {time: 2}\nthreads: 1\ntests: {method: mine, against: BR}\n"
    )
    experiment = load(MINE + more).experiment
    assert experiment.metrics == ["macro_f1"]
    assert (experiment.limits.time, experiment.limits.memory) == (2, None)
    assert experiment.tests[0].against == ["BR"]


def test_some_of_it(publish, load):
    publish()
    text = "name: x\nbase: {use: there, datasets: [nam-toy], without: [BR]}\nmethods: {BR: mlknn}\n"
    loaded = load(text)
    assert [each.display for each in loaded.experiment.datasets] == ["nam-toy"]
    assert loaded.base.methods == ("ML-kNN",)
    text = "name: x\nbase: {use: there, methods: [BR]}\nmethods: {A: mlknn}\n"
    assert load(text).base.methods == ("BR",)


def test_files_of_its_data_are_found_from_its_folder(publish, load, tmp_path):
    entry = {"use": "../data/songs.csv", "as": "songs"}
    publish("sub/there", "datasets: [../../data/songs.csv]", datasets=[entry])
    experiment = load("name: x\nbase: sub/there\nmethods: {A: mlknn}\n").experiment
    (dataset,) = experiment.datasets
    assert dataset.resolved(tmp_path) == str(tmp_path / "data/songs.csv")
    assert dataset.display == "songs"


def test_bundled_results_have_names(tmp_path):
    assert find_base("strong-baselines", tmp_path) == bundled("results") / "strong-baselines"
    with pytest.raises(ConfigError) as refused:
        find_base("stron-baselines", tmp_path)
    assert str(refused.value).startswith(
        "stron-baselines: no such folder or bundled result (did you mean 'strong-baselines'?); "
        "bundled: arena, baselines, strong-baselines"
    )


def test_a_bundle_is_as_good_as_its_folder(publish, load, tmp_path):
    publish()
    (tmp_path / "one.json.xz").write_bytes(pack(published_texts(tmp_path / "there")))
    experiment = load(MINE.replace("there", "one.json.xz")).experiment
    assert experiment == load(MINE).experiment.model_copy(update={"base": experiment.base})


def test_another_folder_is_none(tmp_path):
    (tmp_path / "runs").mkdir()
    with pytest.raises(ConfigError, match=r"runs: is not a folder of `mlbench export --folder`"):
        find_base("runs", tmp_path)


def test_a_name_comes_before_a_folder_that_is_called_alike(publish, tmp_path):
    publish("strong-baselines")
    by_name = bundled("results") / "strong-baselines"
    assert find_base("strong-baselines", tmp_path) == by_name
    assert find_base("./strong-baselines", tmp_path) == tmp_path / "strong-baselines"


STATED = {
    "protocol": (
        "protocol: {splits: {folds: 2}}",
        *(4, 1, "protocol: the base's protocol counts; take this out (or drop base: and run all"),
    ),
    "datasets": (
        "datasets: [digits]",
        *(4, 1, "datasets: the base's data sets count; take this out (or drop base: and run all"),
    ),
    "published": ("published: ke", 4, 1, "published: the base's results are compared, not those"),
}


@pytest.mark.parametrize("name", STATED)
def test_what_the_base_decides_is_not_stated(publish, problems, name):
    publish()
    text, line, column, message = STATED[name]
    ((row, place, told),) = problems(f"{MINE}{text}\n")
    assert (row, place) == (line, column)
    assert told.startswith(message)


WRONG = {
    "no such base": (
        "base: ther\nmethods: {A: mlknn}",
        *(2, 1, "base: ther: no such folder or bundled result"),
    ),
    "another kind of folder": (
        "base: {use: ./other}\nmethods: {A: mlknn}",
        *(2, 8, "base.use: ./other: no such folder or bundled result"),
    ),
    "a method of the same name": (
        "base: there\nmethods: {BR: mlknn}",
        *(3, 11, "methods.BR: the base has a method of this name; call yours otherwise, or base: "
          "{use: there, without: [BR]}"),
    ),
    "unknown data set": (
        "base: {use: there, datasets: [digit]}\nmethods: {A: mlknn}",
        *(2, 31, "base.datasets.0: the base has no data set 'digit' (did you mean 'digits'?); it "
          "has digits, nam-toy"),
    ),
    "unknown method": (
        "base: {use: there, without: [LP]}\nmethods: {A: mlknn}",
        *(2, 30, "base.without.0: the base has no method 'LP'; it has BR, ML-kNN"),
    ),
    "no method": (
        "base: {use: there, without: [BR, ML-kNN]}\nmethods: {A: mlknn}",
        *(2, 20, "base.without: leaves no method of the base"),
    ),
    "two choices": (
        "base: {use: there, methods: [BR], without: [ML-kNN]}\nmethods: {A: mlknn}",
        *(2, 1, "base: methods and without are two ways to choose methods; keep one"),
    ),
    "no base": ("base: [there]\nmethods: {A: mlknn}", 2, 1, "base: a base is a name, a folder or"),
    "unknown key": (
        "base: {use: there, data: [digits]}\nmethods: {A: mlknn}",
        *(2, 20, "base.data: unknown key (did you mean 'datasets'?); known here: datasets,"),
    ),
    "a test of nothing": (
        "base: there\nmethods: {A: mlknn}\ntests: {method: A, against: [B]}",
        *(4, 30, "tests.against.0: this experiment has no method 'B'"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_place(publish, problems, name):
    publish()
    text, line, column, message = WRONG[name]
    (row, place, told) = problems(f"name: x\n{text}\n")[0]
    assert (row, place) == (line, column)
    assert told.startswith(message)


def test_files_that_do_not_come_with_it(publish, problems, load):
    tuning = {"params": "chosen.csv"}
    publish("a", protocol={"splits": {"kind": "kfold"}, "tuning": tuning})
    publish("b", protocol={"splits": {"kind": "mine.py:Last"}})
    publish("c", metrics=["macro_f1", "mine.py:hits"])
    told = {
        name: problems(f"name: x\nbase: {name}\nmethods: {{A: mlknn}}\n")[0][2] for name in "abc"
    }
    assert told["a"].startswith("base: its parameters were chosen by an earlier run, from a file")
    assert told["b"].startswith("base: its splits are made by mine.py:Last, a file that does not")
    assert told["c"] == (
        "base: its metric mine.py:hits is in a file that does not come with it; name others: "
        "metrics: [macro_f1]"
    )
    load("name: x\nbase: c\nmetrics: [macro_f1]\nmethods: {A: mlknn}\n")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"experiment": {}, "methods": []}', "[" * 9999])
def test_a_damaged_folder_is_refused(publish, problems, tmp_path, text):
    publish()
    (tmp_path / "there/export.json").write_text(text)
    ((row, column, told),) = problems(MINE)
    assert (row, column) == (2, 1)
    assert told.startswith(f"base: {tmp_path / 'there/export.json'}: damaged (")


def test_a_protocol_of_another_form_is_refused(publish, problems):
    publish(protocol=[])
    ((_, _, told),) = problems(MINE)
    assert "there/export.json: damaged (" in told
    assert "protocol" in told


def test_settings_change_own_keys_alone(publish, tmp_path):
    publish()
    path = tmp_path / "mine.yaml"
    path.write_text(MINE)
    loaded = load_experiment(path, settings=["limits.time=5"])
    assert loaded.experiment.limits.time == 5
    with pytest.raises(ConfigError, match=r"--set protocol\.splits\.folds=2: protocol: the base"):
        load_experiment(path, settings=["protocol.splits.folds=2"])
