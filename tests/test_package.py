from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import mlbench
from tests.processes import PATIENCE

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "matplotlib", "pydantic")


def modules_after(code):
    """Return the modules that a fresh interpreter holds after running some code."""
    command = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", command],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    return set(done.stdout.splitlines())


@pytest.mark.parametrize(
    "code",
    [
        "import mlbench",
        "import mlbench.cli",
        "import mlbench.methods, mlbench.errors, mlbench.spelling, mlbench.resources",
        "from mlbench.cli import main\nmain(['--help'], standalone_mode=False)",
        "from mlbench.cli import main\nmain(['run', '--help'], standalone_mode=False)",
    ],
)
def test_asking_for_help_loads_nothing_heavy(code):
    loaded = modules_after(code)
    assert "mlbench" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_the_public_names_are_there_and_no_others():
    for name in mlbench.__all__:
        assert getattr(mlbench, name) is not None
    assert mlbench.load_dataset("digits").n_labels == 10
    assert type(mlbench.make_method("mlknn", k=3)).__name__ == "MLkNN"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = mlbench.nothing


def test_the_version_is_that_of_the_installed_distribution():
    done = subprocess.run(
        [sys.executable, "-m", "mlbench", "--version"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stdout == f"mlbench, version {version('mlbench-multilabel')}\n", done.stderr
