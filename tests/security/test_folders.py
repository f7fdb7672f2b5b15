"""A command writes, moves and deletes nothing but its own files, inside its own folder."""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from contextlib import closing

import pytest

from mlbench.api.experiment import Experiment, load_any
from mlbench.data import load_dataset
from mlbench.errors import StoreError
from mlbench.hashing import canonical_json
from mlbench.store import SavedState, Store, pack_file
from mlbench.store.active_runs import runs_at_work
from mlbench.store.checksum import seal
from mlbench.store.columns import packed
from mlbench.store.packing import pack_files, pack_rows
from mlbench.store.paths import FOLDERS
from mlbench.store.predictions import compressed
from tests.rows import make_row, plain_row

TRIAL = """name: gift
datasets: [{use: nam-toy, as: toy, tasks: 3, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 1, seed: 1}}
metrics: [macro_f1]
methods: {M: mlknn}
"""
CLIMBS = ["../../victim/x", "a" * 64 + "\n", "A" * 64, "../" * 21 + "x", ""]
LONG_AGO = time.time() - 30 * 24 * 3600
TEMPORARY = ".x.json.mlbench-12-0123abcd.tmp"


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("key", CLIMBS)
def test_a_key_inside_a_pack_leads_nowhere(call, tmp_path, key):
    gift = Store(tmp_path / "gift")
    gift.write_row(make_row())
    gift.write_plan({}, "")
    pack_rows(gift.root)
    (pack,) = pack_files(gift.root)
    text = zlib.compress(seal("row", {**plain_row(), "key": key}).encode())
    column = packed(canonical_json([[key], [0]]).encode())
    with closing(sqlite3.connect(pack)) as database:
        database.execute(
            "UPDATE columns SET data = ?, hash = ? WHERE name = 'key'",
            (column, pack_file._hash_of_column(1, "key", column)),
        )
        database.execute("UPDATE texts SET text = ?", (text,))
        database.commit()
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim/x.npz").write_text("mine")
    before = contents(tmp_path)

    assert list(gift.scan([key, "a" * 64]).damaged) == [pack]
    assert list(gift.scan().damaged) == [pack]
    assert contents(tmp_path) == before


@pytest.mark.parametrize("key", CLIMBS)
def test_no_path_is_made_of_what_is_no_key(tmp_path, key):
    store = Store(tmp_path)
    for path in (store.row_path, store.predictions_path):
        with pytest.raises(StoreError, match="not the key of a cell"):
            path(key)


@pytest.mark.parametrize("name", FOLDERS)
def test_links_inside_a_results_folder_are_not_followed(call, write, tmp_path, name):
    write("gift.yaml", TRIAL)
    home = write("home/letter.json", "dear").parent
    write("home/old.sqlite", "mine")
    (tmp_path / "gift").mkdir()
    (tmp_path / "gift" / name).symlink_to(home)
    gift, before = Store(tmp_path / "gift"), contents(home)
    steps = {
        "rows": lambda: gift.write_row(make_row()),
        "packs": gift.scan,
        "predictions": lambda: gift.write_predictions("a" * 64, compressed({})),
        "damaged": lambda: gift.set_aside(write("gift/rows/x.json", "torn")),
        "partial": gift.remove_stale_files,
        "searches": gift.remove_stale_files,
        "running": lambda: runs_at_work(gift.root),
        "slurm": gift.remove_stale_files,
        "data": lambda: load_any(Experiment([load_dataset("digits")], {"A": "mlknn"}), gift.root),
    }
    with pytest.raises(StoreError, match=f"gift/{name}: a symbolic link, and links inside"):
        steps[name]()
    told = call("run", "gift.yaml", "--out", "gift")
    assert told.exit_code == 2, told.stderr
    assert f"error: gift/{name}: a symbolic link" in told.stderr
    assert contents(home) == before


def test_a_linked_results_folder_is_one_of_the_users_own(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "gift").symlink_to(tmp_path / "disk")
    store = Store(tmp_path / "gift")
    store.write_row(make_row())
    assert store.scan().rows == {"a" * 64: make_row()}


@pytest.mark.filterwarnings("ignore:unfinished work could not be kept")
def test_unfinished_work_is_not_kept_behind_a_link(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home/fits.json").write_text("dear")
    (tmp_path / "partial").mkdir()
    (tmp_path / "partial" / ("a" * 64)).symlink_to(tmp_path / "home")
    work = SavedState(tmp_path, "partial", "a" * 64)
    work.save("fits", [1])
    work.clear()
    assert (tmp_path / "home/fits.json").read_text() == "dear"


def test_pipes_and_devices_are_damaged_files(tmp_path):
    store = Store(tmp_path)
    for digit, kind in (("a", "pipe"), ("b", "device")):
        path = store.row_path(digit * 64)
        path.parent.mkdir(parents=True)
        os.mkfifo(path) if kind == "pipe" else path.symlink_to("/dev/zero")
    assert set(store.scan().damaged.values()) == {
        "not a regular file",
        "a symbolic link, which is not followed here",
    }


@pytest.mark.parametrize("command", ["run", "submit"])
@pytest.mark.parametrize("out", [".", "project"])
def test_a_folder_with_other_things_and_no_results_is_refused(call, write, tmp_path, command, out):
    write("gift.yaml", TRIAL)
    for name in ("notes.txt", "plan.json", "experiment.yaml", "rows/table.csv", "src/old.tmp"):
        os.utime(write(f"project/{name}", "mine"), (LONG_AGO, LONG_AGO))
    before = contents(tmp_path)
    told = call(command, "gift.yaml", "--out", out)
    assert told.exit_code == 2
    assert "holds other files (" in told.stderr
    assert "choose a new or empty folder with --out" in told.stderr
    assert contents(tmp_path) == before


def test_a_merge_into_such_a_folder_is_refused(call, write, tmp_path):
    write("project/notes.txt", "mine")
    (tmp_path / "gift").mkdir()
    told = call("merge", "gift", "--into", "project")
    assert told.exit_code == 2
    assert "project: holds other files (notes.txt) and no results of mlbench" in told.stderr
    assert "--into" in told.stderr


@pytest.mark.parametrize("there", [(), ("rows", "worker.log"), ("plan.json", "notes.txt")])
def test_an_empty_folder_and_one_with_results_are_fine(tmp_path, there):
    for name in there:
        if name in FOLDERS:
            (tmp_path / name).mkdir()
        else:
            (tmp_path / name).write_text('{\n "schema": 1, "cells": []}')
    Store(tmp_path).check_writable()


def test_only_temporary_files_of_mlbench_in_its_own_folders_are_removed(tmp_path):
    store = Store(tmp_path)
    own = [store.row_path("a" * 64).with_name(TEMPORARY), tmp_path / "packs" / TEMPORARY]
    others = [tmp_path / name for name in (TEMPORARY, "old.tmp", f"src/{TEMPORARY}", "rows/a.tmp")]
    for path in (*own, *others):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
        os.utime(path, (LONG_AGO, LONG_AGO))
    store.remove_stale_files()
    assert not any(path.exists() for path in own)
    assert all(path.exists() for path in others)


def test_searches_and_unfinished_work_under_anothers_name_are_damaged(tmp_path):
    for folder in (("searches",), ("partial", "a" * 64)):
        work = SavedState(tmp_path, *folder)
        work.save("one", {"best": 1})
        work.save("other", {"best": 2})
        place = tmp_path.joinpath(*folder)
        (place / "one.json").replace(place / "other.json")
        assert work.load("other") is None
    (tmp_path / "partial" / ("a" * 64)).rename(tmp_path / "partial" / ("b" * 64))
    assert SavedState(tmp_path, "partial", "b" * 64).load("one") is None


def test_a_folder_in_which_another_run_is_writing_its_plan_is_taken(tmp_path):
    (tmp_path / ".plan.json.mlbench-7-0123abcd.tmp").write_text("{")
    Store(tmp_path).check_writable()
    Store(tmp_path).write_plan({}, "")
    (tmp_path / "experiment.yaml").unlink()  # it is written last
    Store(tmp_path).check_writable()


@pytest.mark.parametrize("target", ["a pack", "nowhere"])
def test_a_link_in_place_of_a_pack_is_a_damaged_file(tmp_path, target):
    store = Store(tmp_path / "here")
    store.write_row(make_row())
    pack_rows(store.root)
    (pack,) = pack_files(store.root)
    pack.rename(tmp_path / "elsewhere")
    pack.symlink_to(tmp_path / ("elsewhere" if target == "a pack" else "nowhere"))
    scan = store.scan()
    assert scan.rows == {}
    assert list(scan.damaged) == [pack]


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_something_else_in_place_of_a_plan_or_predictions_ends_in_words(tmp_path, kind):
    store, row = Store(tmp_path), make_row(predictions="b" * 64)
    store.predictions_path(row.key).parent.mkdir()
    for path in (tmp_path / "plan.json", store.predictions_path(row.key)):
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "link":
            path.symlink_to("/dev/zero")
        else:
            path.mkdir()
    with pytest.raises(StoreError, match=r"plan\.json: cannot be read: "):
        store.read_plan()
    with pytest.raises(StoreError, match=r"\.npz: cannot be read: "):
        store.read_predictions(row)
