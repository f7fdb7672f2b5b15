from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlbench.errors import StoreError
from mlbench.store import SCHEMA, Store, to_plain
from mlbench.store.atomic import write_text
from mlbench.store.checksum import DamagedFileError, seal
from mlbench.store.packing import pack_rows
from mlbench.store.predictions import compressed

VALUES = st.none() | st.floats(-1e100, 1e100)


@settings(max_examples=60)
@given(values=st.dictionaries(st.text(), VALUES, max_size=6))
def test_a_row_comes_back_bit_for_bit(make_row, tmp_path_factory, values):
    store = Store(tmp_path_factory.mktemp("results"))
    row = make_row(metrics=values)
    store.write_row(row)
    back = store.read_row(store.row_path(row.key))
    assert back == row
    assert [repr(v) for v in back.metrics.values()] == [repr(values[name]) for name in back.metrics]


def test_rows_are_found_again_all_or_by_key(store, make_row):
    assert store.scan().rows == {}
    rows = {digit * 64: make_row(digit) for digit in "abc"}
    for row in rows.values():
        store.write_row(row)
    scan = store.scan()
    assert (scan.rows, scan.damaged) == (rows, {})
    assert store.scan(["a" * 64, "f" * 64]).rows == {"a" * 64: rows["a" * 64]}


@pytest.mark.parametrize("packed", [False, True])
def test_a_failure_never_takes_the_place_of_a_result(store, make_row, packed):
    result, failure = make_row("a"), make_row("a", status="crash")
    store.write_row(failure)
    store.write_row(result)
    if packed:
        pack_rows(store.root)
    store.write_row(failure)
    assert store.scan().rows == {"a" * 64: result}


@pytest.mark.parametrize("packed", [False, True])
def test_what_rows_say_alike_stands_in_memory_once(store, make_row, packed):
    for digit, C in (("a", 1), ("b", 1), ("c", 1.0)):
        method = {"name": "BR", "params": {"C": C}}
        identity = {"method": method, "split": {"index": digit}}
        store.write_row(make_row(digit, identity=identity, tuning={}))
    if packed:
        pack_rows(store.root)
    rows = store.scan().rows
    a, b, c = (rows[digit * 64] for digit in "abc")
    assert a.identity["method"] is b.identity["method"]
    assert a.environment is c.environment
    assert a.tuning.grid is c.tuning.grid
    assert repr(c.identity["method"]["params"]) == "{'C': 1.0}"
    assert [row.identity["split"]["index"] for row in (a, b, c)] == ["a", "b", "c"]


def test_a_second_write_replaces_the_first(store, make_row):
    store.write_row(make_row(status="crash"))
    store.write_row(make_row(status="ok"))
    assert [row.status for row in store.scan().rows.values()] == ["ok"]


def test_a_row_with_a_number_that_is_none_cannot_be_made(make_row):
    with pytest.raises(ValueError, match="finite number"):
        replace(make_row(), metrics={"macro_f1": float("nan")})


DAMAGE = {
    "empty": (lambda text: "", "empty"),
    "torn": (lambda text: text[: len(text) // 2], "not a complete file"),
    "without its end": (lambda text: text.rstrip()[:-1], "not a complete file"),
    "altered by a digit": (lambda text: text.replace("0.001", "0.002"), "does not match its hash"),
    "altered in its status": (lambda text: text.replace('"ok"', '"error"'), "not match its hash"),
    "of other content": (lambda text: "[1, 2]", "not a complete file"),
    "a number": (lambda text: "5", "not a complete file"),
    "a text": (lambda text: '"row"', "not a complete file"),
    "null": (lambda text: "null", "not a complete file"),
    "deep": (lambda text: "[" * 100_000, "not a complete file"),
    "with nan": (lambda text: text.replace("0.001", "NaN"), "not a complete file"),
    "binary": (lambda text: b"\xff\xfe\x00", "not a complete file"),
    "another's": (None, "belongs to the cell bbbb"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_row_is_told_and_can_be_set_aside(store, make_row, kind):
    store.write_row(make_row("a"))
    store.write_row(make_row("b"))
    path = store.row_path("a" * 64)
    harm, words = DAMAGE[kind]
    content = harm(path.read_text()) if harm else store.row_path("b" * 64).read_text()
    path.write_bytes(content if isinstance(content, bytes) else content.encode())

    for scan in (store.scan(), store.scan(["a" * 64, "b" * 64])):
        assert list(scan.rows) == ["b" * 64]
        assert list(scan.damaged) == [path]
        assert words in scan.damaged[path]

    damaged = path.read_bytes()
    assert store.set_aside(path).read_bytes() == damaged
    scan = store.scan()
    assert (list(scan.rows), scan.damaged) == (["b" * 64], {})
    store.write_row(make_row("a"))
    assert len(store.scan().rows) == 2


def test_setting_aside_twice_keeps_both_and_another_run_may_be_first(store, make_row):
    store.write_row(make_row())
    path = store.row_path("a" * 64)
    first = store.set_aside(path)
    store.write_row(make_row(split=1))
    second = store.set_aside(path)
    assert first.read_bytes() != second.read_bytes()
    assert not store.set_aside(path).exists()


def test_foreign_files_are_left_alone(store, make_row):
    store.write_row(make_row())
    folder = store.row_path("a" * 64).parent
    foreign = [folder / "notes.txt", folder / f"{'b' * 64}.json", folder / f"{'A' * 64}.json"]
    for path in foreign:
        path.write_text("mine")
    (folder / ".x.json.mlbench-12-0123abcd.tmp").write_text("half")
    scan = store.scan()
    assert [path.read_text() for path in foreign] == ["mine"] * 3
    assert list(scan.rows) == ["a" * 64]
    assert scan.damaged == {}


def test_a_row_that_cannot_be_read_at_all_ends_the_scan_in_words(store, make_row):
    store.row_path("a" * 64).mkdir(parents=True)
    with pytest.raises(StoreError, match=r"aaaa\.json: cannot be read: Is a directory"):
        store.scan()


def test_predictions_come_back_with_shape_and_type(store, make_row):
    given = {
        "rows": np.array([3, 1]),
        "scores": np.array([[0.1, -np.pi], [1e-300, 1e300]]),
        "labels": np.array([[0, 1], [1, 0]]),
    }
    row = make_row()
    row = replace(row, predictions=store.write_predictions(row.key, compressed(given)))
    back = store.read_predictions(row)
    assert list(back) == list(given)
    for name, array in given.items():
        np.testing.assert_array_equal(back[name], array)
        assert back[name].dtype == array.dtype


def test_predictions_that_are_not_what_was_written_are_refused(store, make_row):
    row = make_row(predictions=None)
    with pytest.raises(StoreError, match="no predictions were kept"):
        store.read_predictions(row)
    kept = store.write_predictions(row.key, compressed({"rows": np.arange(3)}))
    row = replace(row, predictions=kept)
    store.predictions_path(row.key).unlink()
    with pytest.raises(StoreError, match="is missing; `mlbench run` computes it again"):
        store.read_predictions(row)
    store.write_predictions(row.key, compressed({"rows": np.arange(4)}))
    with pytest.raises(StoreError, match="not the file that was written"):
        store.read_predictions(row)


def test_a_search_of_an_older_row_has_no_scores_by_other_metrics(make_row):
    assert make_row(tuning={}).tuning.also == {}
    with pytest.raises(DamagedFileError, match="other metrics have the shape of the scores"):
        make_row(tuning={"also": {"macro_auc": [[0.5, 0.6]] * 3}})


def test_a_row_of_another_form_is_not_read_as_one_of_this(store, make_row):
    row = {**to_plain(make_row()), "schema": 99}
    write_text(store.row_path(row["key"]), seal("row", row))
    assert "written in form 99" in next(iter(store.scan().damaged.values()))


PLAN = {"cells": [["d", "m", 0, "a" * 64]]}


def test_the_plan_comes_back_and_the_experiment_stands_beside_it(store):
    store.write_plan(PLAN, "name: \u00e4\n")
    assert store.read_plan() == {"schema": SCHEMA, **PLAN}
    assert (store.root / "experiment.yaml").read_text(encoding="utf-8") == "name: \u00e4\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "not a results folder"),
        ("", "damaged"),
        ('{"schema": 1', "damaged"),
        ("[]", "damaged"),
        ("{}", "damaged"),
        (json.dumps({"schema": SCHEMA + 1}), "another version of mlbench"),
        ("[" * 100_000, "damaged"),
    ],
)
def test_a_plan_that_cannot_be_read_is_told_with_the_remedy(store, content, words):
    store.root.mkdir()
    if content is not None:
        (store.root / "plan.json").write_text(content)
    with pytest.raises(StoreError, match=words) as refused:
        store.read_plan()
    assert str(store.root) in str(refused.value)
    assert "run" in str(refused.value)


def test_a_file_is_no_results_folder(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("name: x")
    with pytest.raises(StoreError, match="not a results folder"):
        Store(path).read_plan()


@pytest.mark.parametrize("name", ["x", "x.yaml"])
def test_an_experiment_in_place_of_its_results_folder_leads_there(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    Store(Path("runs/x")).write_plan(PLAN, "name: x\n")
    with pytest.raises(StoreError, match=f"{name}: not a results folder .*did you mean 'runs/x'"):
        Store(Path(name)).read_plan()


@pytest.mark.parametrize(
    ("name", "meant"), [("out/songz", "out/songs"), ("gone/song", "runs/song")]
)
def test_a_misspelled_results_folder_leads_to_the_nearest(tmp_path, monkeypatch, name, meant):
    monkeypatch.chdir(tmp_path)
    for folder in ("runs/song", "runs/other", "out/songs", "out/poems"):
        Store(Path(folder)).write_plan(PLAN, "name: x\n")
    with pytest.raises(StoreError, match=f"no such file or folder.*did you mean '{meant}'"):
        Store(Path(name)).read_plan()
    with pytest.raises(StoreError, match=r"no such file or folder\)$"):
        Store(Path("runs/zzz")).read_plan()


@pytest.mark.parametrize("days", [-400, 0, 400])
def test_a_clock_that_is_wrong_removes_no_file_that_is_being_written(
    store, make_row, monkeypatch, days
):
    store.write_row(make_row())
    young = store.row_path("a" * 64).with_name(".young.json.mlbench-12-0123abcd.tmp")
    young.write_text("half")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + days * 24 * 3600)
    store.remove_stale_files()
    assert young.exists()


def test_only_old_temporary_files_are_removed(store, make_row):
    store.remove_stale_files()  # nothing is there yet
    store.write_row(make_row())
    folder = store.row_path("a" * 64).parent
    old, young = (
        folder / ".old.json.mlbench-12-0123abcd.tmp",
        folder / ".young.json.mlbench-12-0123abcd.tmp",
    )
    for path in (old, young):
        path.write_text("half")
    long_ago = time.time() - 25 * 3600
    os.utime(old, (long_ago, long_ago))
    os.utime(store.row_path("a" * 64), (long_ago, long_ago))
    store.remove_stale_files()
    assert (old.exists(), young.exists()) == (False, True)
    assert len(store.scan().rows) == 1
