from __future__ import annotations

import bz2
import gzip
import math
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlbench.data import files
from mlbench.data.files import finite_number, read_bytes, read_lines
from mlbench.errors import DataError

ZEROS = bytes(3_000_000)
PACKERS = [(gzip.compress, ".gz"), (bz2.compress, ".bz2")]


@pytest.mark.parametrize(("pack", "suffix"), PACKERS)
def test_no_file_unpacks_to_more_than_the_largest(write, monkeypatch, pack, suffix):
    path = write(f"zeros{suffix}", pack(ZEROS))
    monkeypatch.setattr(files, "MAX_BYTES", len(ZEROS))
    assert read_bytes(path) == ZEROS
    monkeypatch.setattr(files, "MAX_BYTES", len(ZEROS) - 1)
    with pytest.raises(DataError, match=r"zeros.*unpack to more than 2,999,999.*unpack the file"):
        read_bytes(path)


def test_a_small_file_may_not_unpack_to_a_thousand_times_its_size(write, monkeypatch):
    path = write("zeros.bz2", bz2.compress(ZEROS))
    assert len(ZEROS) > 1000 * path.stat().st_size
    assert read_bytes(path) == ZEROS
    monkeypatch.setattr(files, "MAX_UNQUESTIONED", 1000)
    with pytest.raises(DataError, match="unpack to more than"):
        read_bytes(path)


def test_a_file_that_is_not_packed_has_no_limit(write, monkeypatch):
    monkeypatch.setattr(files, "MAX_BYTES", 1)
    assert read_bytes(write("plain", b"abc")) == b"abc"


@pytest.mark.parametrize("text", ["", "x", "1_000", "nan", "inf", "-Infinity", "1e999", "0x1"])
def test_what_is_no_number(text):
    assert finite_number(text) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_all_their_digits(number):
    read = finite_number(repr(number))
    assert read == number
    assert math.copysign(1, read) == math.copysign(1, number)


def test_a_pipe_is_refused_and_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "f.arff")
    with pytest.raises(DataError, match=r"f\.arff: cannot be read: not a regular file"):
        read_bytes(tmp_path / "f.arff")


def test_a_zero_byte_is_named_with_its_line(write):
    with pytest.raises(DataError, match=r"a.csv:2: a zero byte; the file is damaged"):
        read_lines(write("a.csv", b"note,y\r\nfi\0ne,1\r\n"))
