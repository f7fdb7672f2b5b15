"""Compiled functions and their plain source agree to the last bit."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from mlbench.solvers.compiled import SWITCH, compiled

EVERY_LOSS = """
import sys
import numpy as np
from mlbench.solvers.losses import auc, auc_labelling, f1, hinge

rng = np.random.default_rng(0)
results = []
for size in (1, 4, 12, 90):
    offsets = np.arange(4) * size
    for digits in (1, 9):
        s = np.round(rng.normal(size=3 * size), digits)
        y = rng.choice([-1.0, 1.0], size=3 * size)
        for oracle in (
            f1.f1_cuts, auc.auc_cuts, hinge.hinge_cuts, auc_labelling.auc_labelling_cuts
        ):
            results += oracle(s, y, offsets)
        for values in (f1.f1_values, auc.auc_values, hinge.hinge_values):
            results.append(values(s, y, offsets))
        for weight in (0.1, 50.0):
            results.append(auc.auc_prox(s, y, offsets, weight))
            results.append(hinge.hinge_prox(s, y, offsets, weight))
print("numba" in sys.modules)
print(np.concatenate(results).tobytes().hex())
"""


@pytest.fixture
def run():
    def outcome(**switches):
        environment = {name: value for name, value in os.environ.items() if name != SWITCH}
        done = subprocess.run(
            [sys.executable, "-c", EVERY_LOSS],
            env=environment | switches,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.split()

    return outcome


def test_every_loss_is_the_same_to_the_last_bit(run):
    pytest.importorskip("numba")
    compiles, expected = run()
    still_compiles, actual = run(**{SWITCH: "1"})
    assert (compiles, still_compiles) == ("True", "False")
    assert actual == expected


def test_the_source_stays_at_hand():
    @compiled
    def double(x):
        return 2 * x

    assert double(np.ones(2)).tolist() == double.py_func(np.ones(2)).tolist() == [2.0, 2.0]


def test_the_switch_leaves_a_function_as_it_is(monkeypatch):
    monkeypatch.setenv(SWITCH, "1")

    def double(x):
        return 2 * x

    assert compiled(double) is double
    assert double.py_func is double
