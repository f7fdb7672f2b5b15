"""``mlbench prune``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import click

from mlbench.cli.prepare import results_argument


@click.command()
@results_argument
@click.option("--failed", is_flag=True, help="The rows of failed cells, too, which then run again.")
@click.option("--yes", is_flag=True, help="Remove the rows.")
def prune(results: Path, failed: bool, yes: bool) -> None:
    """List rows that belong to no cell of the experiment; with --yes, remove them.

    Such rows stay when a method, a data set or a setting leaves the experiment, and count again
    when it comes back. Their predictions go with them. Without the rows of failed cells, `mlbench
    submit` submits these cells again.

    \b
      mlbench prune runs/mine
      mlbench prune runs/mine --failed --yes
    """
    from mlbench.cli.changed_code import OF_TODAYS_CODE, rows_of_todays_code
    from mlbench.cli.results import warn_of_damage
    from mlbench.errors import StoreError
    from mlbench.number_text import counted
    from mlbench.results.plan import StoredPlan
    from mlbench.store import Store
    from mlbench.store.active_runs import runs_at_work

    if yes and runs_at_work(results):  # before its rows are read: a failed cell may be ok by then
        raise StoreError(f"{results}: a run is at work here; wait for it (mlbench status)")
    store = Store(results)
    keys = store.keys()  # before the plan: a run writes its plan before its rows
    plan = StoredPlan.read(store)
    others = keys - {cell.key for cell in plan.cells}
    scan = store.scan(keys if failed else others)
    warn_of_damage(scan.damaged)
    rows = scan.rows
    if todays := {*rows_of_todays_code(results, plan, store, others).values()}:
        click.echo(f"{counted(len(todays), 'row')} {OF_TODAYS_CODE}; kept")
        others -= todays
        rows = {key: row for key, row in rows.items() if key not in todays}
    found = [row for key, row in rows.items() if key in others or not row.is_ok]
    for (dataset, method), number in Counter((row.dataset, row.method) for row in found).items():
        click.echo(f"{dataset}/{method}: {counted(number, 'row')}")
    unwanted = others | {row.key for row in found}
    summary = f"{counted(len(others), 'row')} of no cell of the experiment {plan.experiment.name!r}"
    if failed:
        summary += f" and {len(unwanted) - len(others)} of failed cells"
    if not unwanted or not yes:
        click.echo(summary + ("; --yes removes them" if unwanted else ""))
        return
    try:
        store.prune(unwanted)
    except OSError as error:
        raise StoreError(f"{results}: cannot be written: {error.strerror or error}") from None
    click.echo(f"removed {summary}")
