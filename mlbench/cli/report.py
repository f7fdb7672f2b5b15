"""``mlbench report``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mlbench.cli.prepare import metric_option, per_label_option, results_argument, tables_option
from mlbench.options import TableFormat

if TYPE_CHECKING:
    from mlbench.audit import Threats
    from mlbench.report.selection import Selection
    from mlbench.report.tables.table import Table
    from mlbench.results.results import Results

MAX_LINES_OF_TESTS = 40
"""The lines of tests that `mlbench run` prints; more are left to `mlbench report`."""
MAX_TAKEN = 4
"""Methods that a remark names."""


@click.command()
@results_argument
@tables_option
@metric_option
@click.option("--dataset", "datasets", multiple=True, help="Only this data set (repeatable).")
@click.option("--method", "methods", multiple=True, help="Only this method (repeatable).")
@click.option(
    "--table",
    "tables",
    multiple=True,
    metavar="NAME",
    help="Only this table, or all whose names begin with NAME and a hyphen (repeatable): scores, "
    "compare, ranks, wins, times, verdict, threats. A wrong name lists all.",
)
@click.option("--transpose", is_flag=True, help="Exchange rows and columns of tables of scores.")
@per_label_option
@click.option(
    "--counts",
    is_flag=True,
    help="With --per-label: show true and false positives and negatives of each label.",
)
@click.option(
    "--hardest",
    type=int,
    metavar="N",
    help="Show instead the N rows of each data set that most methods get wrong. Needs kept "
    "predictions.",
)
@click.option("--times", is_flag=True, help="Also print mean times and peak memory.")
@click.option(
    "--html",
    "page",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Also write everything as one HTML page, whatever else is chosen but metrics. [default "
    "FILE: RESULTS/report.html]",
)
def report(results: Path, form: TableFormat, page: str | None, **wanted: Any) -> None:
    """Print the tables of a results folder, finished or not.

    Means and standard deviations over splits, with the best in bold, then the tests that the
    experiment asks for. Failed and missing cells are marked.

    \b
      mlbench report runs/quickstart
      mlbench report runs/quickstart --format latex --metric micro_f1@mulan
      mlbench report runs/quickstart --format latex --table scores --transpose
      mlbench report runs/quickstart --per-label --metric macro_auc
      mlbench report runs/quickstart --per-label --counts --dataset digits
      mlbench report runs/quickstart --hardest 20
      mlbench report runs/quickstart --times
      mlbench report runs/quickstart --html

    The page is a single file: sortable tables, figures (extra `plot`), a paper's numbers next to
    the results, failures, chosen parameters, times, and the splits behind every number.
    """
    from mlbench.cli.changed_code import warn_of_other_code
    from mlbench.cli.results import open_and_warn, with_data
    from mlbench.report.selection import Selection

    shown = Selection(**wanted)
    if shown.times and shown.per_label:
        raise click.UsageError("--times is of methods, --per-label of labels: ask for one of them")
    if shown.transpose and shown.per_label:
        raise click.UsageError("--transpose is for tables of scores, not for those of --per-label")
    if shown.counts and not shown.per_label:
        raise click.UsageError("--counts is of labels: ask for --per-label, too")
    if shown.hardest is not None and (shown.per_label or shown.times or shown.transpose):
        raise click.UsageError("--hardest shows rows, no methods or labels: ask for it alone")
    of_rows = shown.per_label or shown.hardest is not None
    folder = with_data(open_and_warn(results, whole=of_rows or page is not None))
    warn_of_other_code(results, folder)
    if page is not None:
        write_page(folder, shown.metrics, Path(page or results / "report.html"))
    sys.exit(1 if print_tables(folder, form, shown) else 0)


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
    shown: Selection,
    brief: bool = False,
) -> int:
    """Print the tables of a folder, and return how many cells failed or are missing.

    If brief, many lines of tests are counted instead: the verdict says what they show.
    """
    from mlbench.number_text import counted, of_kinds
    from mlbench.report.tables.origin import with_origin

    if shown.per_label or shown.hardest is not None:
        tables = _Tables(_tables_of_rows(folder, shown), [], [])
    else:
        tables = _tables(folder, form, shown)
    n_lines = sum(len(table.rows) for table in tables.tests)
    is_long = brief and n_lines > MAX_LINES_OF_TESTS
    every = [*tables.scores, *([] if is_long else tables.tests), *tables.more]
    print_each(with_origin(shown.of(every), folder), form, folder.plan.experiment.name)
    if is_long:
        click.echo(f"\n{n_lines} lines of tests: mlbench report {folder.path}")
    bad = {status: n for status, n in folder.counts.items() if status != "ok"}
    if bad:
        ok = counted(folder.counts.get("ok", 0), "cell")
        more_at = f": see mlbench status {folder.path}" if folder.source == "run" else ""
        whole = "of the whole experiment, " if shown.datasets or shown.methods else ""
        click.echo(f"{whole}{ok} ok, {of_kinds(bad.items())}{more_at}", err=True)
    return sum(bad.values())


class _Tables(NamedTuple):
    scores: list[Table]
    tests: list[Table]
    more: list[Table]


def _tables_of_rows(folder: Results, shown: Selection) -> list[Table]:
    """Return the tables of labels, or of the rows of data sets."""
    from mlbench.comparisons.settings import report_settings
    from mlbench.number_text import listed
    from mlbench.report.tables.hardest_rows import hardest_tables
    from mlbench.report.tables.label_counts import label_count_tables
    from mlbench.report.tables.per_label import label_tables
    from mlbench.spelling import chosen

    datasets = chosen("data set", shown.datasets, folder.datasets)
    methods = chosen("method", shown.methods, folder.methods)
    if taken := [name for name in methods if folder.origins[name] is not None]:
        names = listed(taken, MAX_TAKEN)
        click.echo(f"taken over without scores of labels and rows, so left out: {names}", err=True)
    if shown.hardest is not None:
        return hardest_tables(folder, shown.hardest, datasets, methods)
    cells = folder.shown_cells(datasets, methods)
    if shown.counts:
        facts = {name: folder.plan.datasets[name] for name in datasets}
        return label_count_tables(cells, folder.whole_rows, facts)
    settings = report_settings(folder, shown.metrics)
    return label_tables(cells, folder.whole_rows, settings, datasets)


def _tables(folder: Results, form: TableFormat, shown: Selection) -> _Tables:
    """Return the tables; in LaTeX, the notes of each tell what could be wrong."""
    from mlbench.report.tables import TABLES, tables_of
    from mlbench.report.tables.report_data import report_data
    from mlbench.report.tables.threats import AUDIT, MAX_SENTENCES, threat_table
    from mlbench.report.tables.times import times_table
    from mlbench.report.tables.verdict_text import verdict_table

    data = report_data(folder, shown.metrics, shown.datasets, shown.methods, shown.transpose)
    verdict = verdict_table(data) if form in ("text", "markdown") or shown.tables else None
    is_asked = "threats" in shown.tables
    most = None if is_asked else MAX_SENTENCES
    is_part = shown.metrics or shown.datasets or shown.methods
    rest = "mlbench report with --table threats, for this part" if is_part else AUDIT
    threats = threat_table(data.threats, most, rest) if data.threats.are_told or is_asked else None
    scores = tables_of(data, [kind for kind in TABLES if kind != "tests"])
    if form == "latex":
        is_numbered = "verdict" in shown.tables  # whose sentences refer to them
        scores = [_with_threats(table, data.threats, is_numbered) for table in scores]
        verdict = verdict and _with_threats(verdict, data.threats, is_numbered)
    with_times = shown.times or "times" in shown.tables
    times = [times_table(folder, data.datasets, data.methods)] if with_times else []
    block = [each for each in (verdict, threats) if each and verdict]
    return _Tables(scores, tables_of(data, ["tests"]), [*times, *block])


def _with_threats(table: Table, threats: Threats, is_numbered: bool) -> Table:
    """Return a table with notes that tell the threats to what it shows."""
    from mlbench.report.tables.threats import line, numbered_threats

    metrics = {record.get("metric") for record in table.records}
    notes = [
        line(threat, number if is_numbered else None)
        for threat, number in numbered_threats(threats)
        if not threat.metrics or metrics & {*threat.metrics}
    ]
    return replace(table, notes=(*table.notes, *notes))


def print_each(tables: Sequence[Table], form: TableFormat, experiment: str = "") -> None:
    """Print tables; a note that several share is printed once, and a header of CSV.

    In LaTeX, labels begin with the name of the experiment.
    """
    from mlbench.cli.results import as_text
    from mlbench.report.render import RENDERERS, csv_blocks, to_latex_pages
    from mlbench.report.tables.table import with_notes_once

    if form == "csv":
        click.echo("\n".join(csv_blocks(tables)), nl=False)
        return
    if form == "latex":
        click.echo(to_latex_pages(tables, experiment))
        return
    for table in with_notes_once(tables):
        click.echo(as_text(table) if form == "text" else RENDERERS[form](table))
