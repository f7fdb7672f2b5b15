"""A wheel carries the cards, the ready-made experiments and the printed figures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    target = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet"]
    subprocess.run([*pip, "--target", str(target), str(wheel)], check=True)
    return target


@pytest.mark.slow
def test_an_installed_wheel_runs_in_an_empty_folder(installed, tmp_path):
    def mlbench(*words):
        return subprocess.run(
            [sys.executable, "-P", "-m", "mlbench", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(installed), "MLBENCH_DATA": ""},
            capture_output=True,
            text=True,
            check=False,
        )

    where = "import mlbench; print(mlbench.__file__)"
    command = [sys.executable, "-P", "-c", where]
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    found = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert found.stdout.startswith(str(installed)), "the wheel is not what is imported"

    plan = mlbench("plan", "quickstart")
    assert plan.returncode == 0, plan.stderr
    assert "80 cells to run" in plan.stdout
    assert "emotions" in mlbench("data", "list").stdout
    assert mlbench("config", "validate", "nam/enron").returncode == 0
    page = installed / "mlbench" / "report" / "html"
    assert {"page.html", "macros.html", "page.css", "page.js", "base.css", "leaderboard.js"} <= {
        path.name for path in page.iterdir()
    }
    code = (
        "from mlbench.papers.printed_values import published_table; "
        "print(len(published_table('nam')))"
    )
    command = [sys.executable, "-P", "-c", code]
    counted = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert counted.stdout.strip() == "4"
