"""What several commands read from a results folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from mlbench.store import Scan, Store


@dataclass(frozen=True)
class ResultsFolder:
    """The plan of a results folder, and the rows that belong to it."""

    path: Path
    plan: dict[str, Any]
    scan: Scan

    @property
    def cells(self) -> list[tuple[str, str, int, str]]:
        """Data set, method, split and key of every cell."""
        return [(dataset, method, split, key) for dataset, method, split, key in self.plan["cells"]]

    @property
    def counts(self) -> dict[str, int]:
        """How many cells have which status; ``missing`` for those without a row."""
        counts: dict[str, int] = {}
        for _, _, _, key in self.cells:
            row = self.scan.rows.get(key)
            status = "missing" if row is None else str(row["status"])
            counts[status] = counts.get(status, 0) + 1
        return counts


def open_results(path: Path) -> ResultsFolder:
    """Read a results folder; damaged rows are named on standard error and count as missing."""
    store = Store(path)
    plan = store.read_plan()
    scan = store.scan({key for *_, key in plan["cells"]})
    for damaged, problem in scan.damaged.items():
        click.echo(f"warning: {damaged}: damaged: {problem}; it counts as missing", err=True)
    return ResultsFolder(path, plan, scan)
