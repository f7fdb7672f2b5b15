from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlbench.executors.slurm_limits import (
    memory_option,
    slurm_megabytes,
    slurm_seconds,
    time_option,
)


@pytest.mark.parametrize(
    ("text", "expected", "option"),
    [
        ("90 min", 5400, "0-01:30:00"),
        ("90", 5400, "0-01:30:00"),
        ("1:30", 90, "0-00:02:00"),
        ("1:30:00", 5400, "0-01:30:00"),
        ("2-12", 216_000, "2-12:00:00"),
        ("2-12:30", 217_800, "2-12:30:00"),
        ("2-12:00:00", 216_000, "2-12:00:00"),
        ("UNLIMITED", math.inf, "UNLIMITED"),
        ("0", math.inf, "UNLIMITED"),
    ],
)
def test_times_are_read_as_experiments_or_slurm_write_them(text, expected, option):
    assert slurm_seconds(text) == expected
    assert time_option(slurm_seconds(text)) == f"--time={option}"


@given(
    days=st.integers(0, 900),
    hours=st.integers(0, 23),
    minutes=st.integers(0, 59),
    rest=st.integers(1, 59),
)
def test_a_time_of_slurm_is_the_sum_of_its_parts(days, hours, minutes, rest):
    total = days * 86400 + hours * 3600 + minutes * 60 + rest
    assert slurm_seconds(f"{days}-{hours:02d}:{minutes:02d}:{rest:02d}") == total


@pytest.mark.parametrize(
    ("text", "mebibytes"),
    [("4000", 4000), ("4000M", 4000), ("4G", 4096), ("4g", 4096), ("1T", 2**20), ("524288K", 512)],
)
def test_memory_is_read_as_slurm_writes_it(text, mebibytes):
    assert memory_option(slurm_megabytes(text)) == f"--mem={mebibytes}M"


def test_memory_is_read_as_experiments_write_it():
    assert slurm_megabytes("4 GB") == 4000
    assert memory_option(slurm_megabytes("4 GiB")) == "--mem=4096M"
    assert memory_option(slurm_megabytes("0")) == "--mem=0"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("soon", "a time is written '90 min', or as SLURM does"),
        ("1:2:3:4", "not '1:2:3:4'"),
        ("2-", "not '2-'"),
        ("-5", "not '-5'"),
        ("1.5", "not '1.5'"),
        ("0:00", "more than 0 and at most 100000000 seconds, got '0:00'"),
        ("9999-0", "got '9999-0'"),
        (90, "a time is written '90 min', or as SLURM does: .* not 90"),
    ],
)
def test_what_is_no_time_is_told(text, message):
    with pytest.raises(ValueError, match=message):
        slurm_seconds(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("much", "memory is written '4 GB', or as SLURM does"),
        ("4P", "not '4P'"),
        ("1.5G", "not '1.5G'"),
        ("8", "below 256 MB .*: '8'"),
        ("4000000T", "at most"),
    ],
)
def test_what_is_no_memory_is_told(text, message):
    with pytest.raises(ValueError, match=message):
        slurm_megabytes(text)
