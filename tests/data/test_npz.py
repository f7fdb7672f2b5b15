from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from mlbench.data import Dataset, load_dataset, npz, row_columns
from mlbench.data.npz import Parsed, load_parsed, save_parsed
from mlbench.errors import DataError

ARFF = "@relation 'm: -C 1'\n@attribute y {0,1}\n@attribute a numeric\n@data\n1,2.5\n0,-1\n"


@pytest.fixture
def data() -> Dataset:
    return Dataset(
        name="",
        X=csr_matrix([[1.5, 0.0], [0.0, np.nan]]),
        Y=np.array([[1], [0]]),
        label_names=("naïve",),
        feature_names=("a", "b" * 300),
        tasks=np.array([0, 1]),
        task_names=("s", "t"),
        published_train=np.array([1]),
        notes=("a note",),
        left_out="1 of 3 columns: 'c' (text or dates)",
    )


@pytest.fixture
def reads(monkeypatch) -> Counter:
    """Count how often files are parsed."""
    counter: Counter = Counter()
    original = row_columns.read_table

    def counted(*arguments):
        counter["reads"] += 1
        return original(*arguments)

    monkeypatch.setattr(row_columns, "read_table", counted)
    return counter


def copies(own_cache):
    return sorted(own_cache.glob("*.npz"))


def test_what_was_saved_is_loaded(data):
    dense = replace(data, X=data.X.toarray(), tasks=None, published_train=None)
    for saved in (data, dense, replace(data, known=np.array([[True], [False]]))):
        save_parsed("key", Parsed(saved, 7))
        loaded = load_parsed("key")
        assert loaded.n_attributes == 7
        assert loaded.dataset.fingerprint == saved.fingerprint
        assert loaded.dataset.notes == saved.notes
        assert loaded.dataset.left_out == saved.left_out
        assert type(loaded.dataset.X) is type(saved.X)
        assert loaded.dataset.Y.dtype == np.int8


def test_a_file_is_parsed_once(write, reads, own_cache):
    path = str(write("m.arff", ARFF))
    first, second = load_dataset(path), load_dataset(path)
    assert reads["reads"] == 1
    assert first.fingerprint == second.fingerprint
    assert len(copies(own_cache)) == 1
    assert [p.suffix for p in own_cache.iterdir()] == [".npz"]


def test_what_the_content_depends_on_is_in_the_key(write, reads, monkeypatch):
    path = str(write("m.arff", ARFF))
    load_dataset(path)
    write("m.arff", ARFF.replace("2.5", "3.5"))
    assert load_dataset(path).X[0, 0] == 3.5
    assert reads["reads"] == 2
    load_dataset({"use": path, "format": "meka", "label_count": 1})
    kept = {"use": path, "row_ids": "keep"}
    load_dataset(kept)
    assert reads["reads"] == 4
    monkeypatch.setattr(npz, "REVISION", npz.REVISION + 1)
    load_dataset(kept)
    assert reads["reads"] == 5


def test_a_copy_of_another_name_or_place_is_shared(write, reads):
    load_dataset(str(write("m.arff", ARFF)))
    other = load_dataset(str(write("elsewhere/n.arff", ARFF)))
    assert reads["reads"] == 1
    assert other.name == "n"


def damaged(content: bytes) -> dict[str, bytes]:
    middle = content.index(np.float64(2.5).tobytes())
    return {
        "empty": b"",
        "cut": content[:middle],
        "text": b"not an archive",
        "one bit": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
    }


@pytest.mark.parametrize("fault", ["empty", "cut", "text", "one bit"])
def test_a_damaged_copy_is_made_again(write, reads, own_cache, fault):
    path = str(write("m.arff", ARFF))
    sound = load_dataset(path)
    (copy,) = copies(own_cache)
    copy.write_bytes(damaged(copy.read_bytes())[fault])
    assert load_dataset(path).fingerprint == sound.fingerprint
    assert load_dataset(path).fingerprint == sound.fingerprint
    assert reads["reads"] == 2


@pytest.mark.slow
@settings(max_examples=150)
@given(st.data())
def test_a_copy_with_wrong_bytes_is_never_believed(tmp_path_factory, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLBENCH_CACHE", str(tmp_path_factory.getbasetemp()))
        truth = Dataset("", np.eye(3), np.ones((3, 1), dtype=np.int64), ("y",), tuple("abc"))
        save_parsed("k", Parsed(truth, 3))
        path = tmp_path_factory.getbasetemp() / "k.npz"
        content = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 3))):
            place = data.draw(st.integers(0, len(content) - 1))
            content[place] = data.draw(st.integers(0, 255))
        path.write_bytes(content[: data.draw(st.integers(0, len(content)) | st.just(len(content)))])
        loaded = load_parsed("k")
        assert loaded is None or (loaded.dataset.fingerprint, loaded.n_attributes) == (
            truth.fingerprint,
            3,
        )


def test_numbers_changed_behind_the_hash_are_noticed(data, own_cache):
    save_parsed("key", Parsed(data, 2))
    (copy,) = copies(own_cache)
    with np.load(copy) as stored:
        arrays = dict(stored)
    arrays["X_data"] = arrays["X_data"] * 2
    np.savez(copy, **arrays)
    assert load_parsed("key") is None


def test_a_copy_under_the_key_of_another_is_not_believed(data, own_cache):
    save_parsed("key", Parsed(data, 2))
    copies(own_cache)[0].rename(own_cache / "other.npz")
    assert load_parsed("other") is None


def test_nothing_is_unpickled(own_cache):
    trap = np.array([Counter()], dtype=object)
    np.savez(own_cache / "key.npz", about=trap, check=trap, Y=trap, X=trap)
    assert load_parsed("key") is None


def test_a_cache_that_cannot_be_written_is_no_error(write, reads, monkeypatch):
    blocked = write("a-file", "in the way")
    monkeypatch.setenv("MLBENCH_CACHE", str(blocked / "cache"))
    path = str(write("m.arff", ARFF))
    assert load_dataset(path).fingerprint == load_dataset(path).fingerprint
    assert reads["reads"] == 2


def test_a_full_disk_leaves_nothing_behind(data, own_cache, monkeypatch):
    def full(stream, **_):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    save_parsed("key", Parsed(data, 2))
    assert list(own_cache.iterdir()) == []


def test_where_copies_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "own"))
    assert npz.dataset_cache() == tmp_path / "own"
    monkeypatch.delenv("MLBENCH_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert npz.dataset_cache() == tmp_path / "mlbench" / "parsed"


def test_the_home_of_nobody_is_told_with_the_variable(monkeypatch):
    monkeypatch.setenv("MLBENCH_CACHE", "~nosuchuser/x")
    with pytest.raises(DataError, match="MLBENCH_CACHE: '~nosuchuser/x' starts"):
        npz.dataset_cache()


def test_the_copies_that_were_not_used_for_longest_make_room(data, own_cache, monkeypatch):
    for age, key in enumerate(["new", "used", "old"]):
        save_parsed(key, Parsed(data, 2))
        os.utime(own_cache / f"{key}.npz", (1e9 - age, 1e9 - age))
    assert load_parsed("old") is not None
    size = (own_cache / "new.npz").stat().st_size
    monkeypatch.setattr(npz, "MAX_BYTES", 3 * size + size // 2)
    save_parsed("newest", Parsed(data, 2))
    assert {path.stem for path in copies(own_cache)} == {"newest", "new", "old"}


def test_a_copy_larger_than_the_limit_is_kept_alone(data, own_cache, monkeypatch):
    save_parsed("a", Parsed(data, 2))
    monkeypatch.setattr(npz, "MAX_BYTES", 1)
    save_parsed("b", Parsed(data, 2))
    assert [path.stem for path in copies(own_cache)] == ["b"]


def test_what_a_killed_run_left_half_written_goes_after_a_day(data, own_cache):
    for name in ("abandoned.part", "at-work.part", "not-ours.txt"):
        (own_cache / name).write_bytes(b"half")
    for name in ("abandoned.part", "not-ours.txt"):
        os.utime(own_cache / name, (1e9, 1e9))
    save_parsed("a", Parsed(data, 2))
    left = {path.name for path in own_cache.iterdir()}
    assert left == {"at-work.part", "not-ours.txt", "a.npz"}
