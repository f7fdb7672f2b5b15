"""Ratios of CPU times to other implementations: a table, JSON, and a check.

    python benchmarks                                    # a short list of each, in minutes
    python benchmarks mlknn metrics                      # of some benchmarks
    python benchmarks --full label_space                 # all sizes, up to half an hour
    python benchmarks --write build/bench.json
    python benchmarks mlknn --write benchmarks/committed.json   # replaces the runs of these ratios
    python benchmarks mlknn --write benchmarks/committed.json --add           # adds runs to them
    python benchmarks --check benchmarks/committed.json  # exit code 1 if a ratio fell

A ratio is the CPU time of the other implementation over the CPU time of mlbench, both on one
thread. The two alternate, and the median of the runs counts. MLBENCH_DATA names the folder of real
data. A benchmark that lacks data or a package says so and is left out.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from ratios import HEADER, Ratio, compare, read, row, write
from threadpoolctl import threadpool_limits

from mlbench.errors import MlbenchError

BENCHMARKS = (
    "overhead",
    "metrics",
    "reading_arff",
    "classifier_chains",
    "label_space",
    "many_labels",
    "base_paths",
    "linear_projections",
    "kernel_projections",
    "ml_lspc",
    "mlknn",
    "mlsvm",
    "mtsda",
    "multi_task_lasso",
    "hinge_l11",
)


def measured(names: Sequence[str], full: bool) -> Iterator[Ratio]:
    """Yield the ratios of some benchmarks."""
    modules = [import_module(name) for name in names]  # threads are limited once all is loaded
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, module in zip(names, modules, strict=True):
            try:
                yield from module.ratios(full)
            except (ImportError, MlbenchError) as error:
                print(f"{name}: some or all left out: {error}", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    parser.add_argument("--full", action="store_true", help="all sizes, up to half an hour each")
    parser.add_argument(
        "--write", type=Path, metavar="FILE", help="JSON: replace the runs of these ratios"
    )
    parser.add_argument("--add", action="store_true", help="keep their earlier runs as well")
    parser.add_argument("--check", type=Path, metavar="FILE", help="fail if a ratio fell")
    asked = parser.parse_args()
    if asked.add and not asked.write:
        parser.error("--add needs --write FILE")
    if unknown := [name for name in asked.names if name not in BENCHMARKS]:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    try:
        earlier = read(asked.check) if asked.check else []
        kept = read(asked.write) if asked.write and asked.write.exists() else []
        if asked.write:
            write(asked.write, kept)
    except (ValueError, OSError) as error:
        parser.error(str(error))
    found = {ratio.name: ratio for ratio in kept}
    ratios = []
    print(HEADER)
    for ratio in measured(asked.names or BENCHMARKS, asked.full):
        print(row(ratio), flush=True)
        ratios.append(ratio)
        before = found.get(ratio.name) if asked.add else None
        found[ratio.name] = before.joined(ratio) if before else ratio
        if asked.write:
            write(asked.write, found.values())
    if not asked.check:
        return 0
    comparison = compare(ratios, earlier)
    if asked.names:
        comparison = replace(comparison, missing=[])
    print(f"\n{comparison}")
    return comparison.exit_code


if __name__ == "__main__":
    sys.exit(main())
