"""The site has every page, every public name, and builds without a warning."""

from __future__ import annotations

import inspect
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mlbench
from mlbench import methods, metrics, statistics

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GENERATED = "generated", "auto_examples", "runs", "__pycache__"
TOCTREE = {
    ".md": re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL),
    ".rst": re.compile(r"^\.\. toctree::\n((?: .*\n|\n)*)", re.MULTILINE),
    ".ipynb": re.compile(r"(?!)"),
}


def pages():
    """Every page of docs/, without suffix."""
    found = [*DOCS.glob("*.md"), *DOCS.glob("notebooks/*.ipynb"), *DOCS.glob("api/*.rst")]
    return {str(path.relative_to(DOCS).with_suffix("")) for path in found}


def entries(page):
    """The pages that the toctrees of a page list."""
    (path,) = (DOCS / page).parent.glob(f"{Path(page).name}.*")
    blocks = TOCTREE[path.suffix].findall(path.read_text())
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    names = [re.sub(r".*<(.*)>", r"\1", line) for line in lines if line and line[0] != ":"]
    return {os.path.normpath(Path(page).parent / name) for name in names}


def test_every_page_is_in_the_table_of_contents():
    listed, new = set(), {"index"}
    while new:
        listed |= new
        new = {name for page in new & pages() for name in entries(page)} - listed
    assert pages() - listed == set()
    outside = {name for name in listed - pages() if "*" not in name}
    assert outside == {
        "auto_examples/index",
        "../results/README",
        "../CONTRIBUTING",
        "../CHANGELOG",
    }


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("python", set(mlbench.__all__) - {"__version__"}),
        ("methods", set(methods.__all__)),
        ("metrics", set(metrics.__all__)),
        ("statistics", set(statistics.__all__)),
    ],
)
def test_the_reference_has_every_public_name(page, names):
    words = set(re.findall(r"\w+", (DOCS / f"api/{page}.rst").read_text()))
    assert names - words == set()


def test_the_page_of_a_method_explains_all_of_its_parameters():
    docscrape = pytest.importorskip("numpydoc.docscrape")
    code = runpy.run_path(str(DOCS / "inherited_parameters.py"))
    for name in methods.__all__:
        kind = getattr(methods, name)
        entries = docscrape.NumpyDocString(code["with_inherited_parameters"](kind))["Parameters"]
        explained = {word for entry in entries for word in re.findall(r"\w+", entry.name)}
        assert set(inspect.signature(kind).parameters) <= explained, name
        assert all(entry.desc for entry in entries), name


@pytest.mark.slow
def test_the_site_builds(tmp_path):
    for package in ("sphinx", "pydata_sphinx_theme", "myst_nb", "numpydoc", "sphinx_gallery"):
        pytest.importorskip(package)
    for folder in ("configs", "docs", "examples", "mlbench", "results"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns(*GENERATED))
    for file in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(ROOT / file, tmp_path)
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs"]
    finished = subprocess.run(
        [*build, "-D", "plot_gallery=0", ".", "site"],  # the examples have a test of their own
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    built = {
        path.relative_to(tmp_path / "site/docs") for path in tmp_path.glob("site/docs/**/*.html")
    }
    assert {Path(f"{page}.html") for page in pages()} <= built
    for page in built:
        text = (tmp_path / "site/docs" / page).read_text()
        assert re.findall(r'<(?:script|img|iframe)[^>]* src="https?:[^"]*"', text) == [], page
        assert re.findall(r'<link[^>]* rel="stylesheet"[^>]* href="https?:[^"]*"', text) == [], page
