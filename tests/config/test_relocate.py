"""Experiment files for other folders."""

from __future__ import annotations

import pytest

from mlbench.config.relocate import relocated
from mlbench.yaml_loader import parse_yaml

TEXT = """# how it began
datasets:
- data/a.csv  # by its path
- {use: "data/b, c.csv", as: B, groups: groups.txt}
- {use: emotions, groups: patient}
- emotions
- ~/x.csv
- data/none.csv
methods: {M: {use: code/m.py:M}}
protocol: {tuning: {params: params.csv}, splits: {kind: file, file: "data/{dataset}.csv"}}
quick: {datasets.0: data/a.csv}
"""


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home/data").mkdir(parents=True)
    for name in ("data/a.csv", "data/b, c.csv", "params.csv", "groups.txt"):
        (tmp_path / "home" / name).touch()
    return tmp_path / "home"


def test_paths_of_data_lead_to_the_same_files(home, tmp_path):
    text = relocated(TEXT, home, tmp_path / "runs/x")
    value = parse_yaml(text, tmp_path / "x.yaml").value
    assert value["datasets"] == [
        "../../home/data/a.csv",
        {"use": "../../home/data/b, c.csv", "as": "B", "groups": "../../home/groups.txt"},
        {"use": "emotions", "groups": "patient"},
        "emotions",
        "~/x.csv",
        "data/none.csv",
    ]
    assert value["protocol"]["tuning"]["params"] == "../../home/params.csv"
    assert value["quick"] == {"datasets.0": "../../home/data/a.csv"}
    assert value["methods"]["M"]["use"] == "code/m.py:M"
    assert text.startswith("# how it began\n")
    assert "  # by its path\n" in text


def test_a_path_beside_the_file_is_still_a_path(home):
    (home / "data/folder").mkdir()
    text = relocated("datasets: [data/folder]", home, home / "data")
    assert text == 'datasets: ["./folder"]'


@pytest.mark.parametrize("text", ["", "a: [", "just words", "datasets: [emotions]"])
def test_a_text_without_paths_stays(home, tmp_path, text):
    assert relocated(text, home, tmp_path) == text
