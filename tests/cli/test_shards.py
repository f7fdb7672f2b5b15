"""Shards and merging as a user meets them."""

from __future__ import annotations

import pytest

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
    merged = config.mlbench("merge", "part-1", "part-2", "--into", "merged")
    assert (merged.returncode, merged.stdout) == (0, "6 rows copied, 0 already there\n")
    assert exported(config, "whole") == exported(config, "shared") == exported(config, "merged")


def test_experiments_share_the_cells_they_have_in_common(config):
    config.mlbench("run", "small.yaml", "--out", "first")
    config.write("other.yaml", EXPERIMENT.replace("name: small", "name: other"))
    merged = config.mlbench("merge", "first", "--into", "other")
    assert merged.returncode == 0, merged.stderr
    ran = config.mlbench("run", "other.yaml", "--out", "other")
    assert "6 cells, 0 done" not in ran.stderr
    assert exported(config, "first") == exported(config, "other")


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
