from __future__ import annotations

import pytest

from mlbench.spelling import did_you_mean

WORDS = ["macro_f1", "micro_f1", "Hamming", "use", "BR tree"]


@pytest.mark.parametrize(
    ("word", "nearest"),
    [
        ("macrof1", "macro_f1"),
        ("MICRO_F1", "micro_f1"),
        ("haming", "Hamming"),
        ("ues", "use"),
        ("BR", "BR tree"),
    ],
)
def test_the_nearest_word_is_offered_as_it_is_written(word, nearest):
    assert did_you_mean(word, WORDS) == f" (did you mean {nearest!r}?)"


@pytest.mark.parametrize("word", ["", "zzz", "subset accuracy"])
def test_nothing_is_offered_when_nothing_is_near(word):
    assert did_you_mean(word, WORDS) == ""
    assert did_you_mean(word, []) == ""


def test_any_iterable_will_do():
    assert "'use'" in did_you_mean("us", (word for word in WORDS))
