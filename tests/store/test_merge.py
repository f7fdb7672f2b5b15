from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlbench.store import Store
from mlbench.store.checksum import seal
from mlbench.store.merge import merge
from mlbench.store.predictions import compressed


@pytest.fixture
def folders(tmp_path):
    return Store(tmp_path / "first"), Store(tmp_path / "second"), Store(tmp_path / "all")


def test_rows_of_all_folders_are_there_and_a_second_merge_finds_nothing(folders, make_row):
    first, second, target = folders
    for digit in "ab":
        first.write_row(make_row(digit))
    for digit in "bc":
        second.write_row(make_row(digit))
    merged = merge([first, second], target)
    assert (merged.copied, merged.known, merged.differing) == (3, 1, [])
    assert target.scan().rows == {digit * 64: make_row(digit) for digit in "abc"}
    again = merge([first, second], target)
    assert (again.copied, again.known) == (0, 4)


def test_a_result_replaces_a_failure_and_never_the_other_way(folders, make_row):
    first, second, target = folders
    failed = make_row(status="crash", metrics={})
    first.write_row(failed)
    second.write_row(make_row())
    merged = merge([first, second, first], target)
    assert (merged.copied, merged.replaced, merged.known) == (2, 1, 1)
    assert target.scan().rows == {"a" * 64: make_row()}


def test_other_numbers_for_the_same_cell_are_told_and_the_first_stay(folders, make_row):
    first, second, target = folders
    first.write_row(make_row())
    second.write_row(make_row(metrics={"macro_f1": 0.4, "macro_auc": None}))
    assert merge([first, second], target).differing == ["a" * 64]
    assert target.scan().rows == {"a" * 64: make_row()}


def test_a_metric_that_one_row_lacks_is_no_difference(folders, make_row):
    first, second, target = folders
    first.write_row(make_row())
    second.write_row(make_row(metrics={"macro_f1": 0.1 + 0.2, "macro_f1@share": 0.5}))
    assert merge([first, second], target).differing == []


def test_predictions_and_searches_come_along(folders, make_row):
    first, _, target = folders
    arrays = {"rows": np.arange(3), "scores": np.eye(3)}
    kept = first.write_predictions("a" * 64, compressed(arrays))
    first.write_row(make_row(predictions=kept))
    (first.root / "searches").mkdir()
    found = seal("searches/x", {"winner": 3})
    (first.root / "searches" / "x.json").write_text(found)
    assert merge([first], target).damaged == {}
    back = target.read_predictions(target.scan().rows["a" * 64])
    assert all(np.array_equal(back[name], arrays[name]) for name in arrays)
    assert (target.root / "searches" / "x.json").read_text() == found


def test_damaged_predictions_and_searches_are_named_and_left_out(folders, make_row):
    first, _, target = folders
    row = make_row(
        predictions=first.write_predictions("a" * 64, compressed({"rows": np.arange(3)}))
    )
    first.write_row(row)
    predictions, search = first.predictions_path("a" * 64), first.root / "searches" / "x.json"
    predictions.write_bytes(predictions.read_bytes()[:-1])
    search.parent.mkdir()
    search.write_text(seal("searches/x", {"winner": 3}).replace("3", "4"))
    merged = merge([first], target)
    assert list(merged.damaged) == [predictions, search]
    assert merged.copied == 1
    assert target.scan().rows == {"a" * 64: row}
    assert not target.kept_predictions()
    assert not (target.root / "searches" / "x.json").exists()


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"torn")])
def test_predictions_that_one_folder_has_lost_come_from_another(folders, make_row, spoil):
    first, second, target = folders
    for store in (first, second):
        kept = store.write_predictions("a" * 64, compressed({"rows": np.arange(3)}))
        store.write_row(make_row(predictions=kept))
    spoil(first.predictions_path("a" * 64))
    merged = merge([first, second], target)
    assert (merged.copied, merged.known) == (1, 1)
    assert target.read_predictions(make_row(predictions=kept))["rows"].tolist() == [0, 1, 2]


def test_a_damaged_row_is_named_and_left_out(folders, make_row):
    first, _, target = folders
    first.write_row(make_row())
    path = first.row_path("a" * 64)
    path.write_text(path.read_text().replace("emotions", "emotionz"))
    merged = merge([first], target)
    assert list(merged.damaged) == [path]
    assert target.scan().rows == {}
    assert path.exists()


def test_an_interrupted_merge_is_completed_by_a_second(folders, make_row, monkeypatch):
    first, _, target = folders
    for digit in "abc":
        first.write_row(make_row(digit))
    write, calls = Store.write_row, []

    def fill_the_disk(self, row):
        calls.append(row)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        write(self, row)

    monkeypatch.setattr(Store, "write_row", fill_the_disk)
    with pytest.raises(OSError, match="No space"):
        merge([first], target)
    monkeypatch.undo()
    assert merge([first], target).copied == 2
    assert len(target.scan().rows) == 3
