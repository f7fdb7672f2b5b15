"""Files of data sets that lie, or hold what no data set has."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from mlbench.data import Dataset, npz_members
from mlbench.data.npz import read_dataset, save_dataset
from mlbench.errors import DataError

DATA = Dataset(
    name="d",
    X=np.arange(8.0).reshape(4, 2),
    Y=np.eye(4, 2, dtype=np.int64),
    label_names=("a", "b"),
    feature_names=("u", "v"),
)


def member(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def header(shape, descr="<f8"):
    file = io.BytesIO()
    stated = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, stated)
    return file.getvalue()


@pytest.fixture
def with_member(tmp_path):
    """Return the file of a data set with one array replaced."""
    save_dataset(DATA, tmp_path / "d.npz")

    def write(name, content):
        path = tmp_path / "changed.npz"
        with zipfile.ZipFile(tmp_path / "d.npz") as old, zipfile.ZipFile(path, "w") as new:
            for info in old.infolist():
                is_it = info.filename == f"{name}.npy"
                new.writestr(info.filename, content if is_it else old.read(info))
        return path

    return write


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("X", header((10**7, 10**6)), "X says that it has the shape"),
        ("Y", header((10**12,), "|u1"), "Y says that it has the shape"),
        ("X", member(np.full((4, 2), "text")), "X holds <U4"),
        ("X", member(np.ones((4, 2), dtype=complex)), "X holds complex128"),
        ("X", member(np.empty((0, 2))), r"X has the shape \(0, 2\)"),
        ("X", member(np.ones(4)), r"X has the shape \(4,\)"),
        ("Y", member(np.empty((4, 0), dtype=np.uint8)), r"Y has the shape \(4, 0\)"),
        ("X", b"\x93NUMPY", "not a data set that mlbench has saved"),
    ],
)
def test_what_is_no_data_set_is_refused_in_words(with_member, name, content, words):
    with pytest.raises(DataError, match=words):
        read_dataset(with_member(name, content))


def test_tasks_without_names_are_refused(tmp_path):
    tasks = Dataset(
        name="t",
        X=np.ones((3, 1)),
        Y=np.array([[0], [1], [1]]),
        label_names=("y",),
        feature_names=("u",),
        tasks=np.array([0, 1, 1]),
        task_names=("p", "q"),
    )
    save_dataset(tasks, tmp_path / "t.npz")
    with zipfile.ZipFile(tmp_path / "t.npz") as old:
        arrays = {name: old.read(name) for name in old.namelist()}
    arrays["tasks.npy"] = member(np.array([0, 1, 10**12]))
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as new:
        for name, content in arrays.items():
            new.writestr(name, content)
    with pytest.raises(DataError, match="tasks are numbered 0 to 1000000000000, and 2 have names"):
        read_dataset(tmp_path / "t.npz")


def test_a_file_that_unpacks_to_far_more_than_is_stored_is_refused(with_member, monkeypatch):
    monkeypatch.setattr(npz_members, "UNQUESTIONED", 100)
    monkeypatch.setattr(npz_members, "MAX_BYTES_OUT_OF_ONE", 0.1)
    with pytest.raises(DataError, match="unpacks from"):
        read_dataset(with_member("X", member(DATA.X)))
