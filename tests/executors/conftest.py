"""Experiments that run in milliseconds, and methods that misbehave.

``bad.py:Waits`` stops a run at a moment that a test chooses: fits wait until they are let through.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

HEAD = """
name: trial
datasets: [{use: nam-toy, as: toy, tasks: 3, samples: 60, dimensions: 4}]
protocol: {splits: {kind: random, train: 0.5, repeats: REPEATS, seed: 1}}
metrics: [macro_f1, macro_auc]
"""


@pytest.fixture
def bad_lab(lab):
    """A lab with the methods of methods_that_fail.py at hand as ``bad.py:Name``."""
    shutil.copy(Path(__file__).with_name("methods_that_fail.py"), lab.folder / "bad.py")
    return lab


@pytest.fixture
def let_through(bad_lab) -> Callable[[int], None]:
    """Let so many fits of ``bad.py:Waits`` end, counted from the first fit of all."""

    def let_through(fits: int) -> None:
        bad_lab.write("gate", str(fits))

    return let_through


@pytest.fixture
def begun(bad_lab) -> Callable[[], list[int]]:
    """Return the processes in which fits of ``bad.py`` have begun, in that order."""
    log = bad_lab.folder / "fits.log"

    def begun() -> list[int]:
        lines = log.read_text().splitlines() if log.exists() else []
        return [int(line.split()[0]) for line in lines]

    return begun


@pytest.fixture
def experiment(bad_lab) -> Callable[..., None]:
    """Write ``trial.yaml``; each method is given as ``Name: {use: ..., ...}``."""

    def write(*methods: str, repeats: int = 2, more: str = "") -> None:
        lines = "\n".join(f"  {method}" for method in methods)
        head = HEAD.replace("REPEATS", str(repeats))
        bad_lab.write("trial.yaml", f"{head}methods:\n{lines}\n{more}\n")

    return write


@pytest.fixture
def program(tmp_path, monkeypatch) -> Callable[[str, str], None]:
    """Write a program, a name and its shell, into the folder ``bin``, first on the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)

    def program(name: str, text: str) -> None:
        path = folder / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    return program


@pytest.fixture
def fake_slurm(program, tmp_path) -> Path:
    """A sbatch that notes its words, and gives the numbers 101, 102 ... until it is full."""
    folder = tmp_path / "bin"
    program(
        "sbatch",
        f"""cd {folder}
        echo "$*" >> words
        number=$((100 + $(wc -l < words)))
        if [ -e full ] && [ "$number" -gt "$(cat full)" ]; then echo QOSMaxSubmit >&2; exit 1; fi
        echo "$number;cluster" """,
    )
    return folder
