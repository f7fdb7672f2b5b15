"""The Python examples run."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/python.md"


def test_the_first_example_runs(capsys):
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[0]
    exec(compile(code, str(PAGE), "exec"), {})
    shape, score = capsys.readouterr().out.splitlines()
    assert shape.startswith("(500, 300) (500, 8)")
    assert 0.5 < float(score) < 1
