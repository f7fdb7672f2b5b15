"""An experiment with a metric of one's own, from its file to tables that run no code."""

from __future__ import annotations

import json

import pytest

CODE = """
import mlbench

@mlbench.metric(greater_is_better=False, range=(0, 1), needs="labels", title="My error")
def error(Y, scores, labels):
    return (Y != labels).mean(axis=0)

@mlbench.metric(greater_is_better=True, range=(0, 1))
def wrong(Y, scores, labels):
    return 7
"""
EXPERIMENT = """
name: own
datasets: [{{use: nam-toy, as: toy, tasks: 3, samples: 60, dimensions: 4}}]
protocol: {{splits: {{train: 0.5, repeats: 2}}, tuning: {{folds: 2, scoring: {scoring}}}}}
methods: {{kNN: {{use: mlknn, tune: {{k: [1, 9]}}}}}}
metrics: [{metrics}]
"""


@pytest.fixture
def run(lab):
    """Run an experiment that shows some metrics, and return what ended."""

    def finished(metrics, scoring="macro_f1", code=CODE):
        lab.write("my.py", code)
        lab.write("own.yaml", EXPERIMENT.format(metrics=metrics, scoring=scoring))
        return lab.mlbench("run", "own.yaml", "--out", "out", "--quiet")

    return finished


def keys(lab):
    plan = json.loads((lab.folder / "out/plan.json").read_text())
    return [key for *_, key in plan["cells"]]


def test_it_is_shown_and_equals_the_same_metric_of_mlbench(run, lab):
    shown = run("hamming_loss, my.py:error")
    assert shown.returncode == 0, shown.stderr
    assert "My error ↓" in shown.stdout
    lab.write("my.py", "raise SystemExit('no report runs this')")
    exported = lab.mlbench("export", "out", "--metric", "my.py:error").stdout.splitlines()
    same = lab.mlbench("export", "out", "--metric", "hamming_loss").stdout.splitlines()
    values = [[line.rpartition(",")[2] for line in lines[1:]] for lines in (exported, same)]
    assert [float(value) for value in values[0]] == pytest.approx([float(v) for v in values[1]])
    for words in (("report", "out"), ("report", "out", "--html", "out.html"), ("status", "out")):
        assert lab.mlbench(*words).returncode == 0
    assert "my.py:error" in lab.mlbench("report", "out", "--format", "csv").stdout


def test_it_may_choose_parameters(run):
    chosen = run("hamming_loss", "my.py:error")
    assert chosen.returncode == 0, chosen.stderr
    assert "tuned in 2 folds by my.py:error" in " ".join(chosen.stdout.split())


def test_keys_follow_its_code_and_other_experiments_keep_theirs(run, lab):
    run("hamming_loss")
    without = keys(lab)
    run("hamming_loss", code=CODE.replace("!=", "<"))
    assert keys(lab) == without
    run("hamming_loss, my.py:error")
    first = keys(lab)
    run("hamming_loss, my.py:error", code=f"# the same\n{CODE}")
    assert keys(lab) == first
    run("hamming_loss, my.py:error", code=CODE.replace("!=", "<"))
    assert not {*first, *without} & {*keys(lab)}


def test_a_value_outside_its_range_is_an_error_of_the_cell(run, lab):
    assert run("my.py:wrong").returncode == 1
    status = " ".join(lab.mlbench("status", "out").stdout.split())
    assert "metric 'my.py:wrong' returned 7, which is outside its range, 0 to 1" in status


def test_a_wrong_name_is_an_error_of_the_file(run):
    refused = run("my.py:eror")
    assert refused.returncode == 2
    assert "own.yaml:6:11: metrics.0: my.py:eror: my.py has no 'eror' (did you" in refused.stderr


def test_a_damaged_statement_in_a_plan_is_told_in_words(run, lab):
    run("my.py:error")
    path = lab.folder / "out/plan.json"
    plan = json.loads(path.read_text())
    plan["user_metrics"][0]["range"] = "wide"
    path.write_text(json.dumps(plan))
    report = lab.mlbench("report", "out")
    assert report.returncode == 2
    assert "plan.json: damaged" in report.stderr


def exported(lab, folder="out"):
    return lab.mlbench("export", folder).stdout


SHARDS = [["--shard", "1/2", "--jobs", "1"], ["--shard", "2/2", "--jobs", "2"]]


@pytest.mark.parametrize("how", ["--executor dask", "--shard"])
def test_it_has_the_same_values_wherever_cells_run_and_rows_are_brought(run, lab, how):
    run("hamming_loss, my.py:error", "my.py:error")
    alone = exported(lab)
    if how == "--shard":
        for number, words in enumerate(SHARDS):
            part = lab.mlbench("run", "own.yaml", "--quiet", "--out", f"part{number}", *words)
            assert part.returncode == 0, part.stderr
        merged = lab.mlbench("merge", "part0", "part1", "--into", "elsewhere")
        assert merged.returncode == 0, merged.stderr
    else:
        pytest.importorskip("distributed")
        words = [*how.split(), "--jobs", "1", "--quiet"]
        shared = lab.mlbench("run", "own.yaml", "--out", "elsewhere", *words)
        assert shared.returncode == 0, shared.stderr
    assert exported(lab, "elsewhere") == alone
    assert "my.py:error" in alone
    report = [lab.mlbench("report", folder).stdout for folder in ("out", "elsewhere")]
    assert report[0] == report[1]


def test_a_reference_holds_its_values(run, lab):
    run("hamming_loss, my.py:error")
    assert lab.mlbench("check", "out", "--write", "reference.json").returncode == 0
    same = lab.mlbench("check", "out", "--against", "reference.json")
    assert same.returncode == 0, same.stdout
    run("hamming_loss, my.py:error", code=CODE.replace("!=", "<"))
    moved = lab.mlbench("check", "out", "--against", "reference.json")
    assert moved.returncode == 3
    assert "my.py:error" in moved.stdout


@pytest.mark.parametrize(
    "other", ["./my.py:error", "sub/../my.py:error", "link.py:error", "{}/my.py:error"]
)
def test_two_paths_to_one_file_are_one_metric(run, lab, other):
    (lab.folder / "link.py").symlink_to("my.py")
    (lab.folder / "sub").mkdir()
    run("my.py:error")
    first = keys(lab)
    run(f"'{other.format(lab.folder)}'")
    assert keys(lab) == first
    twice = run(f"my.py:error, '{other.format(lab.folder)}'")
    assert twice.returncode == 2
    assert "metrics.1: 'my.py:error' occurs twice (first as metrics.0)" in twice.stderr
