from __future__ import annotations

import pytest

from mlbench.config.quantities import megabytes, seconds


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (90, 90),
        (0.5, 0.5),
        ("90 s", 90),
        ("1.5 min", 90),
        ("2h", 7200),
        (" 1 D ", 86400),
        ("3 m", 180),
    ],
)
def test_times(text, number):
    assert seconds(text) == number


@pytest.mark.parametrize(
    ("text", "number"), [("4 GB", 4000), ("512MiB", 536.870912), ("1 gib", 1073.741824)]
)
def test_memory(text, number):
    assert megabytes(text) == pytest.approx(number, rel=1e-12)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "more than 0"),
        (-1, "more than 0"),
        (float("nan"), "more than 0"),
        (float("inf"), "at most"),
        ("5 years", "units: s, sec, min"),
        ("90", "'90 min'"),
        ("-5 s", "more than 0"),
        (True, "not True"),
        (None, "not None"),
        ([90], "not"),
    ],
)
def test_wrong_times(value, words):
    with pytest.raises(ValueError, match=words):
        seconds(value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (4, "with its unit"),
        ("4", "with its unit"),
        ("4 GB please", "with its unit"),
        ("4 TB", "units: kb, mb, gb"),
        ("100 MB", "below 256 MB"),
        ("-1 GB", "above 0"),
        ("9" * 400 + " GB", "at most"),
    ],
)
def test_wrong_memory(value, words):
    with pytest.raises(ValueError, match=words):
        megabytes(value)
