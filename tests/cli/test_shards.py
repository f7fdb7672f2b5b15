"""Shards and merging as a user meets them."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import pytest

from tests.kills import Killed, kill_after

EXPERIMENT = """
name: small
datasets:
  - {use: nam-toy, as: two, tasks: 2, samples: 60, dimensions: 4}
protocol: {splits: {train: 0.5, repeats: 3}}
methods:
  ML-kNN: {use: mlknn, k: 5}
  BR: {use: br, base: logistic}
"""


@pytest.fixture
def config(lab):
    lab.write("small.yaml", EXPERIMENT)
    return lab


def exported(lab, folder):
    return lab.mlbench("export", folder, "--what", "scores").stdout


def test_shards_in_one_folder_or_merged_give_the_numbers_of_a_single_run(config):
    config.mlbench("run", "small.yaml", "--out", "whole")
    for number in ("1/2", "2/2"):
        apart = f"part-{number[0]}"
        assert (
            config.mlbench("run", "small.yaml", "--shard", number, "--out", apart).returncode == 0
        )
        done = config.mlbench("run", "small.yaml", "--shard", number, "--out", "shared")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"shard {number}: ")
    half = config.mlbench("status", "part-1")
    assert "no run is active or queued here; `mlbench run` or `submit` runs what is" in half.stdout
    twice = config.mlbench("merge", "part-1", "part-1", "--into", "merged")
    assert twice.returncode == 2
    assert "part-1 is named twice" in twice.stderr
    merged = config.mlbench("merge", "part-1", "part-2", "--into", "merged")
    assert (merged.returncode, merged.stdout) == (0, "6 rows copied, 0 already there\n")
    assert exported(config, "whole") == exported(config, "shared") == exported(config, "merged")


def test_the_end_of_a_shard_tells_failed_cells_from_missing_ones(config):
    words = "methods.bad={use: sklearn.dummy.DummyClassifier, strategy: constant}"
    done = config.mlbench("run", "small.yaml", "--shard", "1/2", "--set", words, "--out", "apart")
    assert done.returncode == 1
    told = r"shard 1/2: \d cells? ok, [12] failed: see mlbench status apart\n"
    assert re.fullmatch(told, done.stdout)


def test_experiments_share_the_cells_they_have_in_common(config):
    config.mlbench("run", "small.yaml", "--out", "first")
    config.write("other.yaml", EXPERIMENT.replace("name: small", "name: other"))
    merged = config.mlbench("merge", "first", "--into", "other")
    assert merged.returncode == 0, merged.stderr
    ran = config.mlbench("run", "other.yaml", "--out", "other")
    assert "6 cells, 0 done" not in ran.stderr
    assert exported(config, "first") == exported(config, "other")


def test_different_experiments_of_one_name_are_not_merged(config):
    for folder, seed in (("first", 1), ("second", 2)):
        setting = f"protocol.splits.seed={seed}"
        config.mlbench("run", "small.yaml", "--set", setting, "--out", folder)
    refused = config.mlbench("merge", "first", "second", "--into", "all")
    assert refused.returncode == 2
    assert "first and second hold different experiments of the name 'small'" in refused.stderr
    assert "/0: split.seed 1 -> 2); run one of them again as the other, into" in refused.stderr
    assert not (config.folder / "all").exists()
    assert config.mlbench("merge", "first", "--into", "all").returncode == 0
    refused = config.mlbench("merge", "second", "--into", "all")
    assert "all and second hold different experiments" in refused.stderr


def test_the_plan_that_has_all_cells_is_kept(config):
    config.mlbench("run", "small.yaml", "--out", "some")
    config.mlbench("run", "small.yaml", "--set", "protocol.splits.repeats=4", "--out", "more")
    for folders in (["some", "more"], ["more", "some"]):
        for folder in folders:
            assert config.mlbench("merge", folder, "--into", folders[0] + "-all").returncode == 0
        assert exported(config, folders[0] + "-all") == exported(config, "more")


def test_a_merge_that_is_killed_is_completed_by_the_next(config, call, monkeypatch):
    config.write("lee.csv", "dataset,method,metric,mean,unit\ntwo,BR,macro_f1,80.1,percent\n")
    config.write("small.yaml", f"{EXPERIMENT}published: lee.csv\n")
    config.mlbench("run", "small.yaml", "--out", "whole")
    moment, finished = 0, False
    while not finished:
        words = ("merge", "whole", "--into", f"all-{moment}")
        with monkeypatch.context() as patch:
            kill_after(patch, [(Path, "replace")], moment)
            with contextlib.suppress(Killed):
                call(config.folder, *words)
                finished = True
        assert call(config.folder, *words).exit_code == 0, moment
        whole, merged = (
            {path.relative_to(folder): path.read_text() for path in folder.rglob("*.*")}
            for folder in (config.folder / "whole", config.folder / f"all-{moment}")
        )
        plans = [json.loads(files.pop(Path("plan.json"))) for files in (whole, merged)]
        assert plans[0] == plans[1]
        assert {n: t for n, t in merged.items() if n.suffix != ".tmp"} == whole, moment
        moment += 1
    assert moment > 8, "the steps were not the real ones"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "small.yaml", "--shard", "3/2"], "--shard 3/2: write PART/PARTS"),
        (["merge", "small.yaml", "--into", "x"], "small.yaml"),
        (["merge", ".", "--into", "x"], "not a results folder"),
        (["merge", "--into", "x"], "SOURCES"),
    ],
)
def test_wrong_words(config, words, message):
    finished = config.mlbench(*words)
    assert finished.returncode == 2
    assert message in finished.stderr
    assert "Traceback" not in finished.stderr
