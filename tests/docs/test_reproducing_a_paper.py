"""The example of a paper of one's own runs as the page shows it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/reproducing-a-paper.md"
SECTION = PAGE.read_text().split("## A paper of your own")[1].split("\n## ")[0]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", SECTION, re.DOTALL)


def commands() -> list[tuple[list[str], list[str]]]:
    """Return the words of each command, and the lines of output below it but for the dots."""
    found: list[tuple[list[str], list[str]]] = []
    for line in "".join(blocks("console")).splitlines():
        if line.startswith("$ mlbench "):
            found.append((shlex.split(line)[2:], []))
        elif line != "...":
            found[-1][1].append(line)
    return found


@pytest.mark.slow
def test_the_example_prints_what_the_page_shows(lab, monkeypatch):
    monkeypatch.chdir(lab.folder)
    (make_data,), (printed, report), (experiment, claims) = map(blocks, ("python", "text", "yaml"))
    exec(make_data, {})
    lab.write("lee.csv", printed)
    lab.write("lee.yaml", experiment)
    lab.write("claims.yaml", claims)
    lab.write("report.md", report)
    shown = 0
    for words, expected in commands():
        done = lab.mlbench(*words)
        assert done.returncode == 0, done.stderr
        lines = iter(done.stdout.splitlines())
        assert all(line in lines for line in expected), f"mlbench {shlex.join(words)}"
        shown += len(expected)
    assert shown > 20
    assert "| minmax | 9 | 7 |" in (lab.folder / "report.md").read_text()
