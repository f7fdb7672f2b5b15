from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.io import loadmat, savemat
from scipy.sparse import csc_matrix, issparse

from mlbench.data.mat5 import Mat5Error, parse_mat5


def cells(*arrays):
    box = np.empty((1, len(arrays)), dtype=object)
    box[0, :] = arrays
    return box


VARIABLES = {
    "numbers": np.array([[1.5, -2.0, 0.0], [4.0, 5.0, 1e300]]),
    "bytes": np.arange(6, dtype=np.uint8).reshape(3, 2),
    "short": np.array([[-1, 1]], dtype=np.int16),
    "whole": np.array([[1.0, 2.0], [3.0, 255.0]]),
    "truth": np.array([[True, False]]),
    "cube": np.arange(24.0).reshape(2, 3, 4),
    "nothing": np.empty((0, 3)),
    "sparse": csc_matrix([[0.0, 2.0, 0.0], [1.0, 0.0, 0.0]]),
    "empty_sparse": csc_matrix((2, 3)),
    "boxes": cells(np.array([[1.0, 2.0]]), np.empty((0, 0)), csc_matrix([[0.0, 3.0]])),
}


def saved(variables=VARIABLES, **options) -> bytes:
    stream = io.BytesIO()
    savemat(stream, variables, **options)
    return stream.getvalue()


def same(ours, theirs):
    if isinstance(theirs, np.ndarray) and theirs.dtype == object:
        assert ours.shape == theirs.shape
        for a, b in zip(ours.reshape(-1), theirs.reshape(-1), strict=True):
            same(a, b)
    else:
        assert issparse(ours) == issparse(theirs)
        a, b = (value.toarray() if issparse(value) else value for value in (ours, theirs))
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("compressed", [False, True])
def test_all_kinds_of_variables_agree_with_scipy(compressed):
    content = saved(do_compression=compressed)
    ours, present = parse_mat5(content, set(VARIABLES))
    theirs = loadmat(io.BytesIO(content))
    assert present == list(VARIABLES)
    for name in VARIABLES:
        same(ours[name], theirs[name])


@pytest.mark.parametrize(
    ("relative", "names"),
    [
        ("landmine/LandmineData.mat", ("feature", "label")),
        ("corel16k001/corel16k1.mat", ("data", "target")),
        ("yahoo-reduced/arts.mat", ("train_data", "test_data", "train_target", "test_target")),
        ("yahoo-reduced/Business.mat", ("train_data", "test_data", "train_target", "test_target")),
    ],
)
def test_real_files_agree_with_scipy(real_file, relative, names):
    path = real_file(relative)
    ours, _ = parse_mat5(path.read_bytes(), names)
    theirs = loadmat(path)
    for name in names:
        same(ours[name], theirs[name])


def test_variables_that_are_not_wanted_are_passed_over():
    content = saved({"text": "hello", "record": {"a": 1}, "x": np.eye(2)})
    variables, present = parse_mat5(content, {"x"})
    assert list(variables) == ["x"]
    assert present == ["text", "record", "x"]
    with pytest.raises(Mat5Error, match="'text' is not numeric"):
        parse_mat5(content, {"text"})


@pytest.mark.parametrize("compressed", [False, True])
def test_a_file_that_is_cut_short_anywhere_is_an_error_or_has_fewer_variables(compressed):
    content = saved({"x": np.eye(2), "y": np.ones((1, 3))}, do_compression=compressed)
    for length in range(len(content)):
        try:
            variables, _ = parse_mat5(content[:length], {"x", "y"})
        except Mat5Error:
            continue
        assert len(variables) < 2


@pytest.mark.slow
@settings(max_examples=400)
@given(st.data())
def test_no_damage_ends_in_anything_but_an_error(data):
    content = bytearray(saved())
    for _ in range(data.draw(st.integers(1, 5))):
        content[data.draw(st.integers(128, len(content) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(Mat5Error):
        parse_mat5(bytes(content), set(VARIABLES))


def test_every_wrong_byte_of_a_small_file_is_survived():
    content = saved({"s": csc_matrix([[0.0, 2.0], [1.0, 0.0]])})
    for place in range(128, len(content)):
        for value in (0, 1, 5, 9, 14, 127, 128, 255):
            wrong = content[:place] + bytes([value]) + content[place + 1 :]
            try:
                variables, _ = parse_mat5(wrong, {"s"})
            except Mat5Error:
                continue
            if issparse(variables.get("s")):
                variables["s"].check_format(full_check=True)
