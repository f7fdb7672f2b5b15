"""``mlbench merge``."""

from __future__ import annotations

import sys
from os.path import lexists
from pathlib import Path

import click


@click.command()
@click.argument(
    "sources",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option(
    "--into",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder for all rows: a new one, or one with rows already.",
)
def merge(sources: tuple[Path, ...], into: Path) -> None:
    """Copy the rows of several results folders into one.

    For shards that ran on machines without a shared disk, and for experiments that have cells
    in common: a cell is identified by what its result depends on, not by the experiment's name.
    Every row is verified; the sources do not change; a second merge copies what is missing.

    \b
      mlbench merge shard-1 shard-2 shard-3 --into runs/all
      mlbench merge runs/table-2 runs/table-4 --into runs/tests
      mlbench run tests.yaml --out runs/tests
    """
    from mlbench.errors import StoreError
    from mlbench.report.numbers import counted
    from mlbench.results.plan import StoredPlan
    from mlbench.store import Store
    from mlbench.store.merge import merge as merge_stores

    stores, target = [Store(path) for path in sources], Store(into)
    target.check_writable("--into")
    plans = [StoredPlan.read(store) for store in stores]
    is_new = not target.has_plan() and len({plan.experiment.name for plan in plans}) == 1
    text = _experiment_of(sources[0]) if is_new else ""
    published = _published_values_of(sources[0]) if is_new else None
    try:
        merged = merge_stores(stores, target)
        if is_new:
            target.write_plan(plans[0].as_plain(), text, published)
    except OSError as error:
        raise StoreError(
            f"{into}: the merge stopped: {error}; what was copied is kept, run it again"
        ) from None
    for path, problem in merged.damaged.items():
        click.echo(f"warning: {path}: damaged: {problem}; left out", err=True)
    click.echo(f"{counted(merged.copied, 'row')} copied, {merged.known} already there")
    if not target.has_plan():
        click.echo(f"to print their tables: mlbench run CONFIG --out {into}", err=True)
    if merged.differing:
        click.echo(
            f"warning: {counted(len(merged.differing), 'cell')} with different numbers in two "
            f"folders, first {merged.differing[0][:12]}; the row that was read first was "
            "kept. `mlbench status` names the environments of the rows",
            err=True,
        )
    sys.exit(1 if merged.damaged or merged.differing else 0)


def _experiment_of(folder: Path) -> str:
    return _text_of(
        folder / "experiment.yaml",
        "every results folder has a copy of its experiment file: copy that file there",
    )


def _published_values_of(folder: Path) -> str | None:
    from mlbench.options import PUBLISHED_FILE

    path = folder / PUBLISHED_FILE
    return _text_of(path, "copy the file of printed values there") if lexists(path) else None


def _text_of(path: Path, advice: str) -> str:
    from mlbench.errors import StoreError
    from mlbench.store.paths import read_text

    try:
        return read_text(path)
    except StoreError as error:
        raise StoreError(f"{error}; {advice}") from None
