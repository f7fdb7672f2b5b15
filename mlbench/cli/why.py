"""``mlbench why``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import takes_experiment

if TYPE_CHECKING:
    from mlbench.plan import Cell, Plan
    from mlbench.store import Row


@click.command()
@takes_experiment
@click.argument("cell")
def why(
    config: str,
    cell: str,
    out: Path | None,
    data_dirs: tuple[Path, ...],
    settings: tuple[str, ...],
    quick: bool,
) -> None:
    """Explain why a cell would run again, or not: which part of its identity changed.

    CELL is written DATASET/METHOD/SPLIT, as `mlbench status` prints it.

    \b
      mlbench why my.yaml emotions/BR/0
    """
    from mlbench.api.run_cells import refuse_another
    from mlbench.cli.prepare import prepare_experiment
    from mlbench.cli.results import warn_of_damage
    from mlbench.plan.pending import changes_of_code, outstanding, why_unsettled
    from mlbench.store import Store
    from mlbench.store.row import GIVEN_UP, LIMITS

    prepared = prepare_experiment(config, data_dirs, out, settings, quick)
    for part in prepared.taken_over:
        keys = {
            f"{each.dataset}/{each.method}/{each.split}": each.key for each in part.results.cells
        }
        if cell in keys:
            click.echo(f"{cell}: taken over from {part.origin.title}; not run here")
            row = part.results.rows.get(keys[cell])
            if row is not None and row.failure is not None:
                click.echo(f"{row.failure.kind}: {row.failure.message}")
            return
    store = Store(prepared.out)
    if out is not None or store.has_plan():
        store.read_plan()  # says what is wrong with a folder that is none of results
    refuse_another(prepared, store)
    scan = store.scan()
    warn_of_damage(scan.damaged)
    wanted = _find(prepared.plan, cell, scan.rows)
    row = scan.rows.get(wanted.key)
    if row is not None:
        click.echo(f"{cell}: has a row, status {row.status}, from {row.finished}")
        if row.failure is not None:
            click.echo(f"{row.failure.kind}: {row.failure.message}")
        if row.status == GIVEN_UP:
            for line in _what_failed(row, scan.rows.values()):
                click.echo(line)
        cells = outstanding(prepared.plan.cells, scan.rows, store.kept_predictions())
        if wanted.key in {each.key for each in cells}:
            reason = why_unsettled(wanted, row, store.kept_predictions())
            click.echo(f"it would run again: {reason}")
        else:
            click.echo("nothing of its key has changed; it would not run again")
            if row.failure is not None:
                click.echo("`mlbench run --retry-failed` runs all failed cells again")
                if row.status == GIVEN_UP:
                    click.echo(
                        f"so does a higher `{_key(prepared.plan, wanted, 'failures')}`, or a limit "
                        "that the failures reached"
                    )
                elif row.status in LIMITS:
                    key = _key(prepared.plan, wanted, LIMITS[row.status])
                    click.echo(f"so does a higher `{key}`, for those that reached it")
        for name, (then, now) in changes_of_code(wanted, row).items():
            click.echo(
                f"{name}: the code has changed within the same revision ({_short(then)} -> "
                f"{_short(now)}); `mlbench run --rerun-changed` runs the cell again"
            )
        return
    others = [
        other
        for other in scan.rows.values()
        if (other.dataset, other.method, other.split)
        == (wanted.dataset, wanted.method, wanted.split)
    ]
    if not others:
        click.echo(f"{cell}: has not run in {prepared.out}")
        return
    latest = max(others, key=lambda other: other.finished)
    click.echo(f"{cell}: would run again; since the row of {latest.finished}:")
    for line in changes_of_identity(latest.identity, wanted.identity):
        click.echo(f"  {line}")


def _key(plan: Plan, cell: Cell, limit: str) -> str:
    """Return the key of a cell's limit: the method's own goes before that of the experiment."""
    own = plan.experiment.methods[cell.method].limits
    is_own = own is not None and limit in own.model_fields_set
    return f"methods.{cell.method}.limits.{limit}" if is_own else f"limits.{limit}"


def _what_failed(given_up: Row, rows: Iterable[Row]) -> Iterator[str]:
    """Yield the first failure of the method on the data set."""
    pair = given_up.dataset, given_up.method
    failed = [
        (row.split, row.failure)
        for row in rows
        if (row.dataset, row.method) == pair and row.failure and row.status != given_up.status
    ]
    for split, failure in sorted(failed, key=lambda each: each[0])[:1]:
        yield f"the first failure, of {'/'.join(pair)}/{split}: {failure.kind}: {failure.message}"


def changes_of_identity(then: Mapping[str, object], now: Mapping[str, object]) -> Iterator[str]:
    """Say in which parts the identity of a cell differs from an earlier one."""
    from mlbench.check.report import changed
    from mlbench.plan.identity import differing_parts

    for path, old, new in differing_parts(then, now):
        owner = _owner(path, now) if path.endswith(".code") else None
        if owner is not None and old is not None:
            yield f"the code of {owner} has changed ({_short(old)} -> {_short(new)})"
        else:
            yield changed([(path, old, new)])


def _short(value: object) -> object:
    return value[:12] if isinstance(value, str) and len(value) == 64 else value


def _owner(path: str, identity: object) -> object:
    """Return the name of the class or the metric whose code is at a path of an identity, if any."""
    if path.startswith("metrics."):
        return path.removeprefix("metrics.").removesuffix(".code")
    for key in [*path.split(".")[:-1], "name"]:
        identity = identity.get(key) if isinstance(identity, Mapping) else None
    return identity


def _find(plan: Plan, name: str, rows: Mapping[str, Row]) -> Cell:
    from mlbench.errors import ConfigError
    from mlbench.spelling import did_you_mean

    by_name = {cell.name: cell for cell in plan.cells}
    if name not in by_name:
        for method, stated in plan.experiment.methods.items():
            for dataset in stated.not_on:
                if name.startswith(f"{dataset}/{method}/"):
                    raise ConfigError(f"{name}: no such cell: {method} is `not_on` {dataset}")
        names = {each.key: each.name for each in plan.cells}
        for row in rows.values():
            if f"{row.dataset}/{row.method}/{row.split}" == name:
                now = names.get(row.key)
                raise ConfigError(
                    f"{name}: the experiment has no such cell; its row of {row.finished} is "
                    + (f"that of {now} now" if now else "of no cell: `mlbench prune` removes such")
                )
        series, _, _ = name.rpartition("/")
        if splits := [
            each.split for each in plan.cells if f"{each.dataset}/{each.method}" == series
        ]:
            raise ConfigError(f"{name}: no such cell: {series} has the splits 0 to {max(splits)}")
        first = next((each for each in by_name if each.rpartition("/")[0] == name), None)
        meant = f" (did you mean {first!r}?)" if first else did_you_mean(name, by_name)
        raise ConfigError(
            f"{name}: no such cell{meant}; a cell is written "
            "DATASET/METHOD/SPLIT, and splits count from 0"
        )
    return by_name[name]
