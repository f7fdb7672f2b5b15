"""``mlbench reproduce``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlbench import plugins

if TYPE_CHECKING:
    from mlbench.cli.reproduce_tables import Shown

EXIT_DIFFERS = 3


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path())
@click.option(
    "--published",
    "paper",
    metavar="PAPER|FILE.csv",
    help=f"The paper: {', '.join(plugins.names(plugins.PAPERS))}, or your own CSV file of printed "
    "values. [default: `published:` of the experiment]",
)
@click.option("--table", metavar="TABLE", help="Only this table of the paper: 'Table IV'.")
@click.option(
    "--method",
    "methods",
    multiple=True,
    metavar="METHOD",
    help="Only this method of the paper (repeatable): RAkEL.",
)
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    metavar="DATASET",
    help="Only this data set of the paper (repeatable): Emotions.",
)
@click.option(
    "--brief",
    is_flag=True,
    help="Show the means alone, all metrics of a data set in one table; bold if reproduced.",
)
@click.option(
    "--readings",
    is_flag=True,
    help="Show which reading of the protocol makes the printed numbers likely.",
)
@click.option(
    "--summary",
    is_flag=True,
    help="Count the printed numbers of whole papers: compared, reproduced, close, differing.",
)
@click.option(
    "--causes",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="With --summary: why numbers differ (paper,table,dataset,method,metric,kind,cause).",
)
@click.option(
    "--refresh",
    is_flag=True,
    help="RESULTS are Markdown files: run the commands `<!-- mlbench reproduce ... -->` in them "
    "again, and replace the lines up to `<!-- end -->`.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "csv", "json"]),
    default="text",
    show_default=True,
)
@click.option("--strict", is_flag=True, help="Exit with 3 if a score differs.")
def reproduce(refresh: bool, form: str, strict: bool, **chosen: Any) -> None:
    """Show results next to the numbers that a paper prints, with a verdict for each.

    RESULTS is a results folder of `mlbench run`, a folder with the CSV files of `mlbench
    export`, or an experiment file that has run. Data sets and methods are matched by their names
    in tables. The verdicts: reproduced (within what the deviations over splits allow), close
    (within one point), differs, not comparable, or not run. Rank correlations of the methods
    follow.

    With --strict the exit code is 3 if a score differs. Times never count, nor do variants of a
    method that also ran under its printed name.

    With --readings, several RESULTS, or variants of methods (BR tree, BR logistic), are readings
    of one protocol: how many printed numbers each explains, jointly and by method and data set,
    with its likelihood, and how the best one does on data sets held out. NAME=RESULTS names a
    reading; results of the same name are parts of one.

    With --summary, several RESULTS are counted together, each printed number once.

    \b
      mlbench reproduce runs/ke-table-4
      mlbench reproduce results/ke/table-4 --table "Table IV" --dataset Flags --brief
      mlbench reproduce runs/mine --published lee.csv --strict > /dev/null || echo differs
      mlbench reproduce --readings raw=runs/mine-raw scaled=runs/mine-scaled
      mlbench reproduce --summary results/ke/table-3 results/ke/table-4
      mlbench reproduce --refresh results/ke/REPORT.md
    """
    if chosen["readings"] + chosen["summary"] + refresh + strict > 1:
        raise click.UsageError("choose one of --readings, --summary, --refresh and --strict")
    if refresh:
        files = chosen.pop("results")
        if any(chosen.values()) or form != "text":
            raise click.UsageError("with --refresh, options stand in the commands of the files")
        _refresh(files)
        return
    shown, n_differing = _numbers(**chosen)
    click.echo(shown.printed(form), nl=False)
    if strict and n_differing:
        words = "score differs from the printed one"
        words = words if n_differing == 1 else "scores differ from the printed ones"
        click.echo(f"{n_differing} {words}", err=True)
        sys.exit(EXIT_DIFFERS)


def _numbers(
    *,
    results: tuple[str, ...],
    paper: str | None,
    table: str | None,
    methods: tuple[str, ...],
    datasets: tuple[str, ...],
    brief: bool,
    readings: bool,
    summary: bool,
    causes: Path | None,
) -> tuple[Shown, int]:
    """Return what the options ask for, and the number of scores that differ in one comparison."""
    from mlbench.cli.reproduce_tables import Wanted, of_papers, of_readings, of_results

    if readings + summary + brief > 1:
        raise click.UsageError("choose one of --readings, --summary and --brief")
    if causes and not summary:
        raise click.UsageError("--causes belongs to --summary")
    wanted = Wanted(paper, table, methods, datasets)
    if readings:
        return of_readings(results, wanted), 0
    if summary:
        return of_papers(results, wanted, causes), 0
    if len(results) > 1:
        raise click.UsageError("several results need --readings or --summary")
    comparison, shown = of_results(results[0], wanted, brief)
    return shown, len(comparison.differing)


def _refresh(files: tuple[str, ...]) -> None:
    from mlbench.papers.refresh import refresh

    for file in files:
        changed = refresh(Path(file), _markdown)
        click.echo(f"{file}: {'rewritten' if changed else 'nothing has changed'}")


def _markdown(words: list[str]) -> str:
    """Return what a command in a Markdown file prints."""
    given = reproduce.make_context("mlbench reproduce", words).params
    for option, default in (("strict", False), ("refresh", False), ("form", "text")):
        if given.pop(option) != default:
            name = {"form": "format"}.get(option, option)
            raise click.UsageError(f"a command in a file cannot have --{name}")
    return _numbers(**given)[0].printed("markdown")
