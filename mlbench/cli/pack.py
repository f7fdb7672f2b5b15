"""``mlbench pack``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mlbench.cli.prepare import results_argument


@click.command()
@results_argument
def pack(results: Path) -> None:
    """Pack the finished rows of a results folder into one file.

    For folders with very many cells: `status` and reports read one file instead of one per
    cell, and copying takes seconds. Every command reads packed rows. `run` writes new rows
    as single files and never packs by itself; a row that runs again replaces the packed one.

    It is safe to stop at any moment and to run while other commands read and write: every row is
    verified, written and flushed to disk before its single file is removed.

    \b
      mlbench pack runs/big
    """
    from mlbench.errors import StoreError
    from mlbench.number_text import counted
    from mlbench.store import Store
    from mlbench.store.packing import pack_rows

    Store(results).read_plan()
    try:
        done = pack_rows(results)
    except OSError as error:
        raise StoreError(
            f"{results}: packing stopped: {error}; no row is lost, run it again"
        ) from None
    for path, problem in done.damaged.items():
        click.echo(
            f"warning: {path}: damaged: {problem}; `mlbench run` sets it aside and runs the "
            "lost cells again",
            err=True,
        )
    click.echo(f"{counted(done.packed, 'file')} packed; {counted(done.rows, 'row')} in the pack")
    sys.exit(1 if done.damaged else 0)
