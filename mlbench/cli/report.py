"""``mlbench report``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mlbench.cli.prepare import metric_option, per_label_option, results_argument, tables_option
from mlbench.options import TableFormat

if TYPE_CHECKING:
    from mlbench.report.tables.table import Table
    from mlbench.results.results import Results

MAX_LINES_OF_TESTS = 40
"""The lines of tests that `mlbench run` prints; more are left to `mlbench report`."""


@click.command()
@results_argument
@tables_option
@metric_option
@per_label_option
@click.option("--times", is_flag=True, help="Also print mean times and peak memory.")
@click.option(
    "--html",
    "page",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Also write everything as one HTML page. [default FILE: RESULTS/report.html]",
)
def report(
    results: Path,
    form: TableFormat,
    metrics: tuple[str, ...],
    per_label: bool,
    times: bool,
    page: str | None,
) -> None:
    """Print the tables of a results folder, finished or not.

    Means and standard deviations over splits, with the best in bold, then the tests that the
    experiment asks for. Failed and missing cells are marked.

    \b
      mlbench report runs/quickstart
      mlbench report runs/quickstart --format latex --metric micro_f1@mulan
      mlbench report runs/quickstart --per-label --metric macro_auc
      mlbench report runs/quickstart --times
      mlbench report runs/quickstart --html

    The page is a single file: sortable tables, figures (extra `plot`), a paper's numbers next to
    the results, failures, chosen parameters, times, and the splits behind every number.
    """
    from mlbench.cli.results import open_and_warn

    if times and per_label:
        raise click.UsageError("--times is of methods, --per-label of labels: ask for one of them")
    folder = open_and_warn(results, whole=per_label or page is not None)
    if page is not None:
        write_page(folder, metrics, Path(page or results / "report.html"))
    sys.exit(1 if print_tables(folder, form, metrics, per_label, times) else 0)


def write_page(folder: Results, metrics: Sequence[str], page: Path) -> None:
    """Write a folder as one page, atomically."""
    from mlbench.report.html import to_html

    check_page(page, "report.html")
    save_page(page, to_html(folder, page.parent, metrics))


def check_page(page: Path, usual: str) -> None:
    """Refuse a folder where a file is wanted."""
    from mlbench.errors import MlbenchError

    if page.is_dir():
        raise MlbenchError(f"{page}: is a folder; give a file, such as {page / usual}")


def save_page(page: Path, text: str) -> None:
    """Write a page atomically, and say where."""
    from mlbench.store.atomic import write_output

    place = "" if page.parent.is_dir() else ", in a new folder"
    write_output(page, text.encode())
    click.echo(f"wrote {page}{place}", err=True)


def print_tables(
    folder: Results,
    form: TableFormat,
    metrics: Sequence[str],
    per_label: bool = False,
    times: bool = False,
    brief: bool = False,
) -> int:
    """Print the tables of a folder, and return how many cells failed or are missing.

    If brief, many lines of tests are counted instead: the verdict says what they show.
    """
    from mlbench.comparisons.settings import report_settings
    from mlbench.number_text import counted, of_kinds
    from mlbench.report.tables import tables_of
    from mlbench.report.tables.origin import with_origin
    from mlbench.report.tables.per_label import label_tables
    from mlbench.report.tables.report_data import report_data
    from mlbench.report.tables.threats import MAX_SENTENCES, line, numbered, threat_table
    from mlbench.report.tables.times import times_table
    from mlbench.report.tables.verdict_text import verdict_table

    if per_label:
        of_labels = label_tables(
            folder.cells, folder.whole_rows, report_settings(folder, metrics), folder.datasets
        )
        print_each(with_origin(of_labels, folder), form)
    else:
        data = report_data(folder, metrics)
        verdict = verdict_table(data) if form in ("text", "markdown") else None
        more = [times_table(folder)] if times else []
        if form == "latex":
            lines = [line(threat, number) for threat, number in numbered(data.threats)]
            data = replace(data, notes=(*data.notes, *lines))
        threats = threat_table(data.threats, MAX_SENTENCES)
        block = [each for each in (verdict, threats) if each and verdict]
        tests = tables_of(data, ["tests"])
        n_lines = sum(len(table.rows) for table in tests)
        is_long = brief and n_lines > MAX_LINES_OF_TESTS
        shown = tables_of(data, ["scores"]) if is_long else tables_of(data)
        print_each(with_origin([*shown, *more, *block], folder), form)
        if is_long:
            click.echo(f"\n{n_lines} lines of tests: mlbench report {folder.path}")
    bad = {status: n for status, n in folder.counts.items() if status != "ok"}
    if bad:
        ok = counted(folder.counts.get("ok", 0), "cell")
        more_at = f": see mlbench status {folder.path}" if folder.source == "run" else ""
        click.echo(f"{ok} ok, {of_kinds(bad.items())}{more_at}", err=True)
    return sum(bad.values())


def print_each(tables: Sequence[Table], form: TableFormat) -> None:
    """Print tables; in text and Markdown, a note that several share is printed once."""
    from mlbench.cli.results import as_text
    from mlbench.report.render import RENDERERS
    from mlbench.report.tables.table import with_notes_once

    for table in with_notes_once(tables) if form in ("text", "markdown") else tables:
        click.echo(as_text(table) if form == "text" else RENDERERS[form](table))
