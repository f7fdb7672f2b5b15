"""``mlbench plan``."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import from_option, json_option, takes_experiment

if TYPE_CHECKING:
    from mlbench.plan import Cell


@click.command()
@takes_experiment
@from_option
@click.option(
    "--resolution",
    "wants_resolution",
    is_flag=True,
    help="Show which differences the splits can show, instead of the cells.",
)
@json_option
def plan(
    config: str,
    out: Path | None,
    data_dirs: tuple[Path, ...],
    settings: tuple[str, ...],
    quick: bool,
    exports: tuple[Path, ...],
    wants_resolution: bool,
    form: str,
) -> None:
    """List the cells of an experiment: done, failed, missing, and their cost. Runs nothing.

    The cost is estimated from finished cells in the results folder: those of the same method,
    if need be with other code or another grid, or, before one has run, those of other methods on
    data of similar size.

    With --resolution: the difference that the splits of each data set can show with 80 % power,
    and the one below which no number of such splits shows any. The deviation of differences over
    splits is that of rows in the results folder, the median over pairs of methods, or else 1 point.

    \b
      mlbench plan quickstart
      mlbench plan quickstart --resolution
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from mlbench.api.progress import guessed
    from mlbench.api.resolution import planned_resolutions
    from mlbench.cli.prepare import (
        describe_data,
        describe_memory,
        describe_taken_over,
        prepare_experiment,
    )
    from mlbench.cli.resolution_text import print_resolution
    from mlbench.number_text import counted, duration
    from mlbench.plan.cells import NoChoice, without_parameters
    from mlbench.plan.cost import CostModel
    from mlbench.plan.pending import outstanding
    from mlbench.store import Store

    prepared = prepare_experiment(config, data_dirs, out, settings, quick, exports)
    cells = prepared.plan.cells
    store = Store(prepared.out)
    scan = store.summaries(cell.key for cell in cells)
    if wants_resolution:
        print_resolution(list(planned_resolutions(prepared, scan.rows, data_dirs)), form)
        return
    left = {cell.key for cell in outstanding(cells, scan.rows, store.kept_predictions())}
    costs = CostModel(prepared.plan.facts)
    costs.learn(cells, scan.rows)
    costs.learn_stale(cells, store)

    def state(cell: Cell) -> str:
        row = scan.rows.get(cell.key)
        if row is not None:
            return row.status
        return "no parameters" if isinstance(cell.chosen, NoChoice) else "missing"

    if form == "json":
        listed = [
            {
                "dataset": cell.dataset,
                "method": cell.method,
                "split": cell.split,
                "key": cell.key,
                "state": state(cell),
                "seconds": costs.seconds(cell),
            }
            for cell in cells
        ]
        origins = [part.origin for part in prepared.taken_over]
        value = {
            "base": next((each.as_plain() for each in origins if each.is_base), None),
            "from": [each.as_plain() for each in origins if not each.is_base],
            "cells": listed,
        }
        click.echo(json.dumps(value, indent=1))
        return
    describe_data(prepared)
    describe_memory(prepared)
    describe_taken_over(prepared)
    if failing := without_parameters(cells):
        click.echo(f"warning: {failing}; such cells fail", err=True)
    table = Table("data set", "method", "cells", "state", "estimated time left", box=None)
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.dataset, cell.method), []).append(cell)
    for (dataset, method), group in groups.items():
        states = Counter(state(cell) for cell in group)
        rest = costs.remaining(Counter(costs.group(cell) for cell in group if cell.key in left))
        table.add_row(
            Text(dataset),
            Text(method),
            str(len(group)),
            ", ".join(f"{n} {kind}" for kind, n in states.items()),
            "unknown"
            if rest is None
            else duration(rest.seconds) + " (guessed)" * bool(rest.guessed),
        )
    Console(highlight=False, soft_wrap=True).print(table)
    rest = costs.remaining(Counter(costs.group(cell) for cell in cells if cell.key in left))
    estimate = "unknown before a cell has run"
    if rest is not None:
        estimate = f"{duration(rest.seconds)}, from the times of finished cells{guessed(rest)}"
    click.echo(f"{counted(len(left), 'cell')} to run; worker time left: {estimate}")
