"""What the pages on extending mlbench say is done to the letter, in a copy of the package.

A block of code that follows a line "`PATH`:" is a file of that content; one that follows
"`PATH`, in `NAME`:" is put at the end of what NAME holds in that file, and after "`PATH`, at the
end:" at the end of the file. Other blocks are commands and what they print, where ... stands for
anything.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import copy_code

ROOT = Path(__file__).parents[2]
PAGES = [(ROOT / "docs" / name).read_text() for name in ("extending.md", "extending-reports.md")]
SECTIONS = {
    text.partition("\n")[0]: text
    for page in PAGES
    for text in page.split("\n## ")[1:]
    if "```console" in text
}
BLOCK = re.compile(
    r"(?:^`(?P<path>[^`\n]+)`(?:, (?:in `(?P<place>\w+)`|(?P<end>at the end)))?:\n\n)?"
    r"^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@pytest.fixture
def copy(tmp_path):
    """A folder with the package and what comes with it."""
    for folder in ("mlbench", "configs", "datasets"):
        copy_code(ROOT / folder, tmp_path / folder)
    return tmp_path


def insert(path, place, text):
    """Put lines at the end of the list or mapping of this name."""
    head = rf"^(?P<indent> *)\W?{place}\b[^\n]*[\[({{]\n"
    inside = rf"{head}.*?(?=^(?P=indent)[\])}}])"
    (found,) = re.finditer(inside, path.read_text(), re.MULTILINE | re.DOTALL)
    indent = found["indent"] + 4 * " "
    entry = text.rstrip().removesuffix(",") + ",\n"
    lines = "".join(indent + line for line in entry.splitlines(keepends=True))
    path.write_text(found.string[: found.end()] + lines + found.string[found.end() :])


def run(command, folder):
    words = shlex.split(command)
    assert words[0] == "mlbench"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MLBENCH")}
    environment |= {
        "PYTHONPATH": str(folder),
        "MLBENCH_CACHE": str(folder / "cache"),
        "XDG_DATA_HOME": str(folder / "data"),
        "COLUMNS": "100",
    }
    return subprocess.run(
        [sys.executable, "-m", "mlbench", *words[1:]],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )


def check_console(text, folder):
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
        finished = run(command, folder)
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        is_right = doctest.OutputChecker().check_output(expected, finished.stdout, flags)
        assert is_right, f"$ {command}\n{finished.stdout}\nexpected:\n{expected}"
        assert finished.returncode == 0, finished.stdout


@pytest.mark.slow
@pytest.mark.parametrize("section", SECTIONS)
def test_what_the_pages_say_works(section, copy):
    for block in BLOCK.finditer(SECTIONS[section]):
        path, place, end, language, text = block.groups()
        if language == "console":
            check_console(text, copy)
        elif place:
            insert(copy / path, place, text)
        elif end:
            (copy / path).write_text((copy / path).read_text() + "\n\n" + text)
        else:
            assert not (copy / path).exists(), f"{path} is there already"
            (copy / path).parent.mkdir(exist_ok=True)
            (copy / path).write_text(text)
