"""``mlbench merge``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mlbench.results.plan import StoredPlan


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
    from mlbench.config.relocate import relative_path, relocated
    from mlbench.errors import StoreError
    from mlbench.number_text import counted
    from mlbench.results.plan import StoredPlan
    from mlbench.store import Store
    from mlbench.store.merge import merge as merge_stores

    named = [path.resolve() for path in (into, *sources)]
    if twice := next((path for path in named if named.count(path) > 1), None):
        raise click.UsageError(f"{twice} is named twice")
    stores, target = [Store(path) for path in sources], Store(into)
    target.check_writable("--into")
    plans = {store.root: StoredPlan.read(store) for store in stores}
    if target.has_plan():
        plans = {into: StoredPlan.read(target), **plans}
    whole = _folder_of_all_cells(plans)
    texts = (
        None
        if whole in (None, into)
        else (
            relocated(_experiment_of(whole), whole, into),
            _published_values_of(whole),
            _taken_over_by(whole),
        )
    )
    try:
        merged = merge_stores(stores, target)
        if whole is not None and texts is not None:
            home = plans[whole].folder
            folder = home and relative_path(whole.resolve() / home, into)
            target.write_plan({**plans[whole].as_plain(), "folder": folder}, *texts)
    except OSError as error:
        raise StoreError(
            f"{into}: the merge stopped: {error}; what was copied is kept: run it again, or choose "
            "another folder"
        ) from None
    for path, problem in merged.damaged.items():
        click.echo(f"warning: {path}: damaged: {problem}; left out", err=True)
    better = f", {merged.replaced} of them in place of worse ones" if merged.replaced else ""
    click.echo(f"{counted(merged.copied, 'row')} copied{better}, {merged.known} already there")
    if not target.has_plan():
        click.echo(f"to print their tables: mlbench run CONFIG --out {into}", err=True)
    elif whole is None:
        click.echo(
            f"note: {into} is of the experiment {plans[into].experiment.name!r}: its tables leave "
            "rows of other experiments out, and `mlbench prune` would remove them",
            err=True,
        )
    if merged.differing:
        first = target.summaries(merged.differing[:1]).rows[merged.differing[0]]
        click.echo(
            f"warning: {counted(len(merged.differing), 'cell')} with different numbers in two "
            f"folders, first {first.dataset}/{first.method}/{first.split}; the row that was read "
            "first was kept. `mlbench compare` shows both, and `mlbench status` the environments",
            err=True,
        )
    sys.exit(1 if merged.damaged or merged.differing else 0)


def _folder_of_all_cells(plans: Mapping[Path, StoredPlan]) -> Path | None:
    """Return a folder whose plan has the cells of all; None if they are different experiments.

    Raises
    ------
    StoreError
        If experiments of one name have different cells: a plan of either would hide the rows of
        the other.
    """
    from mlbench.errors import StoreError

    bases = {
        folder: tuple(each.sha256 for each in plan.taken_over if each.is_base)
        for folder, plan in plans.items()
    }
    names = {plan.experiment.name for plan in plans.values()}
    if len(names) > 1:
        return None
    first, *others = plans
    if odd := [folder for folder in others if bases[folder] != bases[first]]:
        raise StoreError(
            f"{first} and {odd[0]} stand on different published results (`base:`), so their "
            "methods are not compared with the same numbers; merge each into a folder of its own, "
            "or run one of them again on the base of the other"
        )
    keys = {folder: {cell.key for cell in plan.cells} for folder, plan in plans.items()}
    every = set().union(*keys.values())
    whole = [folder for folder in plans if keys[folder] == every]
    if not whole:
        if any(plan.taken_over for plan in plans.values()):
            raise StoreError(
                f"{first} and {others[0]} took over different cells of exports (--from), so none "
                "has the cells of all; run the experiment into one of them with `mlbench run "
                "--from` of all exports, then merge"
            )
        other = next(folder for folder in others if not keys[folder] <= keys[first])
        raise StoreError(
            f"{first} and {other} hold different experiments of the name {names.pop()!r}, and no "
            f"folder has the cells of all{_first_difference(plans, first, other)}; run one of them "
            "again as the other, into its folder, then merge; or merge each into a folder of its "
            "own"
        )
    return next((folder for folder in whole if _is_complete(folder, plans[folder])), whole[-1])


def _first_difference(plans: Mapping[Path, StoredPlan], first: Path, other: Path) -> str:
    """Say in what a cell of two folders differs; nothing where no cell has run in both."""
    from mlbench.cli.why import changes_of_identity
    from mlbench.store import Store

    there = {each[:3]: each.key for each in plans[first].cells}
    differing = {
        there[each[:3]]: each
        for each in plans[other].cells
        if there.get(each[:3], each.key) != each.key
    }
    rows = Store(first).summaries(differing).rows
    others = Store(other).summaries(differing[key].key for key in rows).rows
    for key, row in rows.items():
        if (cell := differing[key]).key in others:
            changes = "; ".join(changes_of_identity(row.identity, others[cell.key].identity))
            return f" ({cell.dataset}/{cell.method}/{cell.split}: {changes})"
    return ""


def _is_complete(folder: Path, plan: StoredPlan) -> bool:
    """Tell whether all files of a plan are there; a killed merge may have left fewer."""
    from mlbench.options import PUBLISHED_FILE, is_published_file
    from mlbench.store.store import TAKEN_OVER

    wanted = ["experiment.yaml", *([TAKEN_OVER] if plan.taken_over else [])]
    if is_published_file(plan.experiment.published or ""):
        wanted.append(PUBLISHED_FILE)
    return all(lexists(folder / name) for name in wanted)


def _experiment_of(folder: Path) -> str:
    return _text_of(
        folder / "experiment.yaml",
        "every results folder has a copy of its experiment file: copy that file there",
    )


def _published_values_of(folder: Path) -> str | None:
    from mlbench.options import PUBLISHED_FILE

    path = folder / PUBLISHED_FILE
    return _text_of(path, "copy the file of printed values there") if lexists(path) else None


def _taken_over_by(folder: Path) -> str | None:
    """Return the text of the cells that a folder took over, verified; None if there are none."""
    from mlbench.results.taken_over import read_taken_over, sealed

    parts = read_taken_over(folder)
    return sealed(parts) if parts else None


def _text_of(path: Path, advice: str) -> str:
    from mlbench.errors import StoreError
    from mlbench.store.paths import read_text

    try:
        return read_text(path)
    except StoreError as error:
        raise StoreError(f"{error}; {advice}") from None
