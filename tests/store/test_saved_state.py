from __future__ import annotations

import warnings

import pytest

from mlbench.store import SavedState


@pytest.fixture
def partial(tmp_path):
    return SavedState(tmp_path, "partial", "key")


def test_work_is_kept_by_name(tmp_path, partial):
    assert partial.load("tuning") is None
    value = {"0": [0.1 + 0.2, None], "1": [1e-300, 2.0]}
    partial.save("tuning", value)
    partial.save("other", [1])
    assert SavedState(tmp_path, "partial", "key").load("tuning") == value
    assert SavedState(tmp_path, "partial", "another key").load("tuning") is None


@pytest.mark.parametrize(
    "harm",
    [
        lambda text: "",
        lambda text: text[:-5],
        lambda text: text.replace("0.25", "0.75"),
        lambda text: "[]",
        lambda text: "\x00" * len(text),
    ],
)
def test_a_damaged_file_counts_as_none(tmp_path, partial, harm):
    partial.save("tuning", {"0": [0.25]})
    (path,) = tmp_path.rglob("tuning.json")
    path.write_text(harm(path.read_text()))
    assert partial.load("tuning") is None
    partial.save("tuning", {"0": [0.5]})
    assert partial.load("tuning") == {"0": [0.5]}


def test_clearing_removes_all_of_one_cell(tmp_path, partial):
    neighbour = SavedState(tmp_path, "partial", "another key")
    neighbour.save("tuning", [1])
    partial.save("tuning", [2])
    partial.save("other", [3])
    partial.clear()
    partial.clear()  # nothing is left to do
    assert partial.load("tuning") is None
    assert [path.name for path in (tmp_path / "partial").iterdir()] == ["another key"]
    assert neighbour.load("tuning") == [1]


def test_work_of_a_cell_that_another_run_has_finished_is_dropped(partial, monkeypatch):
    def vanished(path, text):
        raise FileNotFoundError(2, "No such file or directory", str(path))

    monkeypatch.setattr("mlbench.store.saved_state.write_text", vanished)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        partial.save("tuning", [1])


def test_work_that_cannot_be_kept_does_not_end_the_work(tmp_path, partial):
    (tmp_path / "partial").write_text("in the way")
    with pytest.warns(UserWarning, match="unfinished work could not be kept: .*Not a directory"):
        partial.save("tuning", [1])
    assert partial.load("tuning") is None
    partial.clear()
