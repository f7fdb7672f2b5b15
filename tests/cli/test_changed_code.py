"""Rows whose method has other code now than when they ran, of the same revision."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from importlib.metadata import version
from types import MappingProxyType

import pytest

from mlbench.cli.changed_code import computed_by_other_code
from mlbench.store import Store
from tests.plans import make_plan
from tests.rows import make_row

EXPERIMENT = """
name: small
datasets: [{use: nam-toy, tasks: 2, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 3}}
methods:
  ML-kNN: {use: mlknn, k: 5}
  BR: {use: br, base: logistic}
"""


@pytest.fixture(scope="module")
def finished(make_lab, tmp_path_factory):
    lab = make_lab(tmp_path_factory.mktemp("drift"))
    lab.write("small.yaml", EXPERIMENT)
    assert lab.mlbench("run", "small.yaml", "--quiet").returncode == 0
    return lab


@pytest.fixture
def changed(finished, make_lab, tmp_path):
    """Results in which the rows of ML-kNN come from code of another day."""
    shutil.copytree(finished.folder, tmp_path / "lab")
    store = Store(tmp_path / "lab/runs/small")
    for row in store.scan().rows.values():
        if row.method == "ML-kNN":
            store.write_row(replace(row, code={"mlknn": "0" * 64}))
    return make_lab(tmp_path / "lab")


def test_status_says_which_rows_come_from_other_code(changed):
    said = changed.mlbench("status", "runs/small").stdout
    assert "3 rows of ML-kNN were computed by different code of the same revision (mlknn)" in said
    assert "rows of BR" not in said


def test_why_names_the_code_then_and_now(changed):
    said = changed.mlbench("why", "small.yaml", "nam-toy[dimensions=4,samples=60,tasks=2]/ML-kNN/0")
    assert "it would not run again" in said.stdout
    assert "mlknn: the code has changed within the same revision (000000000000 -> " in said.stdout


def test_a_run_warns_and_runs_nothing_unless_it_is_asked_to(changed):
    kept = changed.mlbench("run", "small.yaml")
    assert "3 rows of ML-kNN were computed by different code" in kept.stderr
    assert "6 done, 0 to run" in kept.stderr
    anew = changed.mlbench("run", "small.yaml", "--rerun-changed")
    assert "3 done, 3 to run" in anew.stderr
    assert "different code" not in anew.stderr
    assert "different code" not in changed.mlbench("status", "runs/small").stdout


def other_versions(lab, method, libraries=(), code=MappingProxyType({})):
    """Pretend that the rows of one method come from other versions of some libraries."""
    store = Store(lab.folder / "runs/small")
    for row in store.scan().rows.values():
        if row.method == method:
            environment = {**row.environment, **dict.fromkeys(libraries, "0.1")}
            store.write_row(replace(row, environment=environment, code={**row.code, **code}))


def test_a_row_tells_the_versions_of_the_packages_behind_it(changed):
    for row in Store(changed.folder / "runs/small").scan().rows.values():
        for name in ("numpy", "scipy", "scikit-learn", "numba"):
            assert row.environment[name] == version(name)
        if row.method == "BR":
            assert row.code[LOGISTIC] == f"scikit-learn {version('scikit-learn')}"


LOGISTIC = "sklearn.linear_model.LogisticRegression"


@pytest.mark.parametrize(
    ("pretended", "told", "note"),
    [
        (
            {"libraries": ["numba"]},
            "3 rows were computed with another version of numba (0.1; here ",
            "Rows were computed by different versions of numba: ",
        ),
        (
            {"code": {LOGISTIC: "scikit-learn 0.1"}},
            "3 rows of BR were computed by different code of the same revision (sklearn.",
            "",
        ),
    ],
)
def test_rows_of_another_version_are_told_everywhere_and_run_again_by_one_command(
    changed, pretended, told, note
):
    changed.mlbench("run", "small.yaml", "--quiet", "--rerun-changed")
    other_versions(changed, "BR", **pretended)
    assert told in changed.mlbench("status", "runs/small").stdout
    kept = changed.mlbench("run", "small.yaml")
    assert "6 done, 0 to run" in kept.stderr
    assert "--rerun-changed runs" in kept.stderr
    assert note in " ".join(kept.stdout.split())
    again = changed.mlbench("run", "small.yaml", "--rerun-changed")
    assert "3 done, 3 to run" in again.stderr
    last = changed.mlbench("run", "small.yaml")
    assert "warning" not in last.stderr
    assert "different versions" not in last.stdout


MINE = """
from sklearn.base import BaseEstimator, ClassifierMixin


class Mine(ClassifierMixin, BaseEstimator):
    def fit(self, X, Y):
        self.w_ = X.T @ (Y - 0.5)
        return self

    def decision_function(self, X):
        return X @ self.w_

    def predict(self, X):
        return (self.decision_function(X) > 0).astype(int)
"""


def test_an_export_names_a_file_without_its_place_on_this_machine(lab):
    mine = lab.write("mine.py", MINE)
    lab.write("small.yaml", EXPERIMENT)
    own = ("--set", f"methods.Mine={{use: '{mine}:Mine'}}", "--allow-import")
    assert lab.mlbench("run", "small.yaml", *own).returncode == 0
    exported = lab.mlbench("export", "runs/small", "--folder", "kept")
    assert "to run kept/experiment.yaml again, copy mine.py next to it" in exported.stderr
    for path in (lab.folder / "kept").iterdir():
        assert str(lab.folder) not in path.read_text()
    shutil.copy(mine, lab.folder / "kept")
    mine.unlink()
    again = lab.mlbench("run", "kept/experiment.yaml", "--allow-import", "--out", "again")
    assert again.returncode == 0
    same = lab.mlbench("check", "again", "--against", "kept/reference.json", "--strict")
    assert same.returncode == 0, same.stdout


def test_a_file_in_another_folder_is_to_stand_in_the_export_itself(lab):
    """By two names in the experiment, it is one file there."""
    lab.write("mine.py", MINE)
    methods = "{A: {use: '../mine.py:Mine'}, B: {use: 'mine.py:Mine'}}"
    lab.write("st/small.yaml", f"{EXPERIMENT.partition('methods:')[0]}methods: {methods}\n")
    lab.write("st/mine.py", MINE)
    assert lab.mlbench("run", "st/small.yaml", "--allow-import").returncode == 0
    exported = lab.mlbench("export", "runs/small", "--folder", "kept")
    assert "to run kept/experiment.yaml again, copy mine.py next to it" in exported.stderr
    shutil.copy(lab.folder / "mine.py", lab.folder / "kept")
    again = lab.mlbench("run", "kept/experiment.yaml", "--allow-import", "--out", "again")
    assert again.returncode == 0, again.stderr
    same = lab.mlbench("check", "again", "--against", "kept/reference.json", "--strict")
    assert same.returncode == 0, same.stdout


def test_an_export_names_the_files_that_a_file_imports_too(lab):
    lab.write("own/mine.py", "from helper import SHIFT\n" + MINE.replace("0.5", "SHIFT"))
    lab.write("own/helper.py", "SHIFT = 0.5\n")
    lab.write("small.yaml", EXPERIMENT.replace("{use: mlknn, k: 5}", '{use: "own/mine.py:Mine"}'))
    assert lab.mlbench("run", "small.yaml", "--allow-import").returncode == 0
    words = ("export", "runs/small", "--folder", "kept")
    told = "to run kept/experiment.yaml again, copy {} next to it"
    assert told.format("own/helper.py and own/mine.py") in lab.mlbench(*words).stderr
    lab.write("kept/own/helper.py", "SHIFT = 0.5\n")
    assert told.format("own/mine.py") in lab.mlbench(*words).stderr
    lab.write("kept/own/mine.py", (lab.folder / "own/mine.py").read_text())
    assert "copy" not in lab.mlbench(*words).stderr
    lab.write("kept/own/helper.py", "SHIFT = 0.4\n")
    other = told.format("own/mine.py (the one there is other code)")
    assert other in lab.mlbench(*words).stderr


def test_status_and_check_tell_code_that_is_not_found_or_of_a_module(lab, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(lab.folder / "lib"))
    lab.write("mine.py", "from shift_of_mine import SHIFT\n" + MINE.replace("0.5", "SHIFT"))
    lab.write("lib/shift_of_mine.py", "SHIFT = 0.5\n")
    lab.write("lib/pack_of_mine/__init__.py", "")
    lab.write("lib/pack_of_mine/part.py", MINE)
    methods = "{A: 'mine.py:Mine', B: pack_of_mine.part.Mine}"
    lab.write("small.yaml", f"{EXPERIMENT.partition('methods:')[0]}methods: {methods}\n")
    assert lab.mlbench("run", "small.yaml", "--allow-import").returncode == 0
    assert lab.mlbench("check", "runs/small", "--write", "reference.json").returncode == 0
    strict = ("check", "runs/small", "--against", "reference.json", "--strict")
    assert lab.mlbench(*strict).returncode == 0
    assert "code" not in lab.mlbench("status", "runs/small").stdout
    lab.write("lib/shift_of_mine.py", "SHIFT = 0.4\n")
    lab.write("lib/pack_of_mine/part.py", MINE.replace("Y - 0.5", "0.5 - Y"))
    said = lab.mlbench("status", "runs/small").stdout
    assert "3 rows of A were computed by other code (mine.py:Mine)" in said
    assert "3 rows of B were computed by other code (pack_of_mine.part.Mine)" in said
    assert lab.mlbench(*strict).returncode == 1
    assert lab.mlbench("check", "runs/small", "--write", "new.json").returncode == 2
    monkeypatch.delenv("PYTHONPATH")
    said = lab.mlbench("status", "runs/small").stdout
    assert "mine.py:Mine: imports shift_of_mine, not found here, so whether the code of A" in said
    assert "pack_of_mine.part.Mine: is not found, so whether the code of B has changed" in said


def test_after_an_edit_is_undone_nothing_runs_again(lab):
    """Also with rows of another seed there, which are of today's code and of no cell."""
    lab.write("mine.py", MINE)
    mine = EXPERIMENT.replace("{use: mlknn, k: 5}", '{use: "mine.py:Mine"}')
    run = ("run", "small.yaml", "--allow-import")
    lab.write("small.yaml", mine.replace("repeats: 3", "repeats: 3, seed: 7"))
    assert lab.mlbench(*run).returncode == 0
    lab.write("small.yaml", mine)
    assert lab.mlbench(*run).returncode == 0
    assert lab.mlbench("check", "runs/small", "--write", "reference.json").returncode == 0
    lab.write("mine.py", MINE.replace("Y - 0.5", "0.5 - Y"))
    assert lab.mlbench(*run).returncode == 0
    lab.write("mine.py", MINE)
    told = "3 rows of ML-kNN were computed by other code (mine.py:Mine); `mlbench run CONFIG` takes"
    said = lab.mlbench("status", "runs/small").stdout
    assert told in said
    assert "3 rows of no cell of the last run, but of the code that its file has now" in said
    assert "6 rows of no cell of the experiment: such rows count again if" in said
    assert "left:" not in said
    state = json.loads(lab.mlbench("status", "runs/small", "--format", "json").stdout)
    assert state["to_run"] == 0
    checked = lab.mlbench("check", "runs/small", "--against", "reference.json")
    assert told in checked.stdout.replace("\n", " ")
    (lab.folder / "mine.py").unlink()
    assert "its file has now" not in lab.mlbench("status", "runs/small").stdout
    lab.write("mine.py", MINE)
    assert ", 0 to run" in lab.mlbench(*run).stderr
    assert "other code" not in lab.mlbench("status", "runs/small").stdout


def test_status_and_check_see_that_a_file_of_the_user_has_changed(lab):
    lab.write("mine.py", MINE)
    lab.write("small.yaml", EXPERIMENT.replace("{use: mlknn, k: 5}", '{use: "mine.py:Mine"}'))
    assert lab.mlbench("run", "small.yaml", "--allow-import").returncode == 0
    assert lab.mlbench("check", "runs/small", "--write", "reference.json").returncode == 0
    words = ("check", "runs/small", "--against", "reference.json")
    assert "different code" not in lab.mlbench("status", "runs/small").stdout
    assert "different code" not in lab.mlbench(*words).stderr
    lab.write("mine.py", MINE.replace("Y - 0.5", "0.5 - Y"))
    told = "3 rows of ML-kNN were computed by other code (mine.py:Mine); `mlbench run CONFIG`, or"
    exported = lab.mlbench("export", "runs/small", "--folder", "kept")
    note = "to run kept/experiment.yaml again, copy mine.py next to it"
    assert note in exported.stderr
    assert "warning: rows of ML-kNN are of other code than their files" in exported.stderr
    assert "warning: rows of ML-kNN are of other" in lab.mlbench("audit", "runs/small").stderr
    shutil.copy(lab.folder / "mine.py", lab.folder / "kept")
    again = lab.mlbench("export", "runs/small", "--folder", "kept")
    assert "again, copy mine.py (the one there is other code) next to it" in again.stderr
    lab.write("kept/mine.py", MINE)
    assert "mine.py" not in lab.mlbench("export", "runs/small", "--folder", "kept").stderr
    report = lab.mlbench("report", "runs/small")
    assert "warning: rows of ML-kNN are of other code than their files have now" in report.stderr
    assert told in lab.mlbench("status", "runs/small").stdout
    state = json.loads(lab.mlbench("status", "runs/small", "--format", "json").stdout)
    assert (state["to_run"], state["counts"]) == (3, {"ok": 6})
    assert told in state["other_code"][0]
    assert state["seconds_left"] > 0
    assert told in lab.mlbench(*words).stdout.replace("\n", " ")
    assert lab.mlbench(*words).returncode == 0
    of_another = lab.mlbench(*words, "--strict", "--method", "BR")
    assert of_another.returncode == 0
    assert "other code" not in of_another.stdout
    strict = lab.mlbench(*words, "--strict", "--junit", "check.xml")
    assert strict.returncode == 1
    assert "rows of ML-kNN are of other code than their" in strict.stdout
    xml = (lab.folder / "check.xml").read_text()
    assert xml.count("its rows are of other code than the file has now") == xml.count("<error")
    refused = lab.mlbench(*words, "--update", "--reason", "edited")
    assert refused.returncode == 2
    assert "not updated while rows are of other code: ML-kNN; run the" in refused.stderr
    refused = lab.mlbench("check", "runs/small", "--write", "new.json")
    assert refused.returncode == 2
    assert "no reference is made while rows are of other code: ML-kNN; run the" in refused.stderr
    assert not (lab.folder / "new.json").exists()


def test_rows_of_the_code_that_a_file_has_again_are_kept(lab):
    lab.write("mine.py", MINE)
    lab.write("small.yaml", EXPERIMENT.replace("{use: mlknn, k: 5}", '{use: "mine.py:Mine"}'))
    run = ("run", "small.yaml", "--allow-import", "--quiet")
    assert lab.mlbench(*run).returncode == 0
    lab.write("mine.py", MINE.replace("Y - 0.5", "0.5 - Y"))
    assert lab.mlbench(*run).returncode == 0
    lab.write("mine.py", MINE)
    told = "3 rows of no cell of the last run, but of the code that its file has now"
    assert told in (said := lab.mlbench("status", "runs/small").stdout)
    assert "prune" not in said
    assert told in lab.mlbench("prune", "runs/small", "--yes").stdout
    assert "0 cells to run" in lab.mlbench("plan", "small.yaml", "--allow-import").stdout


METRIC = """
from mlbench import metric


@metric(greater_is_better=True, range=(0, 1), needs="labels")
def half(Y, scores, labels):
    return float((Y == labels).mean())
"""


def test_files_are_found_from_the_folder_of_the_experiment(lab):
    lab.write("there/code/mine.py", MINE)
    lab.write("there/code/m.py", METRIC)
    mine = EXPERIMENT.replace("{use: mlknn, k: 5}", '{use: "code/mine.py:Mine"}')
    lab.write("there/small.yaml", mine + 'metrics: [macro_f1, "code/m.py:half"]\n')
    run = lab.mlbench("run", "there/small.yaml", "--allow-import")
    assert run.returncode == 0, run.stderr
    lab.write("there/code/mine.py", MINE.replace("Y - 0.5", "0.5 - Y"))
    lab.write("there/code/m.py", METRIC + "# another comment changes nothing\n")
    assert lab.mlbench("merge", "runs/small", "--into", "deep/runs/all").returncode == 0
    for results in ("runs/small", "deep/runs/all"):
        said = lab.mlbench("status", results).stdout
        assert "3 rows of ML-kNN were computed by other code (mine.py:Mine)" in said
        assert "m.py:half" not in said
    lab.write("there/code/m.py", METRIC.replace("Y == labels", "Y != labels"))
    assert "(code/m.py:half)" in lab.mlbench("status", "runs/small").stdout


GAIN = """
import mlbench

@mlbench.metric(greater_is_better=True, range=(0, 1), needs="labels")
def gain(Y, scores, labels):
    return (Y == labels).mean()
"""


def test_the_code_of_a_metric_of_ones_own_is_part_of_the_key(lab):
    lab.write("met.py", GAIN)
    lab.write("own.yaml", EXPERIMENT + "metrics: [macro_f1, met.py:gain]\n")
    assert lab.mlbench("run", "own.yaml", "--quiet", "--allow-import").returncode == 0
    lab.write("met.py", GAIN.replace("mean()", "mean() / 2"))
    said = lab.mlbench("status", "runs/small").stdout
    assert (
        "3 rows of BR were computed by other code (met.py:gain); `mlbench run CONFIG`, or " in said
    )
    assert "--rerun-changed" not in said
    assert "6 cells to run" in lab.mlbench("plan", "own.yaml", "--allow-import").stdout


def test_a_damaged_row_is_named_by_what_reads_it(finished, make_lab, tmp_path):
    shutil.copytree(finished.folder, tmp_path / "lab")
    lab = make_lab(tmp_path / "lab")
    row = min((lab.folder / "runs/small/rows").rglob("*.json"))
    row.write_text(row.read_text()[:-9])
    cell = "nam-toy[dimensions=4,samples=60,tasks=2]/ML-kNN/0"
    for words in (["why", "small.yaml", cell], ["prune", "runs/small", "--failed"]):
        assert f"{row.name}: damaged: " in lab.mlbench(*words).stderr


@pytest.mark.parametrize(("status", "n_told"), [("ok", 1), ("error", 1), ("data", 0)])
def test_cells_that_run_again_anyway_are_not_told_for_their_code(tmp_path, status, n_told):
    (tmp_path / "mine.py").write_text(MINE)
    plan = make_plan(methods={"A": {"use": f"{tmp_path}/mine.py:Mine"}})
    row = make_row(key=plan.cells[0].key, status=status, code={"mine.py:Mine": "0" * 64})
    found = [*computed_by_other_code(tmp_path, plan, {row.key: row})]
    assert [("1 row of A was computed by other code" in line) for line in found] == [True] * n_told


def test_a_file_of_code_that_is_gone_is_told(tmp_path):
    plan = make_plan(methods={"A": {"use": "mine.py:Mine"}}).model_copy(update={"folder": "."})
    row = make_row(key=plan.cells[0].key, method="A", code={"mine.py:Mine": "0" * 64})
    (told,) = computed_by_other_code(tmp_path, plan, {row.key: row})
    assert told == (
        f"{tmp_path / 'mine.py'}: is not there, so whether the code of A has changed is not known"
    )
    assert not [*computed_by_other_code(tmp_path, plan, {})]


def test_a_file_of_several_methods_that_is_gone_is_told_once(tmp_path):
    methods = {name: {"use": "a/../mine.py:Mine"} for name in "AB"}
    cells = [["toy", name, 0, name.lower() * 64] for name in methods]
    plan = make_plan(methods=methods, cells=cells).model_copy(update={"folder": ".."})
    rows = [make_row(key=key, method=name, code={}) for _, name, _, key in cells]
    (told,) = computed_by_other_code(tmp_path / "runs", plan, {row.key: row for row in rows})
    assert told.startswith(f"{tmp_path / 'mine.py'}: is not there, so whether the code of A and B ")


TWO_FILES = """
import mlbench
from factor import K

@mlbench.metric(greater_is_better=True, range=(0, 1), needs="labels")
def gain(Y, scores, labels):
    return K * float((Y == labels).mean())
"""


def test_a_change_behind_a_metric_of_a_file_is_told_once_and_by_its_name(tmp_path, make_lab):
    lab = make_lab(tmp_path)
    lab.write("mine.py", TWO_FILES)
    lab.write("factor.py", "K = 0.5\n")
    lab.write("small.yaml", f"{EXPERIMENT}metrics: ['mine.py:gain', macro_f1]\n")
    run = ("run", "small.yaml", "--allow-import", "--quiet", "--out")
    assert lab.mlbench(*run, "runs/a").returncode == 0
    assert lab.mlbench("check", "runs/a", "--write", "a.json").returncode == 0
    lab.write("factor.py", "K = 0.9\n")
    assert lab.mlbench(*run, "runs/b").returncode == 0
    checked = lab.mlbench("check", "runs/b", "--against", "a.json", "--junit", "check.xml")
    assert checked.returncode == 3
    for told in (checked.stdout, (tmp_path / "check.xml").read_text()):
        assert " ".join(told.split()).count("metrics.mine.py:gain.code") >= 1
        assert "same revision" not in told
    cell = "nam-toy[dimensions=4,samples=60,tasks=2]/BR/0"
    why = lab.mlbench("why", "small.yaml", cell, "--allow-import", "--out", "runs/a").stdout
    assert "the code of mine.py:gain has changed (" in why
    assert "without {" not in why
