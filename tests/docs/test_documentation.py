"""The documentation keeps its word: links lead somewhere, commands and examples are valid."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from mlbench.cli import COMMANDS
from tests import program

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("results/**/*.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_to_files_that_exist(page):
    for target in re.findall(r"(?:\]\(|src(?:set)?=\")([^)#\s\"]+)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_lead_to_headings_that_exist(page):
    for target, anchor in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", page.read_text()):
        linked = page.parent / target if target else page
        headings = re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)
        anchors = [re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings]
        assert anchor in anchors, f"{page.name} links to {target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_commands_exist(page):
    added = re.findall(r'^"(\w+)": \("mlbench\.cli\.', page.read_text(), re.MULTILINE)
    for command in re.findall(r"(?:`|\$ )mlbench ([a-z]+)", page.read_text()):
        assert command in [*COMMANDS, *added], f"{page.name} names mlbench {command}"


def count_words(text: str) -> int:
    """Count the words of the prose: what stands neither in a block of code nor in a table."""
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return sum(len(line.split()) for line in prose.splitlines() if line.lstrip()[:1] != "|")


def test_the_words_of_prose_are_counted():
    text = "# Two words\n\n```python\none\n```\n\n| a | b |\n| --- | --- |\n\nand four more here\n"
    assert count_words(text) == 3 + 4  # the sign of the heading is one


def test_no_page_is_long():
    words = {page.name: count_words(page.read_text()) for page in ROOT.glob("docs/*.md")}
    assert {name: number for name, number in words.items() if number > 2000} == {}


EXAMPLES = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL))
    if block.startswith("name:") and "methods:" in block
]


@pytest.mark.slow
@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_are_valid_experiments(text, tmp_path):
    method = (
        "from sklearn.linear_model import RidgeClassifier\n"
        "class MyMethod(RidgeClassifier):\n"
        "    pass\n"
        "import mlbench\n"
        "@mlbench.metric(greater_is_better=True, range=(0, 1), needs='scores')\n"
        "def gain_at_5(Y, scores, labels):\n"
        "    return 0.5\n"
        "from dataclasses import dataclass\n"
        "from mlbench.protocol.splitters import RowSplitter\n"
        "@dataclass(frozen=True, kw_only=True)\n"
        "class RollingOrigin(RowSplitter):\n"
        "    folds: int = 3\n"
        "    size: int = 10\n"
        "    def divide(self, data, index):\n"
        "        return None\n"
    )
    (tmp_path / "my.py").write_text(method)
    (tmp_path / "lee.csv").write_text("dataset,method,metric,mean,unit\n")
    (tmp_path / "example.yaml").write_text(text)
    check = program.run("config", "validate", "example.yaml", cwd=tmp_path)
    assert check.returncode == 0, check.stderr


@pytest.mark.parametrize("page", ["reliability.md", "security.md"])
def test_the_tests_that_hold_a_promise_exist(page):
    sources = [path.read_text() for path in (ROOT / "tests").rglob("test_*.py")]
    named = re.findall(r"`(test_\w+)`", (ROOT / "docs" / page).read_text())
    assert [name for name in named if not any(f"def {name}(" in text for text in sources)] == []
    assert named


def test_the_project_speaks_of_itself_alone():
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("needs a git checkout to know which files are part of the project")
    here = f"{ROOT}/"
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.suffix in {".py", ".md", ".yaml", ".toml", ".csv", ".txt"} and path.exists():
            assert here not in path.read_text(errors="replace"), (
                f"{name} names a folder of a machine"
            )
