"""Arguments and options that commands share."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mlbench.options import TABLE_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mlbench.api.prepare import Prepared

F = TypeVar("F", bound="Callable[..., Any]")

data_option = click.option(
    "--data",
    "data_dirs",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    metavar="DIR",
    help="Look for data here first (repeatable), then in $MLBENCH_DATA, ./datasets and the "
    "user's data folder.",
)
set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a value of the experiment (repeatable): protocol.splits.repeats=3.",
)


def end_by_sigterm() -> None:
    """Let SIGTERM end this command as Ctrl-C does, so that nothing unfinished is left."""

    def interrupt(signum: int, frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)


def _allow_imports(context: click.Context, option: click.Parameter, given: bool) -> None:
    from mlbench.registry.import_policy import allow_imports

    if given:
        allow_imports()


allow_import_option = click.option(
    "--allow-import",
    is_flag=True,
    expose_value=False,
    callback=_allow_imports,
    help="Import the files and packages that the experiment names. This runs their code.",
)
given_import_option = click.option(
    "--allow-import",
    is_flag=True,
    expose_value=False,
    help="Taken as in other commands; the name alone allows the import here.",
)
quick_option = click.option(
    "--quick",
    is_flag=True,
    help="Try the experiment at a small size, with the values that it lists under `quick:`.",
)
out_option = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Results folder. [default: runs/NAME, NAME being the experiment's]",
)


def takes_experiment(command: F) -> F:
    """Give a command the argument CONFIG and the options of commands that read an experiment."""
    config = click.argument("config")
    options = (allow_import_option, set_option, quick_option, data_option, out_option)
    for parameter in (*options, config):
        command = parameter(command)
    return command


def format_option(*forms: str) -> Callable[[F], F]:
    """Return the option that chooses in which form a command prints; text is the default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default="text",
        show_default=True,
        help="How to print.",
    )


tables_option = format_option(*TABLE_FORMATS)
json_option = format_option("text", "json")
metric_option = click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Show this metric instead of the experiment's (repeatable).",
)
per_label_option = click.option(
    "--per-label", is_flag=True, help="Show the scores of each label instead of their averages."
)
from_option = click.option(
    "--from",
    "exports",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="FOLDER",
    help="Take over the finished cells of an exported folder, or of published results by their "
    "name (repeatable); each key is verified.",
)


def part_options(verb: str) -> Callable[[F], F]:
    """Add ``--dataset`` and ``--method``, which choose a part of an experiment."""

    def add(command: F) -> F:
        for option, what in (("--method", "method"), ("--dataset", "data set")):
            words = f"{verb} the cells of this {what} only (repeatable)."
            command = click.option(option, f"{option[2:]}s", multiple=True, help=words)(command)
        return command

    return add


results_argument = click.argument("results", type=click.Path(path_type=Path))


def prepare_experiment(
    config: str,
    data_dirs: tuple[Path, ...],
    out: Path | None,
    settings: tuple[str, ...],
    quick: bool,
    exports: tuple[Path, ...] = (),
    retry_failed: bool = False,
    rerun_changed: bool = False,
    plan: Path | None = None,
) -> Prepared:
    """Read an experiment, load its data, and list its cells.

    With the file of a shared plan, the experiment and the facts about its data come from there.
    """
    from mlbench.api.prepare import prepare
    from mlbench.api.shared_plan import SharedPlan
    from mlbench.api.take_over import Again
    from mlbench.config.load import find_config, load_experiment

    shared = None if plan is None else SharedPlan.read(plan)
    if shared is None:
        loaded = load_experiment(find_config(config), data_dirs, settings, quick)
    else:
        loaded = shared.load(Path(config), data_dirs, settings, quick)
    again = Again(retry_failed, rerun_changed)
    return prepare(loaded, data_dirs, out, exports, again, shared)


_WORTH_TELLING = 1.0
"""Gigabytes from which the memory of a cell is mentioned."""


_MANY_ROWS = 20_000
"""Training rows from which it is mentioned that time grows with their square."""


def describe(prepared: Prepared) -> None:
    """Say on standard error what the data are, what costs much and what was taken over."""
    for line in prepared.described_data():
        click.echo(line, err=True)
    _describe_memory(prepared)
    _describe_time(prepared)
    for note in prepared.notes:
        click.echo(note, err=True)


def _describe_memory(prepared: Prepared) -> None:
    from mlbench.plan.cost import memory_need

    needs = {
        (cell.method, cell.dataset): memory_need(cell, prepared.plan.facts[cell.dataset])
        for cell in prepared.plan.cells
        if cell.split == 0
    }
    if not needs:
        return
    (method, dataset), most = max(needs.items(), key=lambda item: item[1].gigabytes)
    if most.gigabytes < _WORTH_TELLING:
        return
    others = sum(need.gigabytes >= _WORTH_TELLING for need in needs.values()) - 1
    also = f" ({others} more need at least {_WORTH_TELLING:g} GB)" if others else ""
    click.echo(
        f"memory: {method} on {dataset} needs about {most.gigabytes:.1f} GB besides the data, for "
        f"{most.basis}{also}",
        err=True,
    )


def _describe_time(prepared: Prepared) -> None:
    from mlbench.plan.cost import quadratic_rows

    rows = {
        (cell.method, cell.dataset): quadratic_rows(cell, prepared.plan.facts[cell.dataset])
        for cell in prepared.plan.cells
        if cell.split == 0
    }
    many = [where for where, n in rows.items() if n >= _MANY_ROWS]
    if not many:
        return
    method, dataset = max(many, key=lambda where: rows[where])
    also = f" ({len(many) - 1} more with at least {_MANY_ROWS:,})" if len(many) > 1 else ""
    click.echo(
        f"time: that of {method} on {dataset} grows with the square of its "
        f"{rows[method, dataset]:,} training rows{also}",
        err=True,
    )
