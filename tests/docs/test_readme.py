"""The README is short, and its commands print what it shows.

Numbers may differ a little, as between versions of libraries, and times by any amount.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-\d+)?")


def blocks(section: str, language: str) -> str:
    text = re.split(r"^##", README.partition(f"# {section}\n")[2], maxsplit=1, flags=re.MULTILINE)[
        0
    ]
    return "".join(re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL))


def commands(section: str) -> list[tuple[list[str], str]]:
    """Return the words of each command, and the output below it."""
    found = re.findall(r"^\$ mlbench (.*)\n((?:[^$\n].*\n|\n)*)", blocks(section, "console"), re.M)
    return [(shlex.split(words, comments=True), shown) for words, shown in found]


def without_what_varies(text: str) -> str:
    """Leave out dates, versions, and the seconds at the end of the leaderboard's lines."""
    text = re.sub(r"\d{4}-\d\d-\d\d|\d+\.\d+\.\d+", "", text)
    return re.sub(r"(%  +\d+  +\d+)  +\S+$", r"\1", text, flags=re.MULTILINE)


def assert_prints(lab, section: str) -> None:
    """Run the commands of a section in order, and compare what the page shows of their output."""
    n_shown = 0
    for words, shown in commands(section):
        done = lab.mlbench(*words)
        assert done.returncode == 0, done.stderr
        if shown:
            n_shown += 1
            printed, shown = map(without_what_varies, (done.stdout, shown))
            assert NUMBER.sub("0", printed).split() == NUMBER.sub("0", shown).split(), printed
            numbers, expected = (
                [float(each) for each in NUMBER.findall(text)] for text in (printed, shown)
            )
            assert numbers == pytest.approx(expected, abs=0.2), printed
    assert n_shown, f"the section shows no output: {section}"


def test_it_has_at_most_150_lines():
    assert len(README.splitlines()) <= 150


def test_the_quickstart(lab):
    """Only the data set that the page shows is run: seconds instead of minutes."""
    (run, nothing), (report, shown) = commands("Quickstart")
    assert (run, nothing) == (["run", "quickstart"], "")
    assert lab.mlbench(*run, "--dataset", "toy", "--quiet").returncode == 0
    assert lab.mlbench(*report).stdout.split() == shown.split()


def test_data_of_ones_own(lab):
    lab.write("examples/songs.csv", (ROOT / "examples/songs.csv").read_text())
    (init, shown), (run, nothing) = commands("Your own data")
    assert lab.mlbench(*init).stdout.split() == shown.split()
    assert (run, nothing) == (["run", "songs.yaml"], "")
    assert lab.mlbench("plan", "songs.yaml").returncode == 0


def test_a_method_of_ones_own_among_published_ones(lab, real_file):
    for name in ("flags", "emotions", "birds", "scene", "yeast", "enron"):
        real_file(f"{name}/{name}.xml")
    section = "Your own method among published ones"
    lab.write("mine.py", blocks(section, "python"))
    assert_prints(lab, section)


def test_a_comparison_that_is_not_fair(lab):
    section = "Is the comparison fair?"
    lab.write("fair.yaml", blocks(section, "yaml"))
    assert_prints(lab, section)
