"""Compiled functions and their plain source agree to the last bit."""

from __future__ import annotations

import inspect
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from mlbench.solvers.jit import SWITCH, compiled

EVERY_LOSS = """
import sys
import numpy as np
from mlbench.solvers.losses import auc, auc_labeling, f1, hinge

rng = np.random.default_rng(0)
results = []
for size in (1, 4, 12, 90):
    offsets = np.arange(4) * size
    for digits in (1, 9):
        s = np.round(rng.normal(size=3 * size), digits)
        y = rng.choice([-1.0, 1.0], size=3 * size)
        for oracle in (
            f1.f1_cuts, auc.auc_cuts, hinge.hinge_cuts, auc_labeling.auc_labeling_cuts
        ):
            results += oracle(s, y, offsets)
        for weight in (0.1, 50.0):
            results.append(auc.auc_prox(s, y, offsets, weight))
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


@pytest.mark.slow
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


INNER = """
from mlbench.solvers.jit import compiled

@compiled
def inner(x):
    return x + {}
"""
OUTER = """
from mlbench.solvers.jit import compiled
from mlbench.solvers.inner import inner

@compiled
def outer(x):
    return inner(x)
"""


@pytest.fixture
def copy(tmp_path):
    """Return a folder with a copy of mlbench's solvers alone."""
    solvers = tmp_path / "mlbench" / "solvers"
    solvers.mkdir(parents=True)
    (tmp_path / "mlbench" / "__init__.py").touch()
    (solvers / "__init__.py").touch()
    shutil.copy(inspect.getsourcefile(compiled), solvers)
    (solvers / "outer.py").write_text(OUTER)
    return tmp_path


def outer_of_one(copy, added, **variables):
    (copy / "mlbench" / "solvers" / "inner.py").write_text(INNER.format(added))
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in (SWITCH, "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    }
    done = subprocess.run(
        [sys.executable, "-B", "-c", "from mlbench.solvers.outer import outer; print(outer(1))"],
        cwd=copy,
        env=kept | {"PYTHONPATH": str(copy), **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.slow
def test_a_change_in_another_file_is_seen(copy):
    pytest.importorskip("numba")
    assert outer_of_one(copy, 1) == 2
    assert outer_of_one(copy, 100) == 101
    assert list(copy.rglob("*.nbc"))


@pytest.mark.slow
def test_machine_code_is_kept_where_the_user_wants_it(copy, tmp_path):
    pytest.importorskip("numba")
    place = tmp_path / "chosen"
    assert outer_of_one(copy, 1, NUMBA_CACHE_DIR=str(place)) == 2
    assert set(copy.rglob("*.nbc")) == set(place.rglob("*.nbc")) != set()


@pytest.mark.slow
def test_functions_compile_where_nothing_can_be_kept(copy):
    pytest.importorskip("numba")
    for name in ("mlbench/solvers/__pycache__", "home"):
        (copy / name).write_text("a file where a folder is wanted")
    variables = {"HOME": str(copy / "home"), "XDG_CACHE_HOME": str(copy / "home")}
    assert outer_of_one(copy, 1, **variables) == 2
    assert not list(copy.rglob("*.nbc"))
