"""Keep what is committed of a run.

    python results/keep.py runs/papers/ke/table-4 results/ke/table-4

Writes the experiment, its tables, every split's score and time in full precision, the scores of
each label, the chosen parameters, what fits say of themselves, the environment, and the comparison
with the printed figures where there are any.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

EMPTY = 1  # lines of a CSV file that holds nothing but its head


def mlbench(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "mlbench", *words], capture_output=True, text=True, check=False
    )
    if done.returncode > 1:
        sys.exit(done.stderr)
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path, help="a results folder of `mlbench run`")
    parser.add_argument("target", type=Path, help="the folder to commit")
    options = parser.parse_args()
    run, target = str(options.run), options.target
    experiment = json.loads((options.run / "plan.json").read_text())["experiment"]
    metrics = [word for name in experiment["metrics"] for word in ("--metric", name)]
    macro = [name for name in experiment["metrics"] if name.startswith("macro_")]
    of_labels = [word for name in macro for word in ("--metric", name)]
    target.mkdir(parents=True, exist_ok=True)
    shutil.copy(options.run / "experiment.yaml", target)
    files = {
        "tables.md": mlbench("report", run, "--format", "markdown"),
        "scores.csv": mlbench("export", run, "--what", "scores", *metrics),
        "label-scores.csv": mlbench("export", run, "--per-label", *of_labels),
        "params.csv": mlbench("export", run, "--what", "params"),
        "fit.csv": mlbench("export", run, "--what", "fit"),
        "seconds.csv": mlbench("export", run, "--what", "seconds"),
        "status.json": mlbench("status", run, "--json"),
    }
    for name, text in files.items():
        if len(text.splitlines()) > EMPTY:
            (target / name).write_text(text)
    if (options.run / "published.csv").exists():
        shutil.copy(options.run / "published.csv", target)
    if experiment["published"]:
        compared = subprocess.run(
            [sys.executable, "-m", "mlbench", "reproduce", str(target), "--format", "markdown"],
            capture_output=True,
            text=True,
            check=False,
        )
        if compared.returncode == 0:
            (target / "beside.md").write_text(compared.stdout)


if __name__ == "__main__":
    main()
