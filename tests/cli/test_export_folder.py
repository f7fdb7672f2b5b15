"""`mlbench export --folder`: what a paper's readers need, as files."""

from __future__ import annotations

import contextlib
import csv
import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

import mlbench as mb
from mlbench.check import read_reference
from mlbench.cli.export_folder import write_folder
from mlbench.errors import StoreError
from mlbench.store import Store
from tests.kills import Killed, kill_after
from tests.rows import make_row

EXPERIMENT = """
name: small
datasets: [{use: nam-toy, as: two, tasks: 2, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 3}}
methods:
  ML-kNN: {use: mlknn, tune: {k: [5, 9]}}
  BR: {use: br, base: logistic}
metrics: [macro_f1, macro_auc, hamming_loss]
published: lee.csv
"""
PRINTED = "dataset,method,metric,mean,unit\ntwo,BR,macro_f1,80.1,percent\n"


@pytest.fixture
def done(lab):
    lab.write("lee.csv", PRINTED)
    lab.write("small.yaml", EXPERIMENT)
    finished = lab.mlbench("run", "small.yaml")
    assert finished.returncode == 0, finished.stderr
    return lab


def lines(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_folder_has_everything_but_rows(done):
    written = done.mlbench("export", "runs/small", "--folder", "kept")
    assert written.returncode == 0, written.stderr
    folder = done.folder / "kept"
    assert {path.name for path in folder.iterdir()} == {
        "experiment.yaml",
        "published.csv",
        "tables.md",
        "threats.csv",
        "export.json",
        "cells.csv",
        "scores.csv",
        "controls.csv",
        "params.csv",
        "seconds.csv",
        "reference.json",
        "comparison.md",
    }
    assert len(lines(folder / "scores.csv")) == 2 * 3 * 3
    assert {line["param"] for line in lines(folder / "params.csv")} == {"k"}
    assert "| BR |" in (folder / "tables.md").read_text()
    audit = done.mlbench("audit", "kept", "--format", "csv")
    assert audit.stdout == (folder / "threats.csv").read_text()


def test_more_metrics_than_the_experiment_shows_can_be_asked_for(done):
    more = ("--metric", "subset_accuracy", "--metric", "macro_f1")
    written = done.mlbench("export", "runs/small", "--folder", "kept", *more)
    assert written.returncode == 0, written.stderr
    four = ["macro_f1", "macro_auc", "hamming_loss", "subset_accuracy"]
    assert read_reference(done.folder / "kept/reference.json").metrics == four
    assert {line["metric"] for line in lines(done.folder / "kept/scores.csv")} == {*four}
    tables = [
        done.mlbench("report", place, "--metric", "subset_accuracy").stdout
        for place in ("kept", "runs/small")
    ]
    assert tables[0] == tables[1]
    lacking = done.mlbench("export", "kept", "--folder", "again", "--metric", "one_error")
    assert (lacking.returncode, "its row has no one_error" in lacking.stderr) == (2, True)
    unknown = done.mlbench("export", "runs/small", "--folder", "new", "--metric", "macro_f2")
    assert (unknown.returncode, "did you mean" in unknown.stderr) == (2, True)


def test_metrics_that_searches_go_by_are_there_for_the_audit(done):
    tuned = EXPERIMENT.replace("k: [5, 9]}", "k: [5, 9]}, scoring: micro_auc")
    done.write("small.yaml", tuned)
    assert done.mlbench("run", "small.yaml").returncode == 0
    assert done.mlbench("export", "runs/small", "--folder", "kept").returncode == 0
    metrics = ["macro_f1", "macro_auc", "hamming_loss", "micro_auc"]
    assert read_reference(done.folder / "kept" / "reference.json").metrics == metrics
    assert done.mlbench("audit", "kept").stdout == done.mlbench("audit", "runs/small").stdout


def test_what_an_unfinished_run_lacks_is_said(done):
    next((done.folder / "runs/small/rows").rglob("*.json")).unlink()
    written = done.mlbench("export", "runs/small", "--folder", "kept")
    assert written.returncode == 0
    assert "kept lacks 1 cell that was not run: two/" in written.stderr


def test_its_reference_and_comparison_are_those_of_the_commands(done):
    done.mlbench("export", "runs/small", "--folder", "kept")
    checked = done.mlbench("check", "runs/small", "--against", "kept/reference.json")
    assert (checked.returncode, "6 same" in checked.stdout) == (0, True)
    compared = done.mlbench("reproduce", "kept", "--format", "markdown")
    assert (done.folder / "kept/comparison.md").read_text() == compared.stdout


def test_files_of_an_earlier_export_do_not_stay(done):
    done.mlbench("export", "runs/small", "--folder", "kept")
    done.write("kept/fit.csv", "of an earlier export")
    done.write("kept/notes.md", "mine")
    done.mlbench("export", "runs/small", "--folder", "kept")
    assert not (done.folder / "kept/fit.csv").exists()
    assert (done.folder / "kept/notes.md").read_text() == "mine"


def test_data_of_ones_own_are_named(call, tmp_path):
    (tmp_path / "ill.csv").write_text("age,flu,gout\n" + "1,0,0\n2,1,1\n" * 4)
    (tmp_path / "ill.yaml").write_text(
        "name: ill\ndatasets: [{use: ill.csv, label_columns: [flu, gout]}]\n"
        "protocol: {splits: {train: 0.5, repeats: 1}}\nmethods: {kNN: {use: mlknn, k: 1}}\n"
    )
    assert call(tmp_path, "run", "ill.yaml", "--quiet").exit_code == 0
    told = call(tmp_path, "export", "runs/ill", "--folder", "kept").stderr
    assert "ill.csv: your own data; others run the experiment with a copy" in told


def test_files_that_no_export_wrote_are_not_replaced(done):
    done.write("mine/scores.csv", "mine")
    refused = done.mlbench("export", "runs/small", "--folder", "mine")
    assert (refused.returncode, "has scores.csv, but no reference.json" in refused.stderr) == (
        2,
        True,
    )
    assert [path.name for path in (done.folder / "mine").iterdir()] == ["scores.csv"]
    assert (done.folder / "mine/scores.csv").read_text() == "mine"


def test_the_export_of_another_experiment_is_not_replaced(done):
    done.mlbench("export", "runs/small", "--folder", "kept")
    done.write("other.yaml", EXPERIMENT.replace("name: small", "name: other"))
    done.mlbench("run", "other.yaml")
    before = (done.folder / "kept/experiment.yaml").read_text()
    refused = done.mlbench("export", "runs/other", "--folder", "kept")
    assert (refused.returncode, "kept: has an export of small;" in refused.stderr) == (2, True)
    assert (done.folder / "kept/experiment.yaml").read_text() == before


def test_another_export_keeps_the_history_of_the_reference(done):
    done.mlbench("export", "runs/small", "--folder", "kept")
    reference = done.folder / "kept/reference.json"
    change = {"date": "2026-11-28", "reason": "because of X", "versions": {}, "moved": []}
    reference.write_text(json.dumps(json.loads(reference.read_text()) | {"history": [change]}))
    done.mlbench("export", "runs/small", "--folder", "kept")
    assert "because of X" in (done.folder / "kept/reference.json").read_text()


def test_results_that_another_export_loses_are_told(done):
    shutil.copytree(done.folder / "runs/small", done.folder / "runs/lost")
    done.mlbench("export", "runs/small", "--folder", "whole")
    store = Store(done.folder / "runs/lost")
    row = min(store.scan().rows.values(), key=lambda each: (each.method, each.split))
    store.row_path(row.key).unlink()
    place = {name: getattr(row, name) for name in ("key", "dataset", "method", "split", "identity")}
    store.write_row(make_row(status="error", **place))
    told = done.mlbench("export", "runs/lost", "--folder", "whole").stderr
    assert f"{row.dataset}/{row.method}, split {row.split}: failed (error)" in told
    assert "no check will ask for these results again: mend the cause, run, and export" in told


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--folder", "runs/small"], "runs/small: is a results folder; name another folder"),
        (["--folder", "small.yaml"], "Directory 'small.yaml' is a file"),
        (["--folder", "small.yaml/kept"], ": cannot be written: "),
        (["--folder", "kept", "--per-label"], "leave the other options out"),
    ],
)
def test_wrong_use_is_refused_before_anything_is_written(done, words, told):
    refused = done.mlbench("export", "runs/small", *words)
    assert (refused.returncode, told in refused.stderr) == (2, True), refused.stderr
    assert not (done.folder / "kept").exists()


STEPS = [*((Path, name) for name in ("replace", "unlink", "rmdir")), (shutil, "rmtree")]


def macro_f1(results):
    return results.scores("macro_f1")["value"].tolist()


@pytest.mark.parametrize("target", ["there", "new"])
def test_a_kill_after_any_step_leaves_no_mixture(done, monkeypatch, target):
    other = done.mlbench("run", "small.yaml", "--set", "protocol.splits.seed=7", "--out", "other")
    assert other.returncode == 0, other.stderr
    runs = [mb.open_results(done.folder / name) for name in ("runs/small", "other")]
    old, new = map(macro_f1, runs)
    moment, finished = 0, False
    while not finished:
        kept = done.folder / f"kept-{moment}"
        if target == "there":
            write_folder(runs[0], kept)
        else:
            kept.mkdir()
        with monkeypatch.context() as patch:
            kill_after(patch, STEPS, moment)
            with contextlib.suppress(Killed):
                write_folder(runs[1], kept)
                finished = True
        with contextlib.suppress(StoreError):
            assert macro_f1(mb.open_results(kept)) in (old, new), moment
        write_folder(runs[1], kept)
        assert macro_f1(mb.open_results(kept)) == new
        assert not list(done.folder.glob(".kept*"))
        moment += 1
    assert moment > 12, "the steps were not the real ones"


def test_a_folder_is_checked_without_its_searches(done):
    done.mlbench("export", "runs/small", "--folder", "kept")
    setting = "protocol.tuning.params=params.csv"
    again = done.mlbench("run", "kept/experiment.yaml", "--set", setting, "--out", "again")
    assert again.returncode == 0, again.stderr
    assert "parameters read from params.csv, tuned in 5 folds" in " ".join(again.stdout.split())
    checked = done.mlbench("check", "again", "--against", "kept/reference.json")
    assert (checked.returncode, "6 same" in checked.stdout) == (0, True)
    assert "chosen null -> by an earlier run (of two/ML-kNN)" in " ".join(checked.stdout.split())


def test_a_cell_without_parameters_fails_and_the_others_run(done):
    done.mlbench("export", "runs/small", "--folder", "kept")
    path = done.folder / "kept/params.csv"
    whole = path.read_text()
    path.write_text("".join(line for line in whole.splitlines(True) if ",ML-kNN,1," not in line))
    command = ("kept/experiment.yaml", "--set", "protocol.tuning.params=params.csv")
    planned = done.mlbench("plan", *command, "--out", "again")
    assert "2 missing, 1 no parameters" in planned.stdout
    run = done.mlbench("run", *command, "--out", "again")
    assert run.returncode == 1
    assert "params.csv has no parameters of two/ML-kNN/1; such cells fail" in run.stderr
    rows = mb.open_results(done.folder / "again").rows
    assert Counter(row.status for row in rows.values()) == {"ok": 5, "error": 1}
    path.write_text(whole)
    assert done.mlbench("run", *command, "--out", "again").returncode == 0


def test_parameters_that_do_not_suit_the_experiment_are_refused(done):
    done.mlbench("export", "runs/small", "--folder", "kept")
    setting = "protocol.tuning.params=kept/params.csv"
    other = "methods.ML-kNN.tune.k=[100]"
    refused = done.mlbench("run", "small.yaml", "--set", setting, "--set", other)
    assert refused.returncode == 2
    assert "ML-kNN/0: the grid has no candidate with k " in refused.stderr
    refused = done.mlbench("run", "small.yaml", "--set", "protocol.tuning.params=none.csv")
    assert refused.returncode == 2
    assert "none.csv: cannot be read: No such file or directory" in refused.stderr


def test_an_experiment_with_data_beside_it_runs_from_its_export(lab):
    rows = "".join(f"0.{i},{i % 3},{i % 2},{i % 3 == 0:d}\n" for i in range(10, 50))
    lab.write("there/data/t.csv", f"a,b,l1,l2\n{rows}")
    data = "{use: data/t.csv, label_columns: [l1, l2]}"
    start, end = EXPERIMENT.index("{use: nam"), EXPERIMENT.index("]\nprotocol")
    text = EXPERIMENT[:start] + data + EXPERIMENT[end:]
    lab.write("there/small.yaml", text.replace("published: lee.csv\n", ""))
    assert lab.mlbench("run", "there/small.yaml").returncode == 0
    lab.mlbench("export", "runs/small", "--folder", "deep/kept")
    for folder in ("runs/small", "deep/kept"):
        again = lab.mlbench("run", f"{folder}/experiment.yaml", "--out", "runs/small")
        assert "6 done, 0 to run" in again.stderr


def test_an_export_over_a_damaged_one_does_not_compare_with_it(done):
    done.mlbench("export", "runs/small", "--folder", "forged")
    reference = done.folder / "forged" / "reference.json"
    text = reference.read_text()
    reference.write_text(re.sub(r'"macro_f1": 0\.[0-9]', '"macro_f1": 0.9', text, count=1))
    again = done.mlbench("export", "runs/small", "--folder", "forged")
    assert again.returncode == 0
    assert "has another macro_f1 in reference.json" in again.stderr
    assert "what it had is replaced, and not compared" in again.stderr
    assert json.loads(reference.read_text())["history"] == []
