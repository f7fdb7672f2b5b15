"""Time and memory of every command that reads a results folder, by number of cells.

The rows are copies of real rows, one per method, with other numbers and the keys of a plan; they
are written without being computed. Each command runs in its own process, so its time includes
startup. Files are in the disk cache.

    python benchmarks/scale.py                          # 10 and 1,000 cells
    python benchmarks/scale.py --cells 10 1000 100000   # an hour, 3 GB of disk
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlbench.plan import Cell
    from mlbench.store import Row

SHAPES = {
    10: (1, 2, 5),
    1_000: (5, 10, 20),
    10_000: (10, 20, 50),
    20_000: (10, 20, 100),
    100_000: (20, 50, 100),
    200_000: (20, 100, 100),
}
HEAD = """
name: scale
published: ke
keep_predictions: true
protocol: {{splits: {{train: 0.5, repeats: {splits}}}, tuning: {{folds: 3}}}}
metrics: [macro_f1, micro_f1, macro_auc]
datasets:
"""


def experiment(datasets: int, methods: int, splits: int) -> str:
    """Half of the methods are tuned; of every data set and method there are all splits.

    One data set and one method have names of a paper, so that something can be compared.
    """
    lines = [HEAD.format(splits=splits)]
    for index in range(datasets):
        name = f"d{index}" if index else "Emotions"
        lines.append(
            f"  - {{use: nam-toy, as: {name}, tasks: 6, samples: {120 + index}, dimensions: 5}}\n"
        )
    lines.append("methods:\n")
    for index in range(methods):
        grid = f"tune: {{C: {{log10: [-3, {1 + index}, 13]}}}}" if index % 2 else f"C: {1 + index}"
        name = f"M{index}" if index else "BR"
        lines.append(f"  {name}: {{use: br, base: logistic, {grid}}}\n")
    lines.append("tests: [{method: BR, test: corrected_t, over_datasets: friedman}]\n")
    return "".join(lines)


def write_rows() -> None:
    """Write a row for every cell; those of one method differ in their numbers."""
    from mlbench.cli.prepare import prepare
    from mlbench.executors.cell_runner import CellRunner
    from mlbench.store import Store, to_plain
    from mlbench.store.checksum import seal
    from mlbench.store.predictions import compressed

    prepared = prepare("scale.yaml", (), Path("out"))
    store, templates, draw = Store(prepared.out), {}, random.Random(1)
    runner = CellRunner(prepared.out, [])
    store.write_plan(prepared.plan.as_plain(), prepared.loaded.source.text)
    for cell in prepared.plan.cells:
        if cell.method not in templates:
            row, predictions = runner.run(cell)
            templates[cell.method] = replace(
                row, predictions=store.write_predictions(cell.key, compressed(predictions))
            )
        template = templates[cell.method]
        row = row_like(template, cell, draw)
        predictions = store.predictions_path(cell.key)
        if not predictions.exists():  # its content is no matter
            predictions.hardlink_to(store.predictions_path(template.key))
        path = store.row_path(cell.key)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(seal("row", to_plain(row)))


def row_like(template: Row, cell: Cell, draw: random.Random) -> Row:
    return replace(
        template,
        key=cell.key,
        identity=cell.identity,
        dataset=cell.dataset,
        method=cell.method,
        split=cell.split,
        metrics={name: draw.random() for name in template.metrics},
    )


def measured(folder: Path, command: list[str]) -> tuple[float, float, float]:
    """Run a command and return its seconds, those of a processor, and its peak memory in MB."""
    start = time.perf_counter()
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"{' '.join(command)} failed: {(folder / 'output').read_text()}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


COMMANDS = (
    (", single files", ("status", "out")),
    (", single files", ("report", "out")),
    ("", ("pack", "out")),
    (", packed", ("status", "out")),
    (", packed", ("report", "out")),
    (", packed", ("export", "out")),
    (", packed", ("plan", "scale.yaml", "--out", "out")),
    (", packed", ("reproduce", "out")),
    (", packed", ("check", "out", "--write", "reference.json")),
    (", packed", ("check", "out", "--against", "reference.json")),
    (", packed", ("rescore", "out")),
    (", packed", ("merge", "out", "--into", "copy")),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cells", type=int, nargs="+", choices=SHAPES, default=[10, 1_000])
    parser.add_argument("--folder", type=Path, help="write the results here, and leave them")
    parser.add_argument("--write-rows", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write_rows:  # a new process, so that its memory does not count
        write_rows()
        return
    print(f"{'cells':>8} {'command':36} {'seconds':>8} {'CPU':>7} {'MB':>6}")
    for cells in arguments.cells:
        with tempfile.TemporaryDirectory() as temporary:
            folder = (arguments.folder or Path(temporary)) / str(cells)
            folder.mkdir(parents=True)
            (folder / "scale.yaml").write_text(experiment(*SHAPES[cells]))
            measured(folder, [sys.executable, str(Path(__file__).resolve()), "--write-rows"])
            for note, words in COMMANDS:
                seconds, cpu, memory = measured(folder, [sys.executable, "-m", "mlbench", *words])
                name = " ".join(words) + note
                print(f"{cells:8} {name:36} {seconds:8.2f} {cpu:7.2f} {memory:6.0f}", flush=True)


if __name__ == "__main__":
    main()
