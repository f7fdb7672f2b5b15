"""Importing a user's file leaves the process as it was, and what went wrong is said in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.errors import MethodError
from mlbench.registry import resolve
from mlbench.registry.code_hash import content_hash

METHOD = "from sklearn.dummy import DummyClassifier\nclass M(DummyClassifier):\n    {}\n"


def write(folder, **files):
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def test_a_class_of_a_neighbor_counts_with_the_neighbors_code(tmp_path):
    hashes = [
        content_hash(resolve("m.py:M", write(tmp_path / str(i), m="from impl import M", impl=code)))
        for i, code in enumerate(
            [METHOD.format("pass"), METHOD.format("x = 1"), METHOD.format("pass")]
        )
    ]
    assert hashes[0] == hashes[2] != hashes[1]


def test_a_file_that_changes_the_working_folder_changes_it_for_nobody_else(tmp_path):
    here = Path.cwd()
    write(tmp_path, m='import os\nos.chdir("/")\n' + METHOD.format("pass"))
    assert resolve("m.py:M", tmp_path).__name__ == "M"
    assert Path.cwd() == here


def test_what_is_suggested_for_a_name_is_no_module(tmp_path):
    write(tmp_path, m="import sys as numeric\n" + METHOD.format("pass"))
    with pytest.raises(MethodError, match=r"m\.py has no 'numerik'$"):
        resolve("m.py:numerik", tmp_path)


def test_an_error_that_cannot_be_printed_is_still_an_error_of_the_file(tmp_path):
    error = "class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E\n"
    write(tmp_path, m=error)
    with pytest.raises(MethodError, match=r"m\.py failed: E: its message cannot be printed"):
        resolve("m.py:M", tmp_path)


def test_a_file_needs_the_name_of_what_is_meant_in_it():
    with pytest.raises(MethodError, match=r"own.py: name a class or function in it: own.py:NAME"):
        resolve("own.py")
