"""`mlbench export --add-to`: a published folder grows, series by series."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import pytest

import mlbench as mb
from mlbench.bundle import published_results
from mlbench.cli.export_add import add_to_folder
from mlbench.cli.export_folder import write_files, write_folder
from mlbench.config.entries import with_entries
from mlbench.results.reference import reference_of

TOY = "{{use: nam-toy, as: {name}, tasks: 2, samples: 60, dimensions: 4, seed: {seed}}}"
ONE, TWO = TOY.format(name="one", seed=1), TOY.format(name="two", seed=2)
EXPERIMENT = f"""\
# A benchmark that grows.
name: small
datasets: [{ONE}, {TWO}]
protocol: {{splits: {{train: 0.5, repeats: 3}}}}
methods:
  # of nearest neighbors
  ML-kNN: {{use: mlknn, tune: {{k: [5, 9]}}}}
  BR: {{use: br, base: logistic}}
metrics: [macro_f1, macro_auc]
"""
MADE_OF_RESULTS = ("tables.md", "export.json", "scores.csv", "controls.csv", "params.csv")


@pytest.fixture(scope="module")
def runs(make_lab, tmp_path_factory):
    """A whole run, and one of each data set."""
    lab = make_lab(tmp_path_factory.mktemp("grown"))
    lab.write("small.yaml", EXPERIMENT)
    for name, dataset in (("one", ONE), ("two", TWO)):
        setting = f"datasets=[{dataset}]"
        ran = lab.mlbench("run", "small.yaml", "--set", setting, "--out", name, "--quiet")
        assert ran.returncode == 0, ran.stderr
    assert lab.mlbench("run", "small.yaml", "--out", "whole", "--quiet").returncode == 0
    return lab


@pytest.fixture
def grown(runs, tmp_path):
    """A folder of the second data set, and a function that adds to it."""

    def add(results, *options, code=0):
        done = runs.mlbench("export", results, "--add-to", str(folder), *options)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    folder = tmp_path / "kept"
    exported = runs.mlbench("export", "two", "--folder", str(folder))
    assert exported.returncode == 0, exported.stderr
    add.folder = folder
    return add


def texts(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_folder_that_grew_is_that_of_the_whole_run(runs, grown, tmp_path):
    assert runs.mlbench("export", "whole", "--folder", str(tmp_path / "whole")).returncode == 0
    before = texts(grown.folder)
    told = grown("one", "--experiment", "small.yaml", "--dry-run").stdout
    assert (
        "would be added: ML-kNN, all 3 splits of one\nwould be added: BR, all 3 splits of one\n"
        in told
    )
    assert texts(grown.folder) == before
    told = grown("one", "--experiment", "small.yaml").stdout
    assert f"{grown.folder}: 2 data sets, 2 methods, 12 ok\n" in told
    whole, found = texts(tmp_path / "whole"), texts(grown.folder)
    assert {*found} == {*whole}
    assert found["experiment.yaml"] == EXPERIMENT
    assert {name: found[name] for name in MADE_OF_RESULTS} == {
        name: whole[name] for name in MADE_OF_RESULTS
    }
    series = [json.loads(each["reference.json"])["series"] for each in (found, whole)]
    for each in (*series[0], *series[1]):
        for cell in each["cells"].values():
            del cell["environment"]  # how many cells ran at once
    assert series[0] == series[1]
    assert grown("whole").stdout == "already there: 4 series\n"


def test_without_the_whole_experiment_new_data_sets_come_last(grown):
    grown("one")
    assert mb.open_results(grown.folder).datasets == ("two", "one")
    (change,) = json.loads((grown.folder / "reference.json").read_text())["history"]
    assert change["reason"] == "added 6 cells of ML-kNN and BR"
    assert change["moved"][0] == "added: ML-kNN, all 3 splits of one"
    assert grown("one").stdout == "already there: 2 series\n"


def test_a_method_of_another_experiment_is_added_or_refused_by_name(runs, grown):
    mine = EXPERIMENT.replace("name: small", "name: mine").partition("methods:")[0] + (
        "methods:\n"
        "  # of mine\n"
        "  mine: {use: br, base: {use: logistic, C: 0.1}}\n"
        "  bent: {use: br, base: logistic, threshold: train_f1_label}\n"
        "  ML-kNN: {use: mlknn, k: 3}\n"
        "metrics: [macro_f1, macro_auc]\n"
    )
    runs.write("mine.yaml", mine)
    assert runs.mlbench("run", "mine.yaml", "--quiet").returncode == 0
    done = grown("runs/mine", code=1)
    assert "added: mine, all 3 splits of one and two\n" in done.stdout
    assert (
        "  bent on one and two: departs from the folder's protocol: threshold: train_f1_label "
        "here, default there\n"
    ) in done.stderr
    assert "  ML-kNN on one and two: another method of this name is there: " in done.stderr
    text = (grown.folder / "experiment.yaml").read_text()
    assert "\n  # of mine\n  mine: {use: br, base: {use: logistic, C: 0.1}}\n" in text
    results = mb.open_results(grown.folder)
    assert results.counts == {"missing": 6, "ok": 12}
    assert "mine" in (grown.folder / "tables.md").read_text()
    nothing = grown("runs/mine", "--dry-run", code=2)
    assert "nothing of runs/mine can be added" in nothing.stderr


def test_a_method_that_stood_on_a_folder_goes_into_it_alone(runs, grown, tmp_path):
    whole = tmp_path / "whole"
    assert runs.mlbench("export", "whole", "--folder", str(whole)).returncode == 0
    methods = "  # on trees\n  mine: {use: br, base: {use: logistic, C: 0.1}}  # with C\n"
    runs.write("stands.yaml", f"name: stands\nbase: {whole}\nmethods:\n{methods}")
    ran = runs.mlbench("run", "stands.yaml", "--quiet")
    assert ran.returncode == 0, ran.stderr
    done = runs.mlbench("export", "runs/stands", "--add-to", str(whole))
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        0,
        "added: mine, all 3 splits of one and two",
    )
    text = EXPERIMENT.replace("metrics:", methods + "metrics:")
    assert (whole / "experiment.yaml").read_text() == text
    of_two = grown("runs/stands", code=1)
    assert "  BR on one: was taken over from small, " in of_two.stderr
    assert mb.open_results(grown.folder).methods == ("ML-kNN", "BR", "mine")


def test_a_folder_runs_again_and_takes_what_it_lacks(runs, grown):
    grown("one")
    again = runs.mlbench("plan", str(grown.folder / "experiment.yaml"), "--out", "two")
    assert "6 cells to run" in again.stdout, again.stderr


MOODY = """
import os, pathlib
from sklearn.tree import DecisionTreeClassifier


class Moody(DecisionTreeClassifier):
    def fit(self, X, Y):
        if not pathlib.Path(os.environ["LAB"], "good-mood").exists():
            raise ValueError("not today")
        return super().fit(X, Y)
"""


FAILS = """
from sklearn.base import BaseEstimator, ClassifierMixin


class Fails(ClassifierMixin, BaseEstimator):
    def fit(self, X, Y):
        raise RuntimeError("no luck")

    decision_function = predict = fit
"""


def test_a_failed_cell_gives_way_only_if_asked(runs, tmp_path):
    runs.write("moody.py", MOODY)
    setting = 'methods.BR={use: "moody.py:Moody"}'
    for name, code in (("failed", 1), ("calm", 0)):
        words = ("--set", setting, "--out", name, "--allow-import", "--quiet")
        assert runs.mlbench("run", "small.yaml", *words).returncode == code
        runs.write("good-mood", "")
    folder = str(tmp_path / "kept")
    assert runs.mlbench("export", "failed", "--folder", folder).returncode == 0
    told = runs.mlbench("export", "calm", "--add-to", folder).stdout
    assert "failed there, and stays: BR, all 3 splits of one and two; --replace-failed" in told
    done = runs.mlbench("export", "calm", "--add-to", folder, "--replace-failed")
    told = done.stdout
    assert f"copy moody.py into {folder}, too" in done.stderr
    assert "in place of failed ones: BR, all 3 splits of one and two\n" in told
    assert mb.open_results(folder).counts == {"ok": 12}


def test_a_method_without_any_result_is_added_as_failed_beside_others(runs, grown):
    runs.write("fails.py", FAILS)
    words = ("--set", "methods={bad: 'fails.py:Fails', mine: {use: br, base: ridge}}")
    ran = runs.mlbench("run", "small.yaml", *words, "--out", "bad", "--allow-import", "--quiet")
    assert ran.returncode == 1, ran.stderr
    done = grown("bad")
    assert "added: bad, all 3 splits of one and two\nadded: mine, all 3" in done.stdout
    assert mb.open_results(grown.folder).counts == {"error": 6, "ok": 12, "missing": 6}


def test_a_method_with_other_settings_replaces_itself_if_asked(runs, grown, tmp_path):
    wider = EXPERIMENT.replace("k: [5, 9]", "k: [3, 5, 9]").replace(f"{ONE}, ", "")
    runs.write("wider.yaml", wider)
    assert runs.mlbench("run", "wider.yaml", "--out", "wider", "--quiet").returncode == 0
    before = texts(grown.folder)
    told = grown("wider", "--experiment", "wider.yaml", code=2).stderr
    assert "methods.ML-kNN: tune.k: [3, 5, 9] here, [5, 9] there" in told
    usage = grown("wider", "--replace", "ML-kNN", code=2).stderr
    assert "--replace goes with --experiment" in usage
    unknown = grown("wider", "--experiment", "wider.yaml", "--replace", "SVM", code=2).stderr
    assert "has no method 'SVM'" in unknown
    assert texts(grown.folder) == before
    told = grown("wider", "--experiment", "wider.yaml", "--replace", "ML-kNN").stdout
    assert "added: ML-kNN, all 3 splits of two\nalready there: 1 series\n" in told
    assert "in place of the series there: ML-kNN\n" in told
    found = texts(grown.folder)
    assert found["experiment.yaml"] == wider
    (change,) = json.loads(found["reference.json"])["history"]
    assert change["reason"] == "added 3 cells of ML-kNN, in place of the series of ML-kNN"
    assert runs.mlbench("export", "wider", "--folder", str(tmp_path / "wider")).returncode == 0
    assert found["scores.csv"] == (tmp_path / "wider" / "scores.csv").read_text()


def test_a_method_that_lacks_a_cell_replaces_nothing(runs, grown):
    wider = EXPERIMENT.replace("k: [5, 9]", "k: [3, 5, 9]").replace(f"{ONE}, ", "")
    runs.write("fewer.yaml", wider.replace("repeats: 3", "repeats: 2"))
    runs.write("wider.yaml", wider)
    assert runs.mlbench("run", "fewer.yaml", "--out", "fewer", "--quiet").returncode == 0
    told = grown("fewer", "--experiment", "wider.yaml", "--replace", "ML-kNN", code=2).stderr
    assert "fewer lacks 1 cell that" in told
    assert "the first two/ML-kNN/2; nothing is replaced" in told


@pytest.mark.parametrize("moved", [0, 1, 3])
def test_an_addition_that_was_killed_while_files_moved_is_finished(runs, grown, tmp_path, moved):
    old = tmp_path / "old"
    shutil.copytree(grown.folder, old)
    grown("one")
    new = texts(grown.folder)
    names = sorted(new, key=lambda name: (name == "reference.json", name != "scores.csv"))
    whole = grown.folder.parent / f".{grown.folder.name}.exported"
    whole.mkdir()
    for name in names[moved:]:
        (grown.folder / name).rename(whole / name)
        if (old / name).exists():
            shutil.copy(old / name, grown.folder / name)
    assert "already there" in grown("one").stdout
    assert texts(grown.folder) == new
    assert not whole.exists()


def test_the_whole_experiment_has_the_splits_of_the_folder(runs, grown):
    runs.write("longer.yaml", EXPERIMENT.replace("repeats: 3", "repeats: 5"))
    refused = grown("one", "--experiment", "longer.yaml", code=2).stderr
    assert "longer.yaml: is not the experiment of" in refused
    assert "protocol.splits: 5 here, 3 there" in refused


def test_what_is_not_a_part_is_refused_and_nothing_changes(runs, grown):
    before = texts(grown.folder)
    other = runs.mlbench("run", "small.yaml", "--set", "protocol.splits.seed=7", "--out", "seven")
    assert other.returncode == 0
    refused = grown("seven", code=2).stderr
    assert re.search(
        r"follows another protocol .*\n  protocol.splits.seed: 7 here, 0 there", refused
    )
    runs.write("changed.yaml", EXPERIMENT.replace("k: [5, 9]", "k: [5]"))
    refused = grown("one", "--experiment", "changed.yaml", code=2).stderr
    assert "methods.ML-kNN: tune.k: [5] here, [5, 9] there" in refused
    runs.write("based.yaml", "name: small\nbase: arena\nmethods: {mine: br}\n")
    refused = grown("one", "--experiment", "based.yaml", code=2).stderr
    assert "based.yaml:2:1: base: is of an experiment beside published results; name" in refused
    runs.write("broken.yaml", "name: small\ndatasets: [flags]\nmethods: {mine: {us: br}}\n")
    refused = grown("one", "--experiment", "broken.yaml", code=2).stderr
    assert "broken.yaml:3:11: methods.mine: the key 'use' is required here" in refused
    refused = runs.mlbench("export", "one", "--add-to", "arena").stderr
    assert "there is no such folder; `mlbench export arena --folder arena` writes" in refused
    refused = runs.mlbench("export", "one", "--add-to", "nowhere")
    assert (refused.returncode, refused.stderr) == (2, "error: nowhere: there is no such folder\n")
    refused = runs.mlbench("export", "one", "--add-to", "two")
    assert (refused.returncode, "two: is no exported folder" in refused.stderr) == (2, True)
    for words in (["--metric", "macro_f1"], ["--folder", "x"], ["--what", "fit"]):
        assert "--add-to adds what the folder holds" in grown("one", *words, code=2).stderr
    text = (grown.folder / "experiment.yaml").read_text()
    (grown.folder / "experiment.yaml").unlink()
    assert "has no experiment.yaml, to which" in grown("one", code=2).stderr
    (grown.folder / "experiment.yaml").write_text(text)
    refused = runs.mlbench("export", "one", "--dry-run")
    assert (refused.returncode, "go with --add-to" in refused.stderr) == (2, True)
    assert texts(grown.folder) == before
    reference = grown.folder / "reference.json"
    reference.write_text(re.sub(r'"folds": \d+', '"folds": 77', reference.read_text()))
    assert "key is not the hash of its identity; restore" in grown("one", code=2).stderr


@pytest.mark.slow
def test_a_folder_that_lost_series_gets_them_back_letter_by_letter(tmp_path):
    published = published_results()["strong-baselines"]
    whole = mb.open_results(published)
    plan, experiment = whole.plan, whole.plan.experiment
    datasets, methods = whole.datasets[1::2], whole.methods[::3]
    few = experiment.model_copy(
        update={
            "datasets": [each for each in experiment.datasets if each.display in datasets],
            "methods": {name: experiment.methods[name] for name in methods},
            "tests": [],
        }
    )
    cells = [cell for cell in plan.cells if cell.dataset in datasets and cell.method in methods]
    update = {
        "experiment": few,
        "datasets": {name: plan.datasets[name] for name in datasets},
        "methods": methods,
        "cells": tuple(cells),
    }
    rows = {cell.key: whole.rows[cell.key] for cell in cells}
    part = replace(whole, plan=plan.model_copy(update=update), rows=rows)
    text = (published / "experiment.yaml").read_text()
    none = dict.fromkeys(methods, ())
    given = {"experiment.yaml": with_entries(text, [], datasets, none)}
    write_files(part, tmp_path / "grown", reference_of(part), given)
    write_folder(whole, tmp_path / "whole")
    whole_file = str(published / "experiment.yaml")
    assert add_to_folder(whole, tmp_path / "grown", whole_file, False, False)
    grown, again = (texts(tmp_path / name) for name in ("grown", "whole"))
    references = [json.loads(each.pop("reference.json")) for each in (grown, again)]
    assert grown == again
    for each in references:
        del each["history"], each["written"]
    assert references[0] == references[1]


@pytest.fixture
def two_authors(make_lab, tmp_path):
    """A published method of one ``mine.py``, and beside it a run of another file of this name."""
    lab = make_lab(tmp_path)
    trial = """
name: trial
datasets: [{use: nam-toy, as: toy, samples: 60}]
protocol: {splits: {kind: random, repeats: 2}}
methods: {theirs: {use: "mine.py:Mine"}}
metrics: [macro_f1]
"""
    own = 'name: own\nbase: published\nmethods: {ours: {use: "mine.py:Mine", random_state: 0}}\n'
    for text, experiment, base in (
        ("from sklearn.neighbors import KNeighborsClassifier as Base", "trial.yaml", trial),
        ("from sklearn.tree import DecisionTreeClassifier as Base", "own.yaml", own),
    ):
        lab.write("mine.py", f"{text}\n\n\nclass Mine(Base):\n    pass\n")
        lab.write(experiment, base)
        out = f"runs/{experiment.partition('.')[0]}"
        ran = lab.mlbench("run", experiment, "--out", out, "--allow-import", "--quiet")
        assert ran.returncode == 0, ran.stderr
        if base is trial:
            assert lab.mlbench("export", out, "--folder", "published").returncode == 0
            shutil.copy(tmp_path / "mine.py", tmp_path / "published")
    return lab


@pytest.mark.slow
def test_a_file_of_the_name_of_another_author_s_is_no_change_of_theirs(two_authors):
    for words in (["report"], ["leaderboard"], ["audit"], ["check", "--write", "own.json"]):
        shown = two_authors.mlbench(words[0], "runs/own", *words[1:])
        assert shown.returncode == 0, shown.stderr
        assert "other code" not in shown.stderr


@pytest.mark.slow
def test_files_of_one_name_and_other_code_do_not_share_a_folder(two_authors, tmp_path):
    before = texts(tmp_path / "published")
    refused = two_authors.mlbench("export", "runs/own", "--add-to", "published")
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "error: published: theirs and ours ran other code from files called mine.py, and a folder"
    )
    assert (refused.stdout, texts(tmp_path / "published")) == ("", before)
    exported = two_authors.mlbench("export", "runs/own", "--folder", "whole")
    assert "warning: theirs and ours ran other code from files called mine.py" in exported.stderr
    assert "copy mine.py" not in exported.stderr
    (tmp_path / "ours").mkdir()
    (tmp_path / "mine.py").rename(tmp_path / "ours/mine.py")
    own = (tmp_path / "own.yaml").read_text()
    two_authors.write("own.yaml", own.replace("mine.py", "ours/mine.py"))
    ran = two_authors.mlbench("run", "own.yaml", "--out", "runs/own", "--allow-import")
    assert "2 done, 0 to run" in ran.stderr
    added = two_authors.mlbench("export", "runs/own", "--add-to", "published")
    assert added.returncode == 0, added.stderr
    assert "copy ours/mine.py into published, too" in added.stderr
    assert 'ours: {use: "ours/mine.py:Mine"' in (tmp_path / "published/experiment.yaml").read_text()
