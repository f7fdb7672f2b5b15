"""Shared arguments and options; preparing an experiment with its data and plan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mlbench.options import TABLE_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from mlbench.config.load import LoadedExperiment
    from mlbench.dataset_facts import DatasetFacts
    from mlbench.plan import Plan
    from mlbench.plan.cost import Rest

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
out_option = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Results folder. [default: runs/NAME, NAME being the experiment's]",
)


def takes_experiment(command: F) -> F:
    """Give a command the argument CONFIG and the options of commands that read an experiment."""
    config = click.argument("config")
    for parameter in (allow_import_option, set_option, data_option, out_option, config):
        command = parameter(command)
    return command


format_option = click.option(
    "--format",
    "form",
    type=click.Choice(TABLE_FORMATS),
    default="text",
    show_default=True,
    help="Form of the tables.",
)
metric_option = click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="METRIC",
    help="Show this metric instead of the experiment's (repeatable).",
)
results_argument = click.argument("results", type=click.Path(path_type=Path))


@dataclass(frozen=True)
class Prepared:
    """An experiment that is ready to run."""

    loaded: LoadedExperiment
    plan: Plan
    out: Path


def prepare(
    config: str, data_dirs: tuple[Path, ...], out: Path | None, settings: tuple[str, ...] = ()
) -> Prepared:
    """Read an experiment, load its data, and list its cells."""
    from mlbench.cli.import_process import call_isolated
    from mlbench.config.load import find_config, load_experiment

    loaded = load_experiment(find_config(config), data_dirs, settings, call_isolated)
    plan = _plan(loaded, _facts(loaded, data_dirs))
    return Prepared(loaded, plan, out or Path("runs") / loaded.experiment.name)


def _facts(loaded: LoadedExperiment, data_dirs: tuple[Path, ...]) -> dict[str, DatasetFacts]:
    from mlbench.data import load_dataset
    from mlbench.dataset_facts import DatasetFacts
    from mlbench.errors import DataError

    facts, problems = {}, []
    for index, reference in enumerate(loaded.experiment.datasets):
        try:
            dataset = load_dataset(reference.resolved(loaded.folder), data_dirs)
        except DataError as error:
            problems.append(f"{loaded.source.at('datasets', index)}: {error}")
            continue
        facts[reference.display] = DatasetFacts(
            fingerprint=dataset.fingerprint,
            n_samples=dataset.n_samples,
            n_features=dataset.n_features,
            n_labels=dataset.n_labels,
            n_tasks=len(dataset.task_names),
            has_published_split=dataset.published_train is not None,
            notes=dataset.notes,
            fewest_known=None if dataset.known is None else int(dataset.known.sum(axis=0).min()),
            left_out=dataset.left_out,
            has_missing=dataset.has_missing,
        )
    if problems:
        raise DataError("\n".join(problems))
    return facts


def _plan(loaded: LoadedExperiment, facts: dict[str, DatasetFacts]) -> Plan:
    from mlbench.cli.import_process import call_isolated
    from mlbench.config.load import complaint
    from mlbench.errors import ConfigError
    from mlbench.plan import ImpossiblePlan, make_plan

    try:
        return make_plan(loaded.experiment, loaded.folder, facts, call_isolated)
    except ImpossiblePlan as error:
        raise ConfigError(complaint(loaded.source, error.problems)) from None


def describe_data(prepared: Prepared) -> None:
    """Describe each data set on standard error, and name the command that shows its notes."""
    from mlbench.data.path_datasets import is_path
    from mlbench.report.numbers import counted

    for reference in prepared.plan.experiment.datasets:
        facts = prepared.plan.facts[reference.display]
        columns = counted(facts.n_columns, "task" if facts.n_tasks else "label")
        line = f"{reference.display}: {facts.n_samples} x {facts.n_features}, {columns}"
        if facts.left_out:
            line += f"; left out {facts.left_out}"
        if facts.notes:
            line += f"; {counted(len(facts.notes), 'note')}"
            line += "" if is_path(reference.use) else f": mlbench data show {reference.use}"
        click.echo(line, err=True)


_WORTH_TELLING = 1.0
"""Gigabytes from which the memory of a cell is told."""


def describe_memory(prepared: Prepared) -> None:
    """Tell on standard error what the cell that needs most memory needs, if that is much."""
    from mlbench.plan.memory import memory_need

    needs = {
        (cell.method, cell.dataset): memory_need(cell, prepared.plan.facts[cell.dataset])
        for cell in prepared.plan.cells
        if cell.split == 0
    }
    (method, dataset), most = max(needs.items(), key=lambda item: item[1].gigabytes)
    if most.gigabytes < _WORTH_TELLING:
        return
    others = sum(need.gigabytes >= _WORTH_TELLING for need in needs.values()) - 1
    also = f" ({others} more need at least {_WORTH_TELLING:g} GB)" if others else ""
    click.echo(
        f"memory: {method} on {dataset} needs about {most.gigabytes:.1f} GB beside the data, for "
        f"{most.basis}{also}",
        err=True,
    )


def guessed(rest: Rest) -> str:
    """Name the methods for which an estimate has only the times of others."""
    if not rest.guessed:
        return ""
    names = ", ".join(rest.guessed) if len(rest.guessed) < 4 else f"{len(rest.guessed)} methods"
    return f" (guessed by the data's size for {names})"


def duration(seconds: float) -> str:
    """Return a time in seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    if seconds < 6000:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
