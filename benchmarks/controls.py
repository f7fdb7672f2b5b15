"""What the controls of a row cost: F1 at the training share and of a constant, fold scores.

    python benchmarks/controls.py        # cells of the quickstart and of Enron, in minutes

The quickstart tunes by all its metrics, the other cells by one alone, so that fold scores by
another one are kept. Each cell runs with and without them in turn, in this process, on one thread.
CPU times are the shortest of seven; bytes are those of the row as JSON.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from threadpoolctl import threadpool_limits

from mlbench.api.prepare import prepare
from mlbench.config.load import load_experiment
from mlbench.executors.cell_runner import CellRunner
from mlbench.hashing import canonical_json
from mlbench.metrics import evaluation
from mlbench.plan.cells import Cell
from mlbench.store import to_plain

RUNS = 7
QUICKSTART = Path(__file__).parents[1] / "configs/quickstart.yaml"
BY_ONE_METRIC = """
name: one-metric
datasets: [{use: nam-toy, as: toy by F1, tasks: 8, samples: 600, dimensions: 20}, enron]
protocol:
  splits: {kind: random, train: 0.6, repeats: 1, seed: 0}
  tuning: {folds: 3, scoring: macro_f1}
  preprocess: standardize
methods:
  BR(logistic): {use: br, base: logistic, tune: {C: {log10: [-2, 1, 4]}}}
  ML-kNN: {use: mlknn, tune: {k: [5, 10, 20]}}
  LSPC: {use: lspc, tune: {width: [0.5, 1, 2], rho: {log10: [-2, 1, 4]}}}
  ML-LSPC:
    use: ml_lspc
    tune: {width: [0.5, 1, 2], lam: {log10: [-2, 1, 4]}, gamma: [0, 0.1, 1]}
metrics: [macro_f1, macro_auc]
"""
CONTROLS = ("@share", "@constant", "cut_ratio")


@contextmanager
def without_controls() -> Iterator[None]:
    """Compute no control in the rows of cells."""
    every = evaluation.EVERY_METRIC
    evaluation.EVERY_METRIC = tuple(m for m in every if not m.name.endswith(CONTROLS))
    try:
        yield
    finally:
        evaluation.EVERY_METRIC = every


def measured(runner: CellRunner, cell: Cell) -> tuple[float, int]:
    """Return the CPU time of a cell and the bytes of its row."""
    start = time.process_time()
    row, _ = runner.run(cell)
    seconds = time.process_time() - start
    assert row.is_ok, row.failure
    shutil.rmtree(runner.root / "partial", ignore_errors=True)  # or the next run would resume
    return seconds, len(canonical_json(to_plain(row)))


def costs(
    name: str, with_them: Sequence[Sequence[float]], without: Sequence[Sequence[float]]
) -> str:
    """Return a line: CPU times and bytes, and by which shares the controls raise them."""
    (seconds, size), (less, smaller) = (
        map(sum, zip(*cells, strict=True)) for cells in (with_them, without)
    )
    return f"{name:24}{seconds:9.3f}{seconds / less - 1:9.1%}{size:9.0f}{size / smaller - 1:9.1%}"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        path = Path(folder, "experiment.yaml")
        path.write_text(BY_ONE_METRIC)
        runner = CellRunner(Path(folder), ())
        print(f"{'cell':24}{'seconds':>9}{'more':>9}{'bytes':>9}{'more':>9}")
        plans = [prepare(load_experiment(each)).plan for each in (QUICKSTART, path)]
        cells = [cell for plan in plans for cell in plan.cells if cell.split == 0]
        for dataset, group in groupby(cells, key=lambda cell: cell.dataset):
            all_with, all_without = [], []
            for cell in group:
                with_them, without = [], []
                for _ in range(1 + RUNS):  # the first warms up
                    with_them.append(measured(runner, cell))
                    with without_controls():
                        without.append(measured(runner, replace(cell, judged_by=())))
                all_with.append([min(each) for each in zip(*with_them[1:], strict=True)])
                all_without.append([min(each) for each in zip(*without[1:], strict=True)])
                name = f"{cell.dataset}, {cell.method}"
                print(costs(name, all_with[-1:], all_without[-1:]), flush=True)
            print(costs(f"{dataset}, all", all_with, all_without))


if __name__ == "__main__":
    main()
