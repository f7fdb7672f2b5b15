"""Code that methods of the user share: the plan and the workers agree on it, and edits are seen."""

from __future__ import annotations

import json

import pytest

METHOD = """
import sys
from pathlib import Path
from sklearn.neighbors import KNeighborsClassifier
sys.path.insert(0, str(Path(__file__).with_name("lib")))
import far, near

class Own(KNeighborsClassifier):
    def __init__(self, n_neighbors=far.K + near.K):
        super().__init__(n_neighbors=n_neighbors)
"""
EXPERIMENT = """
name: own
datasets: [{use: nam-toy, as: toy, tasks: 3, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 1}}
methods: {one: {use: "one.py:Own"}, two: {use: "two.py:Own"}}
metrics: [macro_f1]
"""


@pytest.fixture
def finished(lab):
    """Return a lab with the results of two methods that share their code."""
    for name, text in {"one.py": METHOD, "two.py": METHOD, "near.py": "K = 1\n"}.items():
        lab.write(name, text)
    lab.write("lib/far.py", "K = 2\n")
    lab.write("own.yaml", EXPERIMENT)
    ran = lab.mlbench("run", "own.yaml", "--quiet", "--jobs", "2")
    assert ran.returncode == 0, ran.stderr
    return lab


def states(lab):
    planned = lab.mlbench("plan", "own.yaml", "--format", "json")
    return {cell["method"]: cell["state"] for cell in json.loads(planned.stdout)["cells"]}


def test_an_edit_of_shared_code_outdates_the_rows_of_all_methods_that_import_it(finished):
    assert states(finished) == {"one": "ok", "two": "ok"}
    for name, text in {"near.py": "K = 1\n", "lib/far.py": "K = 2\n"}.items():
        finished.write(name, f"{text}MORE = 1\n")
        assert states(finished) == {"one": "missing", "two": "missing"}
        finished.write(name, f"# the same\n{text}")
        assert states(finished) == {"one": "ok", "two": "ok"}
