"""``mlbench reproduce``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.errors import MlbenchError
from mlbench.options import PAPERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mlbench.report import Table
    from mlbench.report.published import ComparedReadings, PaperComparison

EXIT_DIFFERS = 3


@click.command()
@click.argument("results", nargs=-1, required=True, type=click.Path())
@click.option(
    "--published",
    "paper",
    metavar="PAPER|FILE.csv",
    help=f"The paper: {', '.join(PAPERS)}, or your own CSV file of printed values. "
    "[default: `published:` of the experiment]",
)
@click.option("--table", metavar="TABLE", help="Only this table of the paper: 'Table IV'.")
@click.option(
    "--readings",
    is_flag=True,
    help="Show which reading of the protocol makes the printed numbers likely.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "csv", "json"]),
    default="text",
    show_default=True,
)
@click.option("--strict", is_flag=True, help="Exit with 3 if a score differs.")
def reproduce(
    results: tuple[str, ...],
    paper: str | None,
    table: str | None,
    readings: bool,
    form: str,
    strict: bool,
) -> None:
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

    \b
      mlbench reproduce runs/ke-table-4-emotions
      mlbench reproduce results/ke/table-4-emotions --table "Table IV" --format markdown
      mlbench reproduce runs/mine --published lee.csv --strict > /dev/null || echo differs
      mlbench reproduce --readings raw=runs/mine-raw scaled=runs/mine-scaled
    """
    from mlbench.report.published import (
        as_plain,
        comparison_tables,
        reading_records,
        reading_tables,
        readings_as_plain,
        record_table,
    )

    if readings:
        if strict:
            raise click.UsageError("--strict judges one results folder; leave out --readings")
        compared = _readings(results, paper, table)
        shown = reading_tables(compared), readings_as_plain(compared), reading_records(compared)
        click.echo(_printed(form, *shown), nl=False)
        return
    if len(results) > 1:
        raise click.UsageError("several results are compared with --readings")
    comparison = _comparison(results[0], paper, table)
    whole = comparison_tables(comparison), as_plain(comparison), record_table(comparison)
    click.echo(_printed(form, *whole), nl=False)
    if strict and comparison.differing:
        number = len(comparison.differing)
        words = "score differs from the printed one"
        words = words if number == 1 else "scores differ from the printed ones"
        click.echo(f"{number} {words}", err=True)
        sys.exit(EXIT_DIFFERS)


def _comparison(results: str, paper: str | None, table: str | None) -> PaperComparison:
    from mlbench.cli.results import open_results
    from mlbench.report.published import compare_with_paper

    path = _results_folder(results)
    folder = open_results(path) if (path / "plan.json").exists() else path
    comparison = compare_with_paper(folder, paper, table)
    if not comparison.lines:
        raise MlbenchError(nothing_in_common(comparison))
    return comparison


def _results_folder(results: str) -> Path:
    """Return a folder; that of an experiment file is `runs/NAME`."""
    from mlbench.config.load import find_config
    from mlbench.yaml_loader import load_yaml

    if not results.endswith((".yaml", ".yml")):
        return Path(results)
    experiment = load_yaml(find_config(results)).value
    name = experiment.get("name") if isinstance(experiment, dict) else None
    folder = Path("runs") / str(name)
    if not folder.is_dir():
        raise MlbenchError(f"{results}: no results in {folder}; run it: mlbench run {results}")
    return folder


def _readings(results: tuple[str, ...], paper: str | None, table: str | None) -> ComparedReadings:
    from mlbench.report.published import compare_readings, names_of_parts

    named = [_name_and_results(each) for each in results]
    comparisons = [_comparison(each, paper, table) for _, each in named]
    given = [name for name, _ in named]
    if any(given) and not all(given):
        unnamed = next(each for name, each in named if not name)
        raise MlbenchError(f"{unnamed}: name all results or none: NAME={unnamed}")
    names = given if any(given) else names_of_parts(comparisons)
    return compare_readings(list(zip(names, comparisons, strict=True)))


def _name_and_results(text: str) -> tuple[str, str]:
    name, equals, results = text.partition("=")
    if not equals or Path(text).exists():
        return "", text
    if not name.strip() or not results:
        raise MlbenchError(f"{text!r}: write NAME=RESULTS")
    return name.strip(), results


def nothing_in_common(comparison: PaperComparison) -> str:
    """Say that no printed number belongs to the results, and which would."""
    printed = comparison.printed
    if not printed:
        return f"{comparison.paper} prints no scores and no times"
    places = ", ".join(dict.fromkeys(value.place for value in printed))
    methods = ", ".join(dict.fromkeys(value.method for value in printed))
    return (
        f"{comparison.source}: no printed number of {comparison.paper} belongs to these results. "
        "Data sets and methods are matched by their names in tables, and their metrics must be "
        f"in the results.\n  data sets of {comparison.paper}: {places}\n  methods: {methods}"
    )


def _printed(
    form: str, tables: Sequence[Table], plain: Mapping[str, object], records: Table
) -> str:
    from mlbench.cli.results import as_text
    from mlbench.report import RENDERERS

    if form == "json":
        return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"
    if form == "csv":
        return RENDERERS[form](records)
    render = RENDERERS[form] if form == "markdown" else as_text
    return "\n".join(map(render, tables))
