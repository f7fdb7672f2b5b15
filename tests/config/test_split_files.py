"""The number of splits, from files."""

from __future__ import annotations

import pytest

from mlbench.config.load import load_experiment
from mlbench.errors import ConfigError

SPLITS = "row,split,part\n0,0,train\n1,0,test\n0,1,test\n1,1,train\n"
EXPERIMENT = """\
name: filed
datasets: [digits]
protocol: {splits: {kind: file, file: folds/splits.csv}}
methods: {A: mlknn}
"""


@pytest.fixture
def load(tmp_path):
    def load(text=EXPERIMENT, *settings):
        (tmp_path / "folds").mkdir(exist_ok=True)
        for name in ("splits", "digits", "toy"):
            (tmp_path / f"folds/{name}.csv").write_text(SPLITS)
        (tmp_path / "x.yaml").write_text(text)
        return load_experiment(tmp_path / "x.yaml", settings=settings).experiment

    return load


def test_all_splits_of_the_file_or_the_first(load):
    assert load().protocol.splits.n_splits == 2
    assert load(EXPERIMENT, "protocol.splits.number=1").protocol.splits.n_splits == 1


def test_each_data_set_has_a_file_of_its_own(load):
    text = EXPERIMENT.replace("[digits]", "[digits, {use: nam-toy, as: toy}]")
    text = (
        text.replace("splits.csv", "{dataset}.csv")
        .replace("file: f", 'file: "f')
        .replace(".csv}}", '.csv"}}')
    )
    assert load(text).protocol.splits.file_of("toy") == "folds/toy.csv"


@pytest.mark.parametrize(
    ("change", "setting", "words"),
    [
        (("", ""), "protocol.splits.number=3", "has 2 splits, and 3 are wanted"),
        (("splits.csv", "none.csv"), "threads=1", r"x.yaml:3:.*none.csv: no such file"),
        (("[digits]", "[digits, nam-toy]"), "threads=1", "data sets do not share rows; write"),
        (("file: ", "files: "), "threads=1", "unknown key; known here|the key 'file' is required"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(load, change, setting, words):
    with pytest.raises(ConfigError, match=words):
        load(EXPERIMENT.replace(*change), setting)
