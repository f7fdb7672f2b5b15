"""The Python code of the pages runs as it stands there, from top to bottom."""

import contextlib
import io
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/python.md"


@pytest.mark.slow
def test_the_blocks_of_the_page_run_in_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed, names = io.StringIO(), {"__name__": "__main__"}
    with contextlib.redirect_stdout(printed):
        for code in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL):
            exec(compile(code, str(PAGE), "exec"), names)
    assert "toy, Macro F1: " in printed.getvalue()
    assert "Dataset('mine': 90 samples x 4 features (dense), 2 labels)" in printed.getvalue()
    assert (tmp_path / "runs/from-python/report.html").is_file()
    assert 0 < float(printed.getvalue().split()[-1]) < 1


def test_the_example_of_statistics_runs(capsys):
    page = PAGE.with_name("statistics.md")
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    exec(compile(code, str(page), "exec"), {})
    p_value, difference, *ranks = capsys.readouterr().out.splitlines()
    assert 0.05 < float(p_value) < 1
    assert "low=-" in difference
    assert "RankTest(n_datasets=4, n_methods=3" in ranks[0]
