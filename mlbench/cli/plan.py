"""``mlbench plan``."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import from_option, json_option, part_options, takes_experiment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mlbench.api.prepare import Prepared
    from mlbench.api.probe import Probe
    from mlbench.plan import Cell
    from mlbench.plan.cost import CostModel, RemainingWork
    from mlbench.store import Summary

    Probes = Mapping[tuple[str, str], Probe]


@click.command()
@takes_experiment
@from_option
@part_options("List")
@click.option(
    "--resolution",
    "wants_resolution",
    is_flag=True,
    help="Show which differences the splits can show, instead of the cells.",
)
@click.option(
    "--probe",
    "wants_probe",
    is_flag=True,
    help="First try the methods on small parts of the data, for better estimates.",
)
@json_option
def plan(
    config: str,
    out: Path | None,
    data_dirs: tuple[Path, ...],
    settings: tuple[str, ...],
    quick: bool,
    exports: tuple[Path, ...],
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    wants_resolution: bool,
    wants_probe: bool,
    form: str,
) -> None:
    """List the cells of an experiment: done, failed, missing, and their cost.

    The cost is estimated from finished cells in the results folder: those of the same method,
    if need be with other code or another grid, or, before one has run, those of other methods on
    data of similar size.

    With --probe: where no cell of a method has run on a data set, one runs with 100 training rows,
    then with 200 and so on, until one takes 2 seconds. Time and memory of whole cells are
    estimated from that. It takes some seconds for each method and data set, and keeps nothing.

    With --resolution: the difference that the splits of each data set can show with 80 % power,
    and the one below which no number of such splits shows any. The deviation of differences over
    splits is that of rows in the results folder, the median over pairs of methods that differ, or
    else 1 point.

    \b
      mlbench plan quickstart
      mlbench plan quickstart --probe
      mlbench plan quickstart --resolution
    """
    from rich.table import Table
    from rich.text import Text

    from mlbench.api.progress import guessed
    from mlbench.api.resolution import planned_resolutions
    from mlbench.api.run_cells import refuse_another
    from mlbench.cli.prepare import (
        describe,
        prepare_experiment,
    )
    from mlbench.cli.resolution_text import print_resolution
    from mlbench.cli.results import print_rich, warn_of_damage
    from mlbench.number_text import counted, duration
    from mlbench.plan.cells import NoChoice, without_parameters
    from mlbench.plan.cost import CostModel
    from mlbench.plan.giving_up import GivingUp
    from mlbench.plan.pending import outstanding
    from mlbench.plan.shards import PartOfRun
    from mlbench.store import Store

    prepared = prepare_experiment(config, data_dirs, out, settings, quick, exports)
    cells = PartOfRun(datasets=datasets, methods=methods).of(prepared.plan)
    store = Store(prepared.out)
    refuse_another(prepared, store)
    scan = store.summaries(cell.key for cell in prepared.plan.cells)
    warn_of_damage(scan.damaged)
    if wants_resolution:
        if datasets or methods:
            raise click.UsageError(
                "--resolution is of all methods and data sets: leave out --method and --dataset"
            )
        if wants_probe:
            raise click.UsageError("--resolution and --probe are two answers: ask for one")
        print_resolution(list(planned_resolutions(prepared, scan.rows, data_dirs)), form)
        return
    planned, kept = prepared.plan.cells, store.kept_predictions()
    unsettled = {cell.key for cell in outstanding(planned, scan.rows, kept)}
    left = [*{cell.key: cell for cell in cells if cell.key in unsettled}.values()]
    costs = CostModel(prepared.plan.facts)
    too_low = _only_too_low(left, scan.rows)
    costs.learn(
        [c for c in planned if not (wants_probe and (c.dataset, c.method) in too_low)], scan.rows
    )
    stale = costs.learn_stale(planned, store, takes_least=not wants_probe)
    failing = too_low | stale.keys()
    too_low |= {pair for pair, is_higher in stale.items() if is_higher}

    def state(cell: Cell) -> str:
        row = scan.rows.get(cell.key)
        if row is not None:
            return row.status
        return "no parameters" if isinstance(cell.chosen, NoChoice) else "missing"

    probes: Probes = {}
    if wants_probe:
        unseen = [cell for cell in left if not costs.has_run(cell)]
        probes = _probed(prepared, unseen, data_dirs)
        _learn(costs, unseen, probes)

    if form == "json":
        listed = [
            {
                "dataset": cell.dataset,
                "method": cell.method,
                "split": cell.split,
                "key": cell.key,
                "state": state(cell),
                "seconds": costs.seconds(cell),
                **_memory(probes.get((cell.dataset, cell.method))),
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
    describe(prepared)
    if lacking := without_parameters(cells):
        click.echo(f"warning: {lacking}; such cells fail", err=True)
    table = Table("data set", "method", "cells", "state", "estimated time left", box=None)
    if probes:
        table.add_column("time of a cell")
        table.add_column("memory")
    over = {pair for pair, probe in probes.items() if _bound(probe) == _UP_TO}
    over |= failing - probes.keys()
    expected = [*GivingUp(planned, scan.rows, unsettled).expected(left, over)]
    groups, starting = _by_pair(cells), _by_pair(expected)
    for (dataset, method), group in groups.items():
        states = Counter(state(cell) for cell in group)
        probe = probes.get((dataset, method))
        of_group = starting.get((dataset, method), [])
        rest = costs.remaining(Counter(map(costs.group, of_group)))
        beyond = _beyond(of_group, scan.rows, costs)
        is_least = beyond > 0 or (probe is None and bool(of_group) and (dataset, method) in too_low)
        bound = _AT_LEAST if is_least else "" if probe is None else _bound(probe)
        table.add_row(
            Text(dataset),
            Text(method),
            str(len(group)),
            ", ".join(f"{n} {kind}" for kind, n in states.most_common()),
            "unknown"
            if rest is None
            else bound
            + duration(rest.seconds + beyond, _ROUNDING.get(bound, round))
            + _basis(costs, rest, of_group, probe),
            *(_described(probe) if probes else ()),
        )
    print_rich(table)
    for (dataset, method), probe in probes.items():
        if probe.estimate is None:
            click.echo(f"{dataset}/{method}: no trial succeeded: {probe.problem}", err=True)
        elif math.isnan(probe.estimate.megabytes):
            click.echo(f"{dataset}/{method}: the first trial {probe.problem}", err=True)
    rest = costs.remaining(Counter(map(costs.group, expected)))
    estimate = "unknown before a cell has run" + "; see --probe" * (not wants_probe)
    if rest is not None:
        basis = "finished cells" if not probes else "cells with few rows, on one core"
        bounds = {_bound(each) for each in probes.values()}
        beyond = _beyond(expected, scan.rows, costs)
        is_least = beyond > 0 or bool(too_low - probes.keys())
        is_least |= _AT_LEAST in bounds and _UP_TO not in bounds
        least = _AT_LEAST if is_least else ""
        estimate = (
            f"{least}{duration(rest.seconds + beyond, _ROUNDING.get(least, round))}, "
            f"from the times of {basis}{guessed(rest)}"
        )
        if _UP_TO in bounds:
            estimate += "; cells over their limit count with it"
        if any(each.estimate is None for each in probes.values()):
            estimate += "; guessed where no trial succeeded"
        if fewer := len(left) - len(expected):
            estimate += (
                f"; without {counted(fewer, 'cell')} that `limits.failures` gives up where those "
                "before them fail"
            )
    click.echo(f"{counted(len(left), 'cell')} to run; worker time left: {estimate}")


_AT_LEAST, _UP_TO = "at least ", "up to "
_ROUNDING = {_AT_LEAST: math.floor, _UP_TO: math.ceil}
_NEAR = 2
"""A cell may take so many times what its trials take, as beside others on the machine."""


def _basis(
    costs: CostModel, rest: RemainingWork, cells: Iterable[Cell], probe: Probe | None
) -> str:
    """Say what an estimate rests on if no cell of the method on the data set has run."""
    if rest.guessed or (probe is not None and probe.estimate is None):
        return " (guessed)"
    return "" if all(map(costs.has_run, cells)) else " (from other data)"


def _by_pair(cells: Iterable[Cell]) -> dict[tuple[str, str], list[Cell]]:
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell.dataset, cell.method), []).append(cell)
    return groups


def _bound(probe: Probe) -> str:
    """Return what the time of all cells of a method on a data set is told as; empty if as such.

    A limit ends each cell, and, after some failures in a row, the method.
    """
    limit = probe.cell.limits.time
    if probe.estimate is not None and limit is not None and probe.estimate.seconds >= limit:
        return _UP_TO
    return _AT_LEAST if probe.is_at_least else ""


def _only_too_low(left: Iterable[Cell], rows: Mapping[str, Summary]) -> set[tuple[str, str]]:
    """Return the data sets and methods of which all that is known is a limit that was too low."""
    from mlbench.store.row import LIMITS

    again = {cell.key for cell in left if cell.key in rows and rows[cell.key].status in LIMITS}
    tried = {(rows[key].dataset, rows[key].method) for key in again}
    return tried - {(row.dataset, row.method) for row in rows.values() if row.is_ok}


def _beyond(cells: Iterable[Cell], rows: Mapping[str, Summary], costs: CostModel) -> float:
    """Return the seconds by which cells that ran into a lower limit exceed the estimate."""
    return sum(
        max(0.0, rows[cell.key].seconds.get("total", 0.0) - (costs.seconds(cell) or 0.0))
        for cell in cells
        if cell.key in rows and rows[cell.key].status == "timeout"
    )


def _probed(prepared: Prepared, unseen: Sequence[Cell], data_dirs: Sequence[Path]) -> Probes:
    """Try the method of one cell for each method and data set, and show progress."""
    from rich.console import Console
    from rich.progress import track

    from mlbench.api.probe import Prober

    firsts = [*{(cell.dataset, cell.method): cell for cell in reversed(unseen)}.values()][::-1]
    probes = track(
        Prober(prepared, data_dirs).probe(firsts),
        "trying methods",
        len(firsts),
        console=Console(stderr=True),
        transient=True,
    )
    return {(probe.cell.dataset, probe.cell.method): probe for probe in probes}


def _learn(costs: CostModel, unseen: Sequence[Cell], probes: Probes) -> None:
    """Take the estimates over, for cells that search and for those that recall a search."""
    for cell in {costs.group(cell): cell for cell in unseen}.values():
        estimate = probes[cell.dataset, cell.method].estimate
        if estimate is not None:
            searches = costs.group(cell).searches
            seconds = estimate.seconds if searches else estimate.seconds_without_search
            costs.observe(cell, min(seconds, cell.limits.time or seconds))


def _memory(probe: Probe | None) -> dict[str, float]:
    estimate = None if probe is None else probe.estimate
    if estimate is None or math.isnan(estimate.megabytes):
        return {}
    return {"megabytes": round(estimate.megabytes, 1)}


def _described(probe: Probe | None) -> tuple[str, str]:
    """Say how long a cell takes, and how much memory."""
    from mlbench.number_text import duration

    if probe is None:
        return "has run", ""
    estimate, limits = probe.estimate, probe.cell.limits
    if estimate is None:
        return "unknown", ""
    bound = _AT_LEAST if probe.is_at_least else ""
    time = bound + duration(estimate.seconds, _ROUNDING.get(bound, round))
    memory = "unknown" if math.isnan(estimate.megabytes) else f"{estimate.megabytes:.0f} MB"
    if limits.time is not None and estimate.seconds > limits.time / _NEAR:
        over = "over" if estimate.seconds > limits.time else "near"
        time += f", {over} the limit of {duration(limits.time)}"
    if limits.memory is not None and estimate.megabytes > limits.memory:
        memory += f", over the limit of {limits.memory:.0f} MB"
    return time, memory
