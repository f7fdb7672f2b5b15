"""What lies in the working folder, which may be a stranger's, neither runs nor configures anything.

Commands run in processes of their own, as Python starts the ``mlbench`` script: without the working
folder on the search path.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from mlbench.registry.import_policy import VARIABLE

GIFT = """name: gift
datasets: [{use: nam-toy, tasks: 3, samples: 60, dimensions: 4}]
protocol: {splits: {train: 0.5, repeats: 1, seed: 1}}
metrics: [macro_f1]
methods:
  Processes:
    use: sklearn.multioutput.MultiOutputClassifier
    estimator: {use: logistic}
    n_jobs: 2
  Compiled: {use: mlsvm_t_l1}
"""
TRAP = """
from pathlib import Path
(Path(__file__).parents[1] / "ran").open("a").write(__file__)
"""
IMPORTED = ("joblib", "numpy", "sklearn", "multiprocessing", "signal", "distributed", "tornado")


@pytest.fixture
def mlbench(lab):
    def mlbench(*words):
        variables = {name: value for name, value in lab.environment.items() if name != VARIABLE}
        return subprocess.run(
            [sys.executable, "-P", "-m", "mlbench", *words],
            cwd=lab.folder,
            env={**variables, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            timeout=600,
        )

    return mlbench


@pytest.mark.parametrize("executor", ["local", "dask"])
def test_modules_and_settings_in_it_are_left_alone(lab, mlbench, executor):
    lab.write("gift.yaml", GIFT)
    for name in IMPORTED:
        lab.write(f"{name}/__init__.py", TRAP)
    lab.write(".numba_config.yaml", "cache_dir: ran")
    run = mlbench("run", "gift.yaml", "--jobs", "1", "--executor", executor)
    assert run.returncode == 0, run.stderr
    assert not (lab.folder / "ran").exists()
