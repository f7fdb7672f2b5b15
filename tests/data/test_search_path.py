from __future__ import annotations

import os
from pathlib import Path

import pytest

from mlbench.data.search_path import (
    fetched_data_dir,
    find_file,
    locate,
    locate_in,
    own_data_dir,
    search_path,
)
from mlbench.errors import DataError


@pytest.fixture(autouse=True)
def empty_surroundings(tmp_path, monkeypatch):
    """Keep the machine's own data out of these tests."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.delenv("MLBENCH_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))


def put(folder: Path, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    return path


def test_the_order_is_given_then_environment_then_here_then_own_then_fetched(tmp_path, monkeypatch):
    monkeypatch.setenv("MLBENCH_DATA", os.pathsep.join([str(tmp_path / "b"), "", "~/c"]))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert search_path([tmp_path / "a"]) == [
        tmp_path / "a",
        tmp_path / "b",
        tmp_path / "c",
        Path("datasets"),
        tmp_path / "share" / "mlbench" / "datasets",
        tmp_path / "cache" / "mlbench" / "datasets",
    ]


def test_without_xdg_both_are_in_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert own_data_dir() == tmp_path / ".local" / "share" / "mlbench" / "datasets"
    assert fetched_data_dir() == tmp_path / ".cache" / "mlbench" / "datasets"


def test_a_folder_named_twice_is_searched_once_in_its_first_place(tmp_path, monkeypatch):
    monkeypatch.setenv("MLBENCH_DATA", str(tmp_path / "here" / "datasets"))
    assert search_path() == [tmp_path / "here" / "datasets", own_data_dir(), fetched_data_dir()]


def test_the_earlier_folder_wins_even_with_a_compressed_twin(tmp_path):
    first = put(tmp_path / "a", "toy/toy.arff.gz")
    put(tmp_path / "b", "toy/toy.arff")
    assert find_file("toy/toy.arff", [tmp_path / "a", tmp_path / "b"]) == first


@pytest.mark.parametrize("stored", ["toy.arff", "toy.arff.gz", "toy.arff.bz2"])
@pytest.mark.parametrize("asked", ["toy.arff", "toy.arff.gz", "toy.arff.bz2"])
def test_any_twin_is_found_whatever_the_card_names(tmp_path, asked, stored):
    path = put(tmp_path / "a", stored)
    assert find_file(asked, [tmp_path / "a"]) == path


def test_the_twin_that_the_card_names_is_preferred(tmp_path):
    put(tmp_path / "a", "toy.arff")
    named = put(tmp_path / "a", "toy.arff.gz")
    assert find_file("toy.arff.gz", [tmp_path / "a"]) == named


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "a" / "toy.arff").mkdir(parents=True)
    assert locate("toy.arff", [tmp_path / "a"]) is None


def test_locate_in_looks_nowhere_else(tmp_path, monkeypatch):
    put(tmp_path / "b", "toy.arff")
    monkeypatch.setenv("MLBENCH_DATA", str(tmp_path / "b"))
    assert locate("toy.arff") is not None
    assert locate_in("toy.arff", [tmp_path / "a"]) is None


def test_a_missing_file_is_told_with_all_folders_and_the_remedy(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(DataError) as caught:
        find_file("toy/toy.arff", [tmp_path / "a"], remedy="Run `mlbench data fetch toy`.")
    message = str(caught.value)
    assert "toy/toy.arff" in message
    assert f"  {tmp_path / 'a'}\n" in message
    assert "  datasets  (no such folder)" in message
    assert str(own_data_dir()) in message
    assert str(fetched_data_dir()) in message
    assert "`mlbench data fetch toy`" in message
    assert "MLBENCH_DATA" in message


@pytest.mark.parametrize(
    "path", ["", ".", "..", "../x", "a/../../x", "a/..", "/etc/passwd", "C:/x", "a\\b", "a\0b"]
)
def test_a_path_that_leaves_the_folder_is_refused(path):
    with pytest.raises(DataError, match="leave the data folder"):
        locate(path)


def test_the_home_of_nobody_is_told_with_the_variable(monkeypatch):
    with pytest.raises(DataError, match="the data folder: '~nosuchuser/x' starts"):
        search_path(["~nosuchuser/x"])
    monkeypatch.setenv("MLBENCH_DATA", "~nosuchuser")
    with pytest.raises(DataError, match="MLBENCH_DATA: '~nosuchuser' starts"):
        search_path()
