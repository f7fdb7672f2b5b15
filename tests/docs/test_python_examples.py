"""The Python examples run."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/python.md"


def test_the_first_examples_run(capsys):
    first, second, *_ = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(first + second, str(PAGE), "exec"), {})
    shape, score, frame = capsys.readouterr().out.splitlines()
    assert shape.startswith("(500, 300) (500, 8)")
    assert 0.5 < float(score) < 1
    assert frame == "[[1, 1], [0, 0], [1, 0]] ('sings', 'flies')"


def test_the_example_of_statistics_runs(capsys):
    page = PAGE.with_name("statistics.md")
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    exec(compile(code, str(page), "exec"), {})
    p_value, difference, *ranks = capsys.readouterr().out.splitlines()
    assert 0.05 < float(p_value) < 1
    assert "low=-" in difference
    assert "RankTest(n_datasets=4, n_methods=3" in ranks[0]
