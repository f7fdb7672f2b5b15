"""``mlbench reproduce``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import results_argument
from mlbench.errors import MlbenchError
from mlbench.options import PAPERS

if TYPE_CHECKING:
    from mlbench.report.published import PaperComparison

EXIT_DIFFERS = 3


@click.command()
@results_argument
@click.option(
    "--published",
    "paper",
    metavar="PAPER|FILE.csv",
    help=f"The paper: {', '.join(PAPERS)}, or your own CSV file of printed values. "
    "[default: `published:` of the experiment]",
)
@click.option("--table", metavar="TABLE", help="Only this table of the paper: 'Table IV'.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "csv", "json"]),
    default="text",
    show_default=True,
)
@click.option("--strict", is_flag=True, help="Exit with 3 if a score differs.")
def reproduce(results: Path, paper: str | None, table: str | None, form: str, strict: bool) -> None:
    """Show results next to the numbers that a paper prints, with a verdict for each.

    RESULTS is a results folder of `mlbench run`, or a folder with the CSV files of `mlbench
    export`. Data sets and methods are matched by their names in tables. The verdicts: reproduced
    (within what the deviations over splits allow), close (within one point), differs, not
    comparable, or not run. Rank correlations of the methods follow.

    With --strict the exit code is 3 if a score differs. Times never count, nor do variants of a
    method that also ran under its printed name.

    \b
      mlbench reproduce runs/ke-table-4-emotions
      mlbench reproduce results/ke/table-4-emotions --table "Table IV" --format markdown
      mlbench reproduce runs/ke-table-4-emotions --strict > /dev/null || echo differs
    """
    from mlbench.cli.results import open_results
    from mlbench.report.published import compare_with_paper

    folder = open_results(results) if (results / "plan.json").exists() else results
    comparison = compare_with_paper(folder, paper, table)
    if not comparison.lines:
        raise MlbenchError(nothing_in_common(comparison))
    click.echo(_printed(comparison, form), nl=False)
    if strict and comparison.differing:
        number = len(comparison.differing)
        words = "score differs from the printed one"
        words = words if number == 1 else "scores differ from the printed ones"
        click.echo(f"{number} {words}", err=True)
        sys.exit(EXIT_DIFFERS)


def nothing_in_common(comparison: PaperComparison) -> str:
    """Say that no printed number belongs to the results, and which would."""
    from mlbench.published import printed_values

    printed = printed_values(comparison.paper)
    if not printed:
        return f"{comparison.paper} prints no scores and no times"
    places = ", ".join(dict.fromkeys(value.place for value in printed))
    methods = ", ".join(dict.fromkeys(value.method for value in printed))
    return (
        f"{comparison.source}: no printed number of {comparison.paper} belongs to these results. "
        "Data sets and methods are matched by their names in tables, and their metrics must be "
        f"in the results.\n  data sets of {comparison.paper}: {places}\n  methods: {methods}"
    )


def _printed(comparison: PaperComparison, form: str) -> str:
    from mlbench.cli.results import as_text
    from mlbench.report import RENDERERS
    from mlbench.report.published import as_plain, comparison_tables
    from mlbench.report.published.tables import record_table

    if form == "json":
        return json.dumps(as_plain(comparison), indent=1, ensure_ascii=False) + "\n"
    if form == "csv":
        return RENDERERS[form](record_table(comparison))
    render = RENDERERS[form] if form == "markdown" else as_text
    return "\n".join(map(render, comparison_tables(comparison)))
