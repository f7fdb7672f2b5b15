"""Runs of some methods and data sets, as a user meets them."""

from __future__ import annotations

import pytest

EXPERIMENT = """
name: small
datasets:
  - {use: nam-toy, as: two, tasks: 2, samples: 60, dimensions: 4}
  - {use: nam-toy, as: three, tasks: 3, samples: 60, dimensions: 4}
protocol: {splits: {train: 0.5, repeats: 2}, tuning: {folds: 2}}
methods:
  BR: {use: br, tune: {C: [0.1, 1]}}
  BR cut: {use: br, tune: {C: [0.1, 1]}, threshold: train_f1_label}
  ML-kNN: {use: mlknn, k: 5}
  broken: broken.py:Broken
"""

BROKEN = """
from sklearn.linear_model import RidgeClassifier


class Broken(RidgeClassifier):
    def fit(self, X, y):
        raise ValueError("no")
"""


@pytest.fixture
def config(lab):
    lab.write("small.yaml", EXPERIMENT)
    lab.write("broken.py", BROKEN)
    return lab


def test_parts_and_then_the_rest_give_the_numbers_of_a_whole_run(config):
    config.mlbench("run", "small.yaml", "--out", "whole")
    # BR cut comes first, although it waits for the search of BR in a whole run.
    words = ("run", "small.yaml", "--out", "parts")
    part = config.mlbench(*words, "--method", "BR cut", "--dataset", "three")
    assert part.returncode == 0, part.stderr
    assert "small: 2 cells, 0 done, 2 to run" in part.stderr
    assert "two" not in part.stdout
    assert "ML-kNN" not in part.stdout
    part = config.mlbench(*words, "--method", "ML-kNN", "--method", "BR")
    assert part.returncode == 0, part.stderr
    assert "small: 8 cells, 0 done, 8 to run" in part.stderr
    rest = config.mlbench(*words)
    assert rest.returncode == 1, "the cells of one method fail"
    assert "small: 16 cells, 10 done, 6 to run" in rest.stderr
    scores = [
        config.mlbench("export", folder, "--what", "scores").stdout for folder in ("parts", "whole")
    ]
    assert scores[0] == scores[1]


def test_the_exit_code_is_that_of_the_part(config):
    words = ("run", "small.yaml", "--dataset", "two")
    assert config.mlbench(*words, "--method", "broken").returncode == 1
    assert config.mlbench(*words, "--method", "ML-kNN").returncode == 0


def test_a_part_of_a_shard_is_in_that_shard(config):
    of_shards = [
        config.mlbench("run", "small.yaml", "--shard", f"{number}/2", "--method", "ML-kNN")
        for number in (1, 2)
    ]
    assert sum(int(ran.stdout.split()[2]) for ran in of_shards) == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "BR cutt"], "there is no method 'BR cutt' in the experiment (did you mean"),
        (["--method", "br"], "no method 'br' in the experiment (did you mean 'BR'?)"),
        (["--dataset", "tow"], "no data set 'tow' in the experiment (did you mean 'two'?)"),
        (["--dataset", "nam-toy"], "no data set 'nam-toy' in the experiment; known: two, three"),
        (["--method", ""], "no method '' in the experiment"),
    ],
)
def test_wrong_names_run_nothing(config, words, message):
    finished = config.mlbench("run", "small.yaml", *words)
    assert finished.returncode == 2
    assert message in finished.stderr
    assert not (config.folder / "runs").exists()
