"""The methods and their solvers work without the rest of mlbench."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mlbench
from mlbench.solvers.jit import SWITCH
from tests.processes import copy_code

pytestmark = pytest.mark.slow

FIT_ALL = """
import numpy as np
import mlbench
from mlbench import methods
from mlbench.methods.base_learners import make_base
from mlbench.methods.catalogue import BASE_LEARNERS, METHODS

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 4))
Y = (X @ rng.normal(size=(4, 3)) + rng.normal(size=(40, 3)) > 0).astype(int)
tasks = np.arange(40) % 2
for target in METHODS.values():
    model = getattr(methods, target.partition(":")[2])()
    if model.needs_tasks:
        scores = model.fit(X, Y[:, :1], tasks).decision_function(X, tasks)
        assert scores.shape == (40, 1), target
    else:
        scores = model.fit(X, Y).decision_function(X)
        assert scores.shape == (40, 3), target
    assert np.isfinite(scores).all(), target
for name in BASE_LEARNERS:
    make_base(name).fit(abs(X), Y[:, 0])
print(mlbench.__file__)
"""


def test_every_method_fits_in_a_folder_of_methods_and_solvers_alone(tmp_path):
    package, copied = Path(mlbench.__file__).parent, tmp_path / "mlbench"
    for folder in ("methods", "solvers"):
        copy_code(package / folder, copied / folder)
    for name in ("errors.py", "hashing.py", "steps.py"):
        (copied / name).write_bytes((package / name).read_bytes())
    (copied / "__init__.py").touch()
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FIT_ALL],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), SWITCH: "1"},  # nothing to compile twice
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(copied / "__init__.py")
