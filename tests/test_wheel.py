"""A wheel carries the cards, ready-made experiments, printed figures and published results."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mlbench.bundle import published_results

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
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
    assert mlbench("leaderboard", "nothing").stderr.endswith(
        f"published results: {', '.join(published_results())}\n"
    )
    by_name, folder = (
        mlbench("report", place, "--format", "csv").stdout
        for place in ("strong-baselines", str(ROOT / "results/strong-baselines"))
    )
    assert "LSPC" in by_name
    assert by_name == folder
    assert mlbench("init", "--base", "strong-baselines", "--method", "lspc").returncode == 0
    stands = mlbench("config", "validate", "lspc.yaml")
    assert stands.returncode == 0, stands.stderr
    exported = mlbench("export", "strong-baselines", "--folder", "mine")
    assert exported.returncode == 0, exported.stderr
    texts = [
        path / "experiment.yaml" for path in (tmp_path / "mine", ROOT / "results/strong-baselines")
    ]
    assert texts[0].read_text() == texts[1].read_text()
    code = (
        "from mlbench.papers.printed_values import published_table; "
        "print(len(published_table('nam')))"
    )
    command = [sys.executable, "-P", "-c", code]
    counted = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert counted.stdout.strip() == "4"
