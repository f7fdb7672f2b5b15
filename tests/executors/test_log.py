"""The log names the cell above its lines, however many workers write to it."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from mlbench.executors.log import MAX_BYTES, WorkerLog, last_output

A = SimpleNamespace(name="toy/A/0", key="a" * 64)
B = SimpleNamespace(name="toy/B \n 1/0", key="b" * 64)


@pytest.fixture
def log(tmp_path):
    return WorkerLog(tmp_path)


def output_of(tmp_path, *cells, max_bytes=100):
    return last_output(tmp_path, [cell.key for cell in cells], max_bytes)


def test_each_cell_stands_above_its_lines(log):
    log.append(A, b"one\n")
    log.append(A, b"two\n")
    log.append(B, b"three")
    log.append(A, b"four\n")
    assert log.path.read_text() == (
        "==> toy/A/0 (aaaaaaaaaaaa) <==\none\ntwo\n\n"
        "==> toy/B 1/0 (bbbbbbbbbbbb) <==\nthree\n"
        "==> toy/A/0 (aaaaaaaaaaaa) <==\nfour\n"
    )


def test_lines_of_two_workers_are_told_apart(log, tmp_path):
    other = WorkerLog(tmp_path)
    for number in range(3):
        log.append(A, f"a{number}\n".encode())
        other.append(B, f"b{number}\n".encode())
    assert output_of(tmp_path, A, B) == {A.key: b"a0\na1\na2\n", B.key: b"b0\nb1\nb2\n"}


def test_the_end_of_the_output_is_found_in_both_files(log, tmp_path):
    log.append(A, b"x" * MAX_BYTES + b"end")
    log.append(A, b" of it")
    assert log.path.with_suffix(".log.old").exists()
    assert output_of(tmp_path, A, B, max_bytes=9) == {A.key: b"end of it"}


def test_without_a_log_there_is_no_output(tmp_path):
    assert output_of(tmp_path, A) == {}


def test_output_of_unnamed_cells_is_passed_over(log, tmp_path):
    log.path.write_text("a log of an earlier version")
    assert output_of(tmp_path, A) == {}
    log.append(A, b"text")
    assert output_of(tmp_path, A) == {A.key: b"text"}


def test_a_log_that_is_a_link_is_neither_written_nor_read(log, tmp_path):
    profile = tmp_path / "profile"
    profile.write_text("==> toy/A/0 (aaaaaaaaaaaa) <==\nsecret\n")
    log.path.symlink_to(profile)
    log.append(A, b"text")
    assert "text" not in profile.read_text()
    assert output_of(tmp_path, A) == {}


def test_nothing_waits_for_a_log_that_is_a_fifo(log, tmp_path):
    os.mkfifo(log.path)
    log.append(A, b"text")
    assert output_of(tmp_path, A) == {}
