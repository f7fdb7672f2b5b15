"""``mlbench reproduce``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mlbench import plugins
from mlbench.cli.prepare import format_option

if TYPE_CHECKING:
    from mlbench.report.reproduction.comparison import PaperComparison
    from mlbench.report.tables.table import Table

EXIT_DIFFERS = 3

Command = TypeVar("Command", bound=Callable[..., Any])


def numbers_options(command: Command) -> Command:
    """Add the options that choose printed numbers, and the format of the output."""
    options = (
        click.option(
            "--published",
            "paper",
            metavar="PAPER|FILE.csv",
            help=f"The paper: {', '.join(plugins.names(plugins.PAPERS))}, or a CSV file of "
            "printed values. [default: `published:` of the experiment]",
        ),
        click.option("--table", metavar="TABLE", help="Only this table of the paper: 'Table IV'."),
        click.option(
            "--method",
            "methods",
            multiple=True,
            metavar="METHOD",
            help="Only this method of the paper (repeatable): RAkEL.",
        ),
        click.option(
            "--dataset",
            "datasets",
            multiple=True,
            metavar="DATASET",
            help="Only this data set of the paper (repeatable): Emotions.",
        ),
        format_option("text", "markdown", "latex", "csv", "json"),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@click.argument("results", type=click.Path())
@numbers_options
@click.option(
    "--brief",
    is_flag=True,
    help="Show the means alone, all metrics of a data set in one table; bold if reproduced.",
)
@click.option("--strict", is_flag=True, help="Exit with 3 if a score differs.")
def reproduce(results: str, form: str, brief: bool, strict: bool, **chosen: Any) -> None:
    """Show results next to the numbers that a paper prints, with a verdict for each.

    RESULTS is a results folder of `mlbench run`, a folder of `mlbench export --folder`, or an
    experiment file that has run. Data sets and methods are matched by their names
    in tables. The verdicts: reproduced (within what the deviations over splits allow), close
    (within one point), differs, not comparable, or not run. Rank correlations of the methods
    follow.

    With --strict the exit code is 3 if a score differs. Times never count, nor do variants of a
    method that also ran under its printed name.

    \b
      mlbench reproduce runs/ke-table-4
      mlbench reproduce results/ke/table-4 --table "Table IV" --dataset Flags --brief
      mlbench reproduce runs/mine --published lee.csv --strict > /dev/null || echo differs
    """
    from mlbench.report.reproduction.brief_tables import brief_tables
    from mlbench.report.reproduction.records import comparison_record
    from mlbench.report.reproduction.tables import record_table, reproduction_tables

    comparison = compare_numbers(results, **chosen)
    tables = brief_tables(comparison) if brief else reproduction_tables(comparison)
    print_tables(form, tables, comparison_record(comparison), record_table(comparison))
    if strict and (n_differing := len(comparison.differing)):
        words = "score differs from the printed one"
        words = words if n_differing == 1 else "scores differ from the printed ones"
        click.echo(f"{n_differing} {words}", err=True)
        sys.exit(EXIT_DIFFERS)


def compare_numbers(
    results: str,
    paper: str | None = None,
    table: str | None = None,
    methods: Sequence[str] = (),
    datasets: Sequence[str] = (),
    allow_none: bool = False,
) -> PaperComparison:
    """Compare results with what a paper prints.

    Parameters
    ----------
    results : str
        A results folder, an exported one, or an experiment file that has run.
    paper, table, methods, datasets
        See `mlbench.report.reproduction.compare_with_paper`.
    allow_none : bool
        Whether the results may have none of the printed numbers.

    Raises
    ------
    MlbenchError
        If the results cannot be read, or have none of the printed numbers.
    """
    from mlbench.cli.results import open_and_warn
    from mlbench.errors import MlbenchError
    from mlbench.report.reproduction import compare_with_paper

    folder = open_and_warn(_results_folder(results))
    comparison = compare_with_paper(folder, paper, table, methods, datasets)
    if not (comparison.lines or allow_none):
        raise MlbenchError(nothing_in_common(comparison))
    return comparison


def print_tables(
    form: str, tables: Sequence[Table], plain: Mapping[str, object], records: Table
) -> None:
    """Print tables as text, Markdown or LaTeX, their content as JSON, or their records as CSV."""
    from mlbench.cli.results import as_text
    from mlbench.report.render import RENDERERS, to_latex_pages

    if form == "json":
        click.echo(json.dumps(plain, indent=1, ensure_ascii=False))
    elif form == "csv":
        click.echo(RENDERERS[form](records), nl=False)
    elif form == "latex":
        click.echo(to_latex_pages(tables))
    else:
        render = RENDERERS[form] if form == "markdown" else as_text
        click.echo("\n".join(map(render, tables)), nl=False)


def _results_folder(results: str) -> Path:
    """Return a results folder; an experiment file means `runs/NAME`."""
    if not results.endswith((".yaml", ".yml")):
        return Path(results)
    from mlbench.config.load import find_config
    from mlbench.errors import MlbenchError
    from mlbench.yaml_loader import load_yaml

    experiment = load_yaml(find_config(results)).value
    name = experiment.get("name") if isinstance(experiment, dict) else None
    folder = Path("runs") / str(name)
    if not folder.is_dir():
        raise MlbenchError(f"{results}: no results in {folder}; run it: mlbench run {results}")
    return folder


def nothing_in_common(comparison: PaperComparison) -> str:
    """Say that no printed number is compared, and what is printed and measured."""
    printed = comparison.printed
    if not printed:
        return f"{comparison.paper} prints no scores and no times"
    datasets = ", ".join(dict.fromkeys(value.our_dataset for value in printed))
    methods = ", ".join(dict.fromkeys(value.method for value in printed))
    metrics = ", ".join(dict.fromkeys(value.ours for value in printed))
    return (
        f"{comparison.source}: no printed number of {comparison.paper} has a score in these "
        "results. Data sets and methods are matched by their names in tables.\n"
        f"  data sets in print: {datasets}; in the results: {_or_none(comparison.datasets)}\n"
        f"  methods in print: {methods}; in the results: {_or_none(comparison.methods)}\n"
        f"  metrics in print: {metrics}"
    )


def _or_none(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
