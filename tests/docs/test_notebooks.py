"""The notebooks run from top to bottom, and hold what they have shown when they last did."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted(DOCS.glob("notebooks/*.ipynb"))


def texts(notebook):
    """The text of all outputs."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    plain = [output.get("text") or output["data"].get("text/plain", "") for output in outputs]
    return "\n".join("".join(each) for each in plain)


@pytest.fixture
def execute(tmp_path, monkeypatch):
    """Run a notebook in a kernel that keeps its files below the temporary folder."""
    for package in ("nbclient", "ipykernel"):
        pytest.importorskip(package)
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "MLBENCH_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    (tmp_path / "work").mkdir()
    code = runpy.run_path(str(DOCS / "execute_notebooks.py"))
    return lambda path: code["execute"](path, tmp_path / "work")


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_cell_raises(path, execute):
    notebook = execute(path)  # an error in a cell is raised here
    text = texts(notebook)
    assert "Verdict\n" in text
    assert "checks passed" not in text or re.search(r"(\d+) of \1 checks passed", text)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_committed_and_small(path):
    notebook = json.loads(path.read_text())
    counts = [cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1)), "run make notebooks"
    assert "Verdict\n" in texts(notebook)
    assert path.stat().st_size < 300_000
