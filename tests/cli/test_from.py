"""A cell that an export has counts as done, where its key is the same."""

from __future__ import annotations

import re

import pytest

import mlbench as mb

EXPERIMENT = """
name: long
datasets: [{use: nam-toy, as: toy}, {use: digits, rows: 300}]
protocol: {splits: {train: 0.5, repeats: 3}, tuning: {folds: 2}}
methods:
  BR: {use: br, base: logistic, tune: {C: [0.1, 1]}}
  ML-kNN: {use: mlknn, k: 5}
  wrong: {use: "wrong.py:Wrong"}
metrics: [macro_f1, macro_auc]
tests: [{method: BR, over_datasets: [friedman]}]
"""
WRONG = """
from sklearn.base import BaseEstimator, ClassifierMixin


class Wrong(ClassifierMixin, BaseEstimator):
    def fit(self, X, Y):
        raise ValueError("not today")

    def predict(self, X):
        return X

    decision_function = predict
"""
ONE = ("--set", "datasets=[{use: nam-toy, as: toy}]")


@pytest.fixture(scope="module")
def lab(make_lab, tmp_path_factory):
    lab = make_lab(tmp_path_factory.mktemp("from"))
    lab.write("wrong.py", WRONG)
    lab.write("long.yaml", EXPERIMENT)
    assert lab.mlbench("run", "long.yaml", "--out", "runs/whole").returncode == 1
    assert lab.mlbench("run", "long.yaml", *ONE, "--out", "runs/part").returncode == 1
    assert lab.mlbench("export", "runs/part", "--folder", "part").returncode == 0
    return lab


def to_run(output: str) -> tuple[int, ...]:
    """Return how many cells there are, were taken over, are done, and are to run."""
    found = re.search(r"(\d+) cells?, (?:(\d+) taken over, )?(\d+) done, (\d+) to run", output)
    assert found, output
    return tuple(int(number or 0) for number in found.groups())


def test_a_dry_run_of_a_submission_takes_nothing_over(lab):
    words = ("submit", "long.yaml", *ONE, "--out", "runs/dry", "--from", "part", "--dry-run")
    told = lab.mlbench(*words, "--allow-import").stdout
    assert told == "nothing would be left to run in runs/dry; a dry run takes nothing over\n"
    assert not (lab.folder / "runs/dry/plan.json").exists()


def test_only_the_rest_runs_and_the_tables_are_the_same(lab):
    ran = lab.mlbench("run", "long.yaml", "--out", "runs/rest", "--from", "part")
    assert "part: 9 cells taken over (6 ok, 3 errors), all keys verified" in ran.stderr
    assert to_run(ran.stderr) == (18, 9, 0, 9)
    tables = [lab.mlbench("report", f"runs/{name}").stdout for name in ("whole", "rest")]
    assert tables[0] == NOTE.sub("", tables[1])
    assert len(NOTE.findall(tables[1])) == 1
    whole, rest = (mb.open_results(lab.folder / f"runs/{name}") for name in ("whole", "rest"))
    for metric in ("macro_f1", "macro_auc"):
        assert rest.scores(metric).equals(whole.scores(metric))


NOTE = re.compile(r"9 cells of these were taken over from long \([^)]*\),\s+not\s+run\s+here.\n")


def test_later_runs_need_no_export(lab):
    out = ("--out", "runs/later")
    lab.mlbench("run", "long.yaml", *out, "--from", "part", "--shard", "1/2")
    again = lab.mlbench("run", "long.yaml", *out)
    assert to_run(again.stderr)[:2] == (18, 9)
    planned = lab.mlbench("plan", "long.yaml", *out)
    assert planned.stdout.endswith(
        "0 cells to run; worker time left: 0 s, from the times of finished cells\n"
    )
    status = lab.mlbench("status", "runs/later").stdout
    assert re.search(
        r"long: 9 cells: 6 ok, 3 error\n"
        r"taken over from long \([-0-9]+\): 9 cells, 6 ok, 3 errors\n",
        status,
    )


def test_failed_cells_run_again_on_request(lab):
    out = ("--out", "runs/retried")
    ran = lab.mlbench("run", "long.yaml", *ONE, *out, "--from", "part", "--retry-failed")
    assert to_run(ran.stderr) == (9, 6, 0, 3)
    assert to_run(lab.mlbench("run", "long.yaml", *ONE, *out, "--from", "part").stderr) == (
        9,
        6,
        3,
        0,
    )


def test_a_row_of_the_folder_counts_for_more(lab):
    out = ("--out", "runs/own")
    lab.mlbench("run", "long.yaml", *ONE, *out)
    ran = lab.mlbench("run", "long.yaml", *ONE, *out, "--from", "part")
    assert to_run(ran.stderr) == (9, 0, 9, 0)
    assert "part: no cell taken over: it has none of those that are to run" in ran.stderr


def test_another_protocol_has_other_cells(lab):
    other = ("--set", "protocol.splits.seed=1", "--out", "runs/other")
    ran = lab.mlbench("plan", "long.yaml", *ONE, *other, "--from", "part")
    assert "part: no cell taken over: toy/BR/0 differs in split.seed" in ran.stderr
    assert "9 cells to run" in ran.stdout


def test_an_export_that_is_not_there_is_named(lab):
    ran = lab.mlbench("plan", "long.yaml", "--from", "strong-baseline")
    assert ran.returncode == 2
    assert ran.stderr.startswith(
        "error: --from strong-baseline: no such exported folder; published results (did you mean "
        "'strong-baselines'?): "
    )


def test_an_export_has_no_predictions_to_take_over(lab):
    words = ("plan", "long.yaml", *ONE, "--out", "runs/kept", "--from", "part")
    told = lab.mlbench(*words, "--set", "keep_predictions=true")
    assert "3 cells taken over (3 errors), all keys verified; 6 cells not taken over" in told.stderr
    assert "no export has (--set keep_predictions=false)" in told.stderr


def test_the_folder_of_a_run_is_no_export(lab):
    refused = lab.mlbench("run", "long.yaml", "--out", "runs/new", "--from", "runs/part")
    assert refused.returncode == 2
    assert "is the folder of a run; `mlbench export " in refused.stderr


def test_an_altered_export_is_refused(lab):
    folder = lab.folder / "altered"
    folder.mkdir()
    for path in (lab.folder / "part").iterdir():
        (folder / path.name).write_text(path.read_text())
    file = folder / "reference.json"
    text = file.read_text()
    file.write_text(text.replace('"k": 5', '"k": 6'))
    ran = lab.mlbench("run", "long.yaml", "--out", "runs/altered", "--from", "altered")
    assert ran.returncode == 2
    assert re.match(
        r"error: altered/reference\.json:\d+:\d+: series\.1\.cells\.0: key is not the hash of its "
        "identity; restore the folder",
        ran.stderr,
    )
    assert not (lab.folder / "runs/altered").exists()


def test_folders_are_merged_packed_and_pruned(lab):
    for number in (1, 2):
        out = ("--out", f"runs/shard-{number}", "--shard", f"{number}/2")
        lab.mlbench("run", "long.yaml", *out, "--from", "part")
    merged = lab.mlbench("merge", "runs/shard-1", "runs/shard-2", "--into", "runs/merged")
    assert merged.stdout == "9 rows copied, 0 already there\n"
    lab.mlbench("pack", "runs/merged")
    pruned = lab.mlbench("prune", "runs/merged", "--yes")
    assert pruned.stdout == "0 rows of no cell of the experiment 'long'\n"
    tables = [lab.mlbench("report", f"runs/{name}").stdout for name in ("whole", "merged")]
    assert tables[0] == NOTE.sub("", tables[1])


def test_what_is_damaged_runs(lab):
    out = ("--out", "runs/damaged")
    lab.mlbench("run", "long.yaml", *out, "--from", "part", "--shard", "1/9")
    path = lab.folder / "runs/damaged/taken-over.json"
    path.write_text(path.read_text().replace("macro_f1", "macro_f2"))
    ran = lab.mlbench("run", "long.yaml", *out, "--from", "part", "--shard", "1/9")
    assert "warning: runs/damaged/taken-over.json: damaged: " in ran.stderr
    assert lab.mlbench("report", "runs/damaged").stdout.count("missing")
    assert path.exists()
    path.write_text("")
    ran = lab.mlbench("run", "long.yaml", *out)
    assert to_run(ran.stderr)[1] == 0
    assert not path.exists()
