from __future__ import annotations

import pytest

from mlbench.escape_controls import escape_all_controls, escape_controls


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("gnp\u202efdp.exe", "gnp\\u202efdp.exe"),
        ("bell\x07", "bell\\u0007"),
        ("line\u2028end", "line\\u2028end"),
        ("half\ud800", "half\\ud800"),
        ("naïve Bayes, 贝叶斯 λ₁ \U0001f600", "naïve Bayes, 贝叶斯 λ₁ \U0001f600"),
        ("two\n\tlines", "two\n\tlines"),
    ],
)
def test_characters_that_hide_others_are_spelt_out(name, shown):
    assert escape_controls(name) == shown


def test_texts_are_made_visible_wherever_they_stand():
    assert escape_all_controls({"a\x00": ["b\x01", {"c": "d\x02"}, 3, None]}) == {
        "a\\u0000": ["b\\u0001", {"c": "d\\u0002"}, 3, None]
    }
